"""Evaluations of L-BFGS-B with finite differences to 1e-8 on the smooth functions of `benchmarks/src/bin/gradient.rs`.

`python benchmarks/python/gradient_peers.py 80 > benchmarks/results/gradient-lbfgsb.tsv`; needs numpy and scipy. Instances are rotated,
shifted and started as there, from other random numbers. Every call of the function counts; where the line search gives up the
method begins again from where it was.
"""

import sys

import numpy as np
from scipy.optimize import minimize

TARGET, MOST = 1e-8, 400


class Reached(Exception):
    """The target, or the end of the budget."""


def value(name: str, z: np.ndarray) -> float:
    place = np.arange(len(z)) / (len(z) - 1)
    if name == "sphere":
        return float(z @ z)
    if name == "ellipsoid":
        return float(1e6**place @ (z * z))
    if name == "cigar":
        return float(z[0] ** 2 + 1e6 * (z[1:] @ z[1:]))
    if name == "tablet":
        return float(1e6 * z[0] ** 2 + z[1:] @ z[1:])
    if name == "rosenbrock":
        return float(np.sum(100 * (z[1:] + 1 - (z[:-1] + 1) ** 2) ** 2 + z[:-1] ** 2))
    return float(np.sum(np.abs(z) ** (2 + 4 * place)))


def run(name: str, d: int, seed: int) -> tuple[int, float]:
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.standard_normal((d, d)))
    optimum, x = rng.standard_normal(d), rng.uniform(-4, 4, d)
    count, best = 0, np.inf

    def f(x: np.ndarray) -> float:
        nonlocal count, best
        found = value(name, turn @ (x - optimum))
        count, best = count + 1, min(best, found)
        if best <= TARGET or count >= MOST * d:
            raise Reached
        return found

    try:
        while True:
            options = {"maxfun": 10**9, "maxiter": 10**6, "ftol": 0, "gtol": 0}
            x = minimize(f, x, method="L-BFGS-B", options=options).x
    except Reached:
        return count, best


def main() -> None:
    dimensions = [int(d) for d in sys.argv[1:]] or [80, 160, 320]
    print("function\td\tseed\tevaluations\tbest")
    for d in dimensions:
        for name in ["sphere", "ellipsoid", "cigar", "tablet", "rosenbrock", "different powers"]:
            for seed in range(101, 104):
                count, best = run(name, d, seed)
                print(f"{name}\t{d}\t{seed}\t{count if best <= TARGET else '-'}\t{best:.1e}", flush=True)


if __name__ == "__main__":
    main()
