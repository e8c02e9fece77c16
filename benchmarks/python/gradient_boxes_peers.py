"""Evaluations of L-BFGS-B with finite differences and of pycma on functions like those of `benchmarks/src/bin/gradient_boxes.rs`.

`python benchmarks/python/gradient_boxes_peers.py 60 > benchmarks/results/gradient-boxes-peers.tsv`; needs numpy, scipy and
cma. Instances are made as there, from other random numbers: rotated bowls, valleys and quartics, whose optimum lies inside the box from
-1 to 1, or outside of it in a quarter or most of the coordinates, and the same without a box. A run has succeeded when a
millionth is left of what the start is above the least value in the box. Every call of the function counts; where a method
ends by itself it begins again from where it was.
"""

import sys

import cma
import numpy as np
from scipy.optimize import minimize

TARGET, MOST = 1e-6, 300
OUTSIDE = {"free": 0.0, "inside": 0.0, "faces": 0.25, "corner": 0.9}
DECADES = {"bowl 1e2": 2.0, "bowl 1e4": 4.0, "separable 1e4": 4.0}


class Reached(Exception):
    """The target, or the end of the budget."""


class Function:
    def __init__(self, name: str, place: str, d: int, rng: np.random.Generator) -> None:
        self.name = name
        turned = name not in ("separable 1e4", "valley")
        self.turn = np.linalg.qr(rng.standard_normal((d, d)))[0] if turned else np.eye(d)
        self.weights = 10 ** rng.uniform(0, DECADES.get(name, 0.0), d)
        outside = rng.choice([-1, 1], d) * rng.uniform(1, 3, d)
        self.o = np.where(rng.uniform(size=d) < OUTSIDE[place], outside, rng.uniform(-0.6, 0.6, d))
        self.box = None if place == "free" else (-1.0, 1.0)

    def value_and_slope(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        z = self.turn @ (x - self.o)
        if self.name == "quartic":
            value, own = np.sum(0.5 * z**2 + z**4), z + 4 * z**3
        elif self.name == "valley":
            miss = z[1:] - z[:-1] ** 2
            value = np.sum(10 * miss**2 + z[:-1] ** 2)
            own = np.zeros_like(z)
            own[:-1] += 2 * z[:-1] - 40 * miss * z[:-1]
            own[1:] += 20 * miss
        else:
            value, own = 0.5 * self.weights @ z**2, self.weights * z
        return float(value), self.turn.T @ own

    def bounds(self) -> list[tuple[float, float]] | None:
        return [self.box] * len(self.o) if self.box else None

    def least(self) -> float:
        """By the exact gradient, until nothing changes any more."""
        x, options = np.clip(self.o, *(self.box or (-np.inf, np.inf))), {"ftol": 0, "gtol": 1e-12, "maxiter": 10**5}
        for _ in range(5):
            x = minimize(self.value_and_slope, x, jac=True, method="L-BFGS-B", bounds=self.bounds(), options=options).x
        return self.value_and_slope(x)[0]


def by_differences(f: Function, value, x: np.ndarray, _seed: int) -> None:
    while True:
        options = {"maxfun": 10**9, "maxiter": 10**6, "ftol": 0, "gtol": 0}
        x = minimize(value, x, method="L-BFGS-B", bounds=f.bounds(), options=options).x


def by_pycma(f: Function, value, x: np.ndarray, seed: int) -> None:
    options = {"seed": seed, "verbose": -9, "bounds": list(f.box) if f.box else [None, None]}
    cma.fmin2(value, x, 0.5, options=options, restarts=9)


def run(name: str, place: str, d: int, seed: int, method) -> int | None:
    rng = np.random.default_rng(seed)
    f = Function(name, place, d, rng)
    x = rng.uniform(-0.9, 0.9, d)
    least, count, best = f.least(), 0, np.inf
    goal = least + TARGET * (f.value_and_slope(x)[0] - least)

    def value(x: np.ndarray) -> float:
        nonlocal count, best
        found = f.value_and_slope(np.asarray(x))[0]
        count, best = count + 1, min(best, found)
        if best <= goal or count >= MOST * d:
            raise Reached
        return found

    try:
        method(f, value, x, seed)
    except Reached:
        pass
    return count if best <= goal else None


def main() -> None:
    dimensions = [int(d) for d in sys.argv[1:]] or [60, 120]
    print("function\toptimum\td\tseed\tmethod\tevaluations")
    for d in dimensions:
        for name in ["sphere", "bowl 1e2", "bowl 1e4", "separable 1e4", "quartic", "valley"]:
            for place in OUTSIDE:
                for seed in range(901, 904):
                    for word, method in [("L-BFGS-B", by_differences), ("pycma", by_pycma)]:
                        count = run(name, place, d, seed, method)
                        print(f"{name}\t{place}\t{d}\t{seed}\t{word}\t{count or '-'}", flush=True)


if __name__ == "__main__":
    main()
