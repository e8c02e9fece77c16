"""Evaluations on Rosenbrock's function, one after another (`batch=1`) and in generations, from a start at distance 1, and at d = 10 from 0.

`.venv/bin/python benchmarks/python/valleys.py > benchmarks/results/valleys.tsv` after `cargo xtask python`. Rotated and shifted at random;
σ₀ is 1/√d, so that the first radius is the distance; from 0, along the whole valley, it is 1. To 1e-10, at most 600 d evaluations, no
restarts. Five minutes.
"""

import numpy as np

import enes

TARGET, MOST = 1e-10, 600
RUNS = {3: 201, 5: 201, 10: 61, 20: 31}


class ReachedError(Exception):
    """The target."""


def run(d: int, seed: int, options: dict[str, int], near: bool) -> float:
    rng = np.random.default_rng([20261117, seed, d])
    turn, _ = np.linalg.qr(rng.standard_normal((d, d)))
    optimum, direction = rng.standard_normal((2, d))
    count = 0

    def rosenbrock(x: np.ndarray) -> float:
        nonlocal count
        count += 1
        y = 1 + turn @ (x - optimum)
        value = float(np.sum(100 * (y[1:] - y[:-1] ** 2) ** 2 + (1 - y[:-1]) ** 2))
        if value < TARGET:
            raise ReachedError
        return value

    start = optimum + (direction / np.linalg.norm(direction) if near else turn.T @ -np.ones(d))
    try:
        enes.minimize(rosenbrock, start, d**-0.5 if near else 1.0, rng=seed, maxfevals=MOST * d, restarts="off", **options)
    except ReachedError:
        return count
    return np.inf


def main() -> None:
    print("d\tstart\tevaluations\tmedian\tsolved\tof\truns")
    for d, near, runs in [(d, True, runs) for d, runs in RUNS.items()] + [(10, False, 15)]:
        for name, options in (("one by one", {"batch": 1}), ("generations", {})):
            counts = [run(d, seed, options, near) for seed in range(runs)]
            solved = int(np.isfinite(counts).sum())
            start, each = "near" if near else "0", " ".join(f"{c:.0f}" for c in counts)
            print(d, start, name, f"{np.median(counts):.0f}", solved, runs, each, sep="\t", flush=True)


if __name__ == "__main__":
    main()
