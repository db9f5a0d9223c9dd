# SPDX-License-Identifier: Apache-2.0
"""Python that works until it is killed, in all the ways in which frames come to be, and writes all
threads' stacks into RECORD at each SIGUSR1; then the library's `told' is called.

    python_work.py LIBRARY RECORD BEGUN calls|numpy|sklearn

BEGUN is made when all threads are at work.
"""
import asyncio
import ctypes
import faulthandler
import functools
import signal
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
library.calls_back.restype = ctypes.c_double
library.tells.argtypes = [ctypes.c_int]
record = open(sys.argv[2], "w")


class Vector:
    def __init__(self, values):
        self.values = values

    def __eq__(self, other):
        return all(a == b for a, b in zip(self.values, other.values))

    def __hash__(self):
        return hash(tuple(value for value in self.values))

    @property
    def norm(self):
        return functools.reduce(lambda sum_, value: sum_ + value * value, self.values, 0)


def traced(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)

    return wrapper


def numbers(count):
    for number in range(count):
        yield Vector([number, number + 1])


def nested(count):
    yield from numbers(count)


async def waits(count):
    await asyncio.sleep(0)
    return [vector.norm async for vector in produced(count)]


async def produced(count):
    for vector in numbers(count):
        await asyncio.sleep(0)
        yield vector


@traced
def recurse(depth):
    if depth:
        return recurse(depth - 1)
    kept = {vector: vector.norm for vector in nested(20)}
    return sorted(kept, key=lambda vector: (vector.norm, -len(vector.values)))


def plain(depth):
    return recurse(depth)


plain.__code__ = plain.__code__.replace(co_name="renamed")


exec(compile("def made(depth):\n    return [recurse(depth) for _ in range(2)]\n", "été.py", "exec"))


def calls():
    back = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int)(lambda i: len(recurse(i)))
    library.calls_back(back, 12)
    asyncio.run(waits(5))
    for _ in range(3):
        sum(len(one) for one in made(3))  # noqa: F821: exec's
    try:
        {}[Vector([1])]
    except KeyError:
        plain(1)
    finally:
        Vector([1, 2]).norm


def numpy():
    import numpy

    matrix = numpy.random.rand(300, 300)

    def work():
        product = matrix @ matrix
        return numpy.apply_along_axis(lambda row: row.sum() + len(recurse(1)), 0, product[:, :5])

    return work


def sklearn():
    from sklearn.cluster import KMeans
    from sklearn.datasets import make_blobs
    from sklearn.ensemble import HistGradientBoostingClassifier

    points, labels = make_blobs(2000, 8, centers=6, random_state=1)

    def work():
        KMeans(6, n_init=2, algorithm="elkan", random_state=1).fit(points)
        HistGradientBoostingClassifier(max_iter=2).fit(points, labels).predict(points)
        KMeans(6, n_init=2, init="random").fit_predict(points)

    return work


def for_ever(work):
    while True:
        work()


faulthandler.register(signal.SIGUSR1, record, all_threads=True)
library.tells(signal.SIGUSR1)
work = {"calls": lambda: calls, "numpy": numpy, "sklearn": sklearn}[sys.argv[4]]()
for _ in range(2):
    threading.Thread(target=for_ever, args=(calls,), daemon=True).start()
open(sys.argv[3], "w").close()
for_ever(work)
