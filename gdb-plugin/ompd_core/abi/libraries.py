# SPDX-License-Identifier: Apache-2.0
"""What do calls of the C and C++ libraries begin and end, of which these do not record who did?"""

from __future__ import annotations

from .base import Held

# Around the initialisation of a function's static variable. The object is the guard, a variable
# beside that one. Who gets a zero need not initialise it.
_ACQUIRE = "__cxa_guard_acquire"
BEGINS: Held = {
    _ACQUIRE: ("static", 0),
    "pthread_rwlock_rdlock": ("rwlock", 0),
    "pthread_rwlock_wrlock": ("rwlock", 0),
}
ENDS: Held = {
    "__cxa_guard_release": ("static", 0),
    "__cxa_guard_abort": ("static", 0),
    "pthread_rwlock_unlock": ("rwlock", 0),
}
TESTS = (_ACQUIRE,)
