"""Strongly asymmetric landscapes, enes compared with pycma in one run: a side, or an orthant, is 1e4 times steeper.

`.venv/bin/python benchmarks/python/asymmetric.py [RUNS]` writes asymmetric.json next to itself and prints a table.
Rotated and shifted, start at distance 1, sigma 1, to 1e-10, both with their defaults and one search each.
"""

import json
import statistics
import sys
import warnings
from pathlib import Path

import cma
import numpy as np

import enes

HERE = Path(__file__).parent
SEED = 20261115
STEEP = 1e4


def ellipsoid(Y):
    return 1e6 ** (np.arange(Y.shape[1]) / (Y.shape[1] - 1)) * Y * Y


FUNCTIONS = {
    "sphere, one side": lambda Y: (np.where(Y > 0, STEEP, 1.0) * Y * Y).sum(1),
    "ellipsoid, one side": lambda Y: (np.where(Y > 0, STEEP, 1.0) * ellipsoid(Y)).sum(1),
    "sphere, one orthant": lambda Y: (Y * Y).sum(1) * np.where((Y > 0).all(1), STEEP, 1.0),
    "ellipsoid, one orthant": lambda Y: ellipsoid(Y).sum(1) * np.where((Y > 0).all(1), STEEP, 1.0),
}


class Problem:
    def __init__(self, name, d, seed):
        rng = np.random.default_rng(seed)
        self.function = FUNCTIONS[name]
        self.shift, direction = rng.standard_normal(d), rng.standard_normal(d)
        self.rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
        self.x0 = self.shift + direction / np.linalg.norm(direction)

    def __call__(self, X):
        return self.function((np.asarray(X) - self.shift) @ self.rotation.T)


def ours(problem, d, seed):
    result = enes.minimize(
        problem, problem.x0, 1.0, rng=seed, ftarget=1e-10, maxfevals=20_000 * d, vectorized=True, restarts="off"
    )
    return result.nfev if result.success else None


def theirs(problem, d, seed):
    options = {"seed": seed % 2**31 + 1, "verbose": -9, "ftarget": 1e-10, "maxfevals": 20_000 * d}
    es = cma.CMAEvolutionStrategy(problem.x0, 1.0, options)
    while not es.stop():
        X = es.ask()
        es.tell(X, problem(X))
    return es.result.evaluations if es.result.fbest <= 1e-10 else None


def main():
    warnings.filterwarnings("ignore")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    cells = []
    print("| function | d | enes | solved | pycma | solved | ratio |\n|-|-|-|-|-|-|-|")
    for name in FUNCTIONS:
        for d in (5, 10):
            problems = [Problem(name, d, SEED + i) for i in range(runs)]
            found = {
                "enes": [ours(p, d, SEED + i) for i, p in enumerate(problems)],
                "pycma": [theirs(p, d, SEED + i) for i, p in enumerate(problems)],
            }
            solved = {k: [n for n in v if n is not None] for k, v in found.items()}
            middle = {k: statistics.median(v) if v else float("nan") for k, v in solved.items()}
            cells.append({"function": name, "d": d, "evaluations": found})
            print(
                f"| {name} | {d} | {middle['enes']:.0f} | {len(solved['enes'])}/{runs} | {middle['pycma']:.0f} "
                f"| {len(solved['pycma'])}/{runs} | {middle['enes'] / middle['pycma']:.2f} |",
                flush=True,
            )
    versions = {"enes": enes.__version__, "pycma": cma.__version__}
    (HERE / "asymmetric.json").write_text(json.dumps({"seed": SEED, "versions": versions, "cells": cells}) + "\n")


if __name__ == "__main__":
    main()
