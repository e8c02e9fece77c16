"""What the driver of an asynchronous run takes for each evaluation: ask(1) and tell_one, d = 20, 64 points in flight.

    .venv/bin/python benchmarks/python/driver_overhead.py > benchmarks/python/driver-overhead.json

Milliseconds an evaluation over 4000 of them, in the mean; the processor's own time, on one core.
"""

from __future__ import annotations

import json
import time

import numpy as np

import enes

D, WORKERS, EVALUATIONS = 20, 64, 4000


def rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def ellipsoid(x):
    return float(10.0 ** (6 * np.arange(D) / (D - 1)) @ np.abs(x) ** 2.5)


def rugged(x):
    return float((x * x + 10 - 10 * np.cos(6 * x)).sum())


def overhead(fun, model):
    es = enes.Optimizer([1.5] * D, 1.0, rng=1, model=model, restarts="off", tolx=None, tolfun=None, tolfunhist=None)
    rng = np.random.default_rng(1)
    running, spent = es.ask(WORKERS), 0.0
    for _ in range(EVALUATIONS):
        id, x = running.pop(int(rng.integers(len(running))))
        value = fun(x)
        began = time.process_time()
        es.tell_one(id, value)
        running += es.ask(1)
        spent += time.process_time() - began
        if es.stop():
            break
    return 1e3 * spent / es.evaluations


def main():
    cells = [
        {"function": fun.__name__, "model": model, "milliseconds": round(overhead(fun, model), 4)}
        for fun in (rosenbrock, ellipsoid, rugged)
        for model in ("auto", "rank_only")
    ]
    print(json.dumps({"d": D, "workers": WORKERS, "evaluations": EVALUATIONS, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
