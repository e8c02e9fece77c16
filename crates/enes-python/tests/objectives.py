"""Objectives that worker processes import, and a run that is driven by hand."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np


def sphere(x):
    return float((np.asarray(x) ** 2).sum())


def advance(es, generations):
    for _ in range(generations):
        es.tell((es.ask() ** 2).sum(axis=1))


def same(a, b):
    """Two results are one, bit for bit."""
    assert a.fun == b.fun and a.nfev == b.nfev
    np.testing.assert_array_equal(a.x, b.x)


def shifted(x, centre, scale=1.0):
    return scale * float(((np.asarray(x) - centre) ** 2).sum())


def rows(X):
    return (X**2).sum(axis=1)


def fails_on_the_left(x):
    if x[0] < 0:
        raise ZeroDivisionError(f"no value at {x[0]}")
    return sphere(x)


def returns_text(x):
    return "a value"


def returns_nothing(x):
    pass


def where(x):
    return float(os.getpid())


class KillsItsWorkerOnce:
    """The first evaluation past a point count kills its own process, once in the life of `flag`."""

    def __init__(self, flag):
        self.flag = Path(flag)

    def __call__(self, x):
        try:
            self.flag.touch(exist_ok=False)
        except FileExistsError:
            return sphere(x)
        os.kill(os.getpid(), signal.SIGKILL)


class KillsItsWorkerHere:
    """Every evaluation on the left kills its process."""

    def __call__(self, x):
        if x[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return sphere(x)


def slow(x):
    time.sleep(0.02)
    return sphere(x)


def beside_a_wall(x):
    """The sphere where the first coordinate is at least 1: value and violation."""
    return float((x**2).sum()), float(1.0 - x[0])


def beside_a_wall_rows(X):
    return (X**2).sum(axis=1), 1.0 - X[:, 0]


def uneven(x):
    """A value after 2 to 11 ms, as the point says."""
    time.sleep(0.002 + abs(hash(x.tobytes())) % 10 / 1000)
    return float((x**2).sum())
