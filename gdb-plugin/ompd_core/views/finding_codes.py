# SPDX-License-Identifier: Apache-2.0
"""Which findings say that something is wrong with the threads, and what does each mean? A file of
its own: a command's help loads nothing else for it."""

WRONG = {
    "crash": None,
    "gave_up": "a library ended the program that `ompd run' runs, which keeps its own status",
    "code_unloaded": "a library was unloaded under its threads",
    "region_left": "by a jump out of its code",
    "deadlock": None,
    "self_deadlock": None,
    "lock_never_released": None,
    "iteration_never_posted": "of a doacross loop",
    "thread_ended": "others wait for it",
    "barrier_divergence": "threads of one team at different barriers",
    "standing_still": "nobody goes on: two looks show the same",
    "standstill": "all threads of the process sleep until another one wakes them, or can only wait:"
    " nobody can go on",
}


def listed() -> str:
    """crash, code_unloaded (a library was unloaded under its threads), ..."""
    return ", ".join(f"{code} ({words})" if words else code for code, words in WRONG.items())
