# SPDX-License-Identifier: Apache-2.0
"""A small network learns noise."""

import torch

torch.manual_seed(1)
network = torch.nn.Sequential(
    torch.nn.Conv2d(3, 12, 5),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(12 * 14 * 14, 10),
)
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
images, labels = torch.randn(48, 3, 32, 32), torch.randint(0, 10, (48,))


def step():
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(network(images), labels).backward()
    optimizer.step()


while True:
    step()
