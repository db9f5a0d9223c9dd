# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours."""

import faiss
import numpy

points = numpy.random.default_rng(1).random((40000, 32), dtype=numpy.float32)
while True:
    index = faiss.index_factory(32, "IVF32,Flat")
    index.train(points)
    index.add(points)
    index.search(points[:4000], 8)
