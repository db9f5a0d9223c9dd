# SPDX-License-Identifier: Apache-2.0
"""What does a note about a slow program say alike, at a stop and in a record?"""

TAKE_TURNS = "they take turns"
LOOK_AT_THREADS = "Look at OMP_NUM_THREADS, omp_set_num_threads ()."
