"""What pycma gains from an injected point, as `benchmarks/src/bin/injection.rs` measures it for enes.

    python benchmarks/python/injection_pycma.py > benchmarks/python/injection-pycma.json

One point at a tenth of the distance from the mean to the optimum, injected at half of the evaluations that the same
seed takes without; d = 10, start at distance 1, scale 1. Medians over the seeds.
"""

from __future__ import annotations

import json
import statistics
import warnings

import cma
import numpy as np

import enes

SEEDS, D = 15, 10


def evaluations(name: str, seed: int, inject_at: float) -> float:
    problem = enes.problems.get(name, dim=D, seed=seed, distance=1.0)
    options = {"verbose": -9, "seed": seed + 1, "maxfevals": 100_000, "tolx": 0, "tolfun": 0, "tolfunhist": 0}
    es = cma.CMAEvolutionStrategy(problem.x0, 1.0, options)
    while not es.stop():
        points = es.ask()
        values = problem(np.array(points))
        es.tell(points, list(values))
        if values.min() <= problem.ftarget:
            return float(es.countevals)
        if es.countevals >= inject_at:
            es.inject([problem.optimum + 0.1 * (es.mean - problem.optimum)], force=False)
            inject_at = np.inf
    return np.inf


def main() -> None:
    warnings.simplefilter("ignore")
    cells = []
    for name in ("sphere", "ellipsoid", "rosenbrock"):
        without = [evaluations(name, seed, np.inf) for seed in range(SEEDS)]
        halves = [count / 2 if np.isfinite(count) else 3000.0 for count in without]
        injected = [evaluations(name, seed, half) for seed, half in enumerate(halves)]
        medians = statistics.median(without), statistics.median(injected)
        ratio = round(medians[1] / medians[0], 3)
        cells.append({"function": name, "without": medians[0], "injected": medians[1], "ratio": ratio})
    print(json.dumps({"pycma": cma.__version__, "d": D, "seeds": SEEDS, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
