# SPDX-License-Identifier: Apache-2.0
"""Trees again, by another library."""

import numpy
import xgboost

points = numpy.random.default_rng(1).random((40000, 16))
data = xgboost.DMatrix(points, points[:, 0] * points[:, 1])
while True:
    xgboost.train({"tree_method": "hist", "max_depth": 7}, data, num_boost_round=20)
