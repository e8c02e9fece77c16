"""Noise: enes with `noisy=True` compared with enes without it and with pycma with and without its NoiseHandler.

`.venv/bin/python benchmarks/noise/noise.py [RUNS]` (after `cargo xtask python`, which makes .venv with a pinned cma)
writes noise.json.gz and table.md next to itself. Sphere and ellipsoid (condition 1e6), d = 10, rotated and shifted, start at
distance 10, sigma 3, 10,000 evaluations each. What is compared is the true value, without noise, at the point that each
recommends: enes' `x` where noisy, else the mean (`xfavorite`), which is pycma's too. Stop rules that would end a run
before its budget because of noise are off; no restarts.
"""

import gzip
import json
import os
import statistics
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import cma  # noqa: E402
import numpy as np  # noqa: E402

import enes  # noqa: E402

HERE = Path(__file__).parent
SEED, D, BUDGET = 20261115, 10, 10_000
SCALES = {"sphere": np.ones(D), "ellipsoid": 1e6 ** (np.arange(D) / (D - 1))}
NOISE = [("additive", 0.1), ("additive", 1.0), ("additive", 10.0)]
NOISE += [("multiplicative", 0.1), ("multiplicative", 0.3), ("multiplicative", 1.0)]


class Problem:
    def __init__(self, name, kind, level, seed):
        rng = np.random.default_rng(seed)
        self.scale, self.kind, self.level = SCALES[name], kind, level
        self.shift, direction = rng.standard_normal(D), rng.standard_normal(D)
        self.rotation = np.linalg.qr(rng.standard_normal((D, D)))[0]
        self.x0 = self.shift + 10 * direction / np.linalg.norm(direction)
        self.noise = np.random.default_rng([seed, 1])

    def true(self, x):
        return float((self.scale * (self.rotation @ (np.asarray(x) - self.shift)) ** 2).sum())

    def __call__(self, x):
        value, noise = self.true(x), self.level * self.noise.standard_normal()
        return value + noise if self.kind == "additive" else value * (1 + noise)


def ranks(strategy):
    """The strategy in rank-based mode: under noise there is no surrogate."""
    return {"strategy": strategy} | ({"model": "rank_only"} if strategy == "adaptive" else {})


def ours(strategy, noisy):
    def run(problem, seed):
        result = enes.minimize(problem, problem.x0, 3.0, rng=seed, maxfevals=BUDGET, noisy=noisy, restarts="off",
                               tolstagnation=None, **ranks(strategy))  # fmt: skip
        return result.x if noisy else result.xfavorite, result.nfev, result.stop

    return run


def theirs(handler):
    def run(problem, seed):
        options = {"seed": seed % 2**31 + 1, "verbose": -9, "maxfevals": BUDGET, "tolstagnation": 10**9}
        options |= {"tolfun": 0, "tolfunhist": 0, "tolflatfitness": 10**9}
        es = cma.fmin2(problem, problem.x0, 3.0, options, noise_handler=handler())[1]
        return es.result.xfavorite, es.result.evaluations, dict(es.stop())

    return run


METHODS = {
    "enes noisy": ours("adaptive", True),
    "enes": ours("adaptive", False),
    "published noisy": ours("published", True),
    "published": ours("published", False),
    # Up to 30 evaluations a point, as in pycma's own example, and their mean: the defaults change the step only.
    "pycma NoiseHandler": theirs(lambda: cma.NoiseHandler(D, maxevals=[1, 1, 30], aggregate=np.mean)),
    "pycma": theirs(lambda: None),
}


def quartiles(values):
    return np.quantile(values, [0.25, 0.5, 0.75]).tolist()


def cell(name, kind, level, method, runs):
    records = []
    for i in range(runs):
        problem = Problem(name, kind, level, SEED + i)
        x, evaluations, stop = METHODS[method](problem, SEED + i)
        records.append({"value": problem.true(x), "evaluations": evaluations, "stop": list(stop)})
    return {"function": name, "noise": kind, "level": level, "method": method, "runs": records}


def without_noise(runs):
    """Evaluations to 1e-10 of objectives that have no noise, with `noisy` and without; start at distance 1, sigma 1."""
    chosen = {"adaptive, rank-based": ranks("adaptive"), "adaptive, the default": {}, "published": ranks("published")}
    for strategy, options in chosen.items():
        for name in SCALES:
            for noisy in (False, True):
                evaluations = []
                for i in range(runs):
                    p = Problem(name, "additive", 0.0, SEED + i)
                    x0 = p.shift + (p.x0 - p.shift) / 10
                    result = enes.minimize(p, x0, 1.0, rng=SEED + i, ftarget=1e-10, noisy=noisy, restarts="off",
                                           maxfevals=10 * BUDGET, **options)  # fmt: skip
                    evaluations.append(result.nfev if result.success else None)
                yield {"strategy": strategy, "function": name, "noisy": noisy, "evaluations": evaluations}


def table(found, exact):
    lines = ["| function | noise | " + " | ".join(METHODS) + " |", "|---" * (2 + len(METHODS)) + "|"]
    for name in SCALES:
        for kind, level in NOISE:
            row = [c for c in found if (c["function"], c["noise"], c["level"]) == (name, kind, level)]
            values = [quartiles([r["value"] for r in c["runs"]]) for c in row]
            best = min(v[1] for v in values)
            texts = [f"{'**' if v[1] == best else ''}{v[1]:.1e}{'**' if v[1] == best else ''} ({v[0]:.0e}, {v[2]:.0e})"
                     for v in values]  # fmt: skip
            lines.append(f"| {name} | {kind} {level:g} | " + " | ".join(texts) + " |")
    lines += ["", "| no noise, evaluations to 1e-10 | without | with `noisy` | ratio |", "|---|---|---|---|"]
    for plain, noisy in zip(exact[::2], exact[1::2], strict=True):
        a, b = (statistics.median(c["evaluations"]) for c in (plain, noisy))
        lines.append(f"| {plain['strategy']}, {plain['function']} | {a:.0f} | {b:.0f} | {b / a:.2f} |")
    return "\n".join(lines) + "\n"


def main():
    warnings.filterwarnings("ignore")
    runs, start = int(sys.argv[1]) if len(sys.argv) > 1 else 15, time.time()
    wanted = [(name, *noise, method, runs) for name in SCALES for noise in NOISE for method in METHODS]
    found = []
    with ProcessPoolExecutor(2) as pool:
        for c in pool.map(cell, *zip(*wanted, strict=True)):
            found.append(c)
            value = statistics.median(r["value"] for r in c["runs"])
            print(f"{time.time() - start:5.0f} s  {c['function']:9} {c['noise']:14} {c['level']:4} "
                  f"{c['method']:22} {value:.2e}", flush=True)  # fmt: skip
    exact = list(without_noise(runs))
    versions = {"enes": enes.__version__, "pycma": cma.__version__}
    data = {"seed": SEED, "budget": BUDGET, "versions": versions, "cells": found, "exact": exact}
    (HERE / "noise.json.gz").write_bytes(gzip.compress(json.dumps(data).encode(), mtime=0))
    (HERE / "table.md").write_text(table(found, exact))
    print(table(found, exact))


if __name__ == "__main__":
    main()
