# SPDX-License-Identifier: Apache-2.0
"""Clusters of points."""

import numpy
from sklearn.cluster import KMeans

points = numpy.random.default_rng(1).random((40000, 16))


def clusters(number):
    return KMeans(n_clusters=number, n_init=1, max_iter=40).fit(points)


while True:
    clusters(12)
