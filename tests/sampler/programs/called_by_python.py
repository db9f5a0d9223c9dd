# SPDX-License-Identifier: Apache-2.0
"""Begins regions of called_by_python.c: first and second by one path each, both by two.

    called_by_python.py LIBRARY SECONDS
"""
import ctypes
import sys
import time

library = ctypes.CDLL(sys.argv[1])


class Model:
    def fit(self, count):
        for _ in range(2):
            library.first(count)
        self.predict(count)

    def predict(self, count):
        library.both(2 * count)
        return [one for one in self.rows(count)]

    def rows(self, count):
        yield library.second(count)
        yield library.both(count)


def main():
    model = Model()
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        model.fit(4_000_000)
        time.sleep(0.01)


main()
