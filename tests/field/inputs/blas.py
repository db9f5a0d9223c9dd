# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and their eigenvalues, by the BLAS that numpy finds."""

import numpy

square = numpy.random.default_rng(1).random((900, 900))
while True:
    product = square @ square.T
    numpy.linalg.eigvalsh(product[:200, :200])
