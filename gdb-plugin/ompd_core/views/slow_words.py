# SPDX-License-Identifier: Apache-2.0
"""What does a note about a slow program say alike, at a stop and in a record?"""

from __future__ import annotations

from typing import Iterable

TAKE_TURNS = "they take turns"
LOOK_AT_THREADS = "Look at OMP_NUM_THREADS, omp_set_num_threads ()."

# What tells a library how many threads to have, by what its file's name has in it.
_SETTINGS = {
    "openblas": "OPENBLAS_NUM_THREADS=1",
    "blis": "BLIS_NUM_THREADS=1",
    "mkl": "MKL_NUM_THREADS=1",
    "tbb": "tbb::global_control",
}


def smaller(libraries: Iterable[str]) -> str:
    """What to do about pools beside OpenMP's teams."""
    settings = ["OMP_NUM_THREADS"]
    for path in libraries:
        name = path.rsplit("/", 1)[-1].lower()
        settings += (how for part, how in _SETTINGS.items() if part in name)
    return f"Make one smaller: {', '.join(dict.fromkeys(settings))}."
