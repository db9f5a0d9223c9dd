# SPDX-License-Identifier: Apache-2.0
"""Trees that are grown one after the other."""

import numpy
from sklearn.ensemble import HistGradientBoostingRegressor

points = numpy.random.default_rng(1).random((25000, 16))
values = points[:, 0] * points[:, 1] + points[:, 2]
while True:
    HistGradientBoostingRegressor(max_iter=40).fit(points, values)
