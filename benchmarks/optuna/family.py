"""Random problems with choices: how far the best trial is from the optimum after 50, 100 and 200 trials.

    python benchmarks/optuna/family.py [--samplers enes,tpe,cma,random] [--first 1000] [--count 60] [--out family.json.xz]

A problem has one categorical parameter that decides on numbers of its own, or two or three with numbers in common. Each
branch is a function of 1 to 5 numbers (quadratic, with a ridge, with a kink, or wavy), with an optimum and a least value of its
own; in a tenth of them nothing depends on numbers. The unit is the mean of 200 random trials above the optimum. The
table has medians over the problems of the distance in that unit, and the share of problems whose best trial is in
the best branch.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import optuna

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

BUDGETS = (50, 100, 200)


def function(rng: np.random.Generator, d: int) -> Callable[[np.ndarray], float]:
    """A function of numbers in [0, 1] whose least value is 0."""
    kind = rng.choice(["quadratic", "ridge", "kink", "wavy"], p=[0.4, 0.2, 0.2, 0.2])
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    axes = 10.0 ** rng.uniform(0, 2, d)
    axes *= 10 / axes.sum()
    optimum = rng.uniform(0.1, 0.9, d)

    def value(x: np.ndarray) -> float:
        z = rotation @ (x - optimum)
        if kind == "quadratic":
            return float(axes @ z**2)
        if kind == "ridge":
            return float(np.sqrt(axes @ z**2))
        if kind == "kink":
            return float(axes @ np.abs(z))
        return float(axes @ z**2 + 0.5 * (1 - np.cos(12 * z)).sum() / d)

    return value


class Problem:
    """An objective, its least value and the branch that has it."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 25])
        self.conditional = bool(rng.random() < 0.5)
        self.choices = [int(rng.integers(2, 7))] if self.conditional else [int(rng.integers(2, 5)) for _ in range(int(rng.integers(2, 4)))]
        common = int(rng.integers(1, 6))
        effects = [rng.exponential(1.0, n) for n in self.choices]
        shared = function(rng, common)
        self.branches: dict[tuple[int, ...], tuple[int, float, Callable[[np.ndarray], float]]] = {}
        for key in np.ndindex(*self.choices):
            offset = sum(effect[i] for effect, i in zip(effects, key, strict=True)) + 0.3 * rng.exponential()
            if self.conditional:
                d = 0 if rng.random() < 0.1 else int(rng.integers(1, 6))
                self.branches[key] = d, offset, function(rng, d) if d else lambda x: 0.0
            else:
                self.branches[key] = common, offset, function(rng, common) if rng.random() < 0.5 else shared
        self.best = min(self.branches, key=lambda key: self.branches[key][1])
        self.least = self.branches[self.best][1]
        self.unit = float(np.mean([self._random(rng) for _ in range(200)])) - self.least

    def _random(self, rng: np.random.Generator) -> float:
        d, offset, value = self.branches[tuple(int(rng.integers(n)) for n in self.choices)]
        return offset + value(rng.random(d))

    def __call__(self, trial: optuna.Trial) -> float:
        key = tuple(trial.suggest_categorical(f"k{j}", list(range(n))) for j, n in enumerate(self.choices))
        d, offset, value = self.branches[key]
        prefix = f"x{key[0]}_" if self.conditional else "x"
        return offset + value(np.array([trial.suggest_float(f"{prefix}{i}", 0, 1) for i in range(d)]))


def sampler(name: str, seed: int) -> optuna.samplers.BaseSampler:
    if name == "enes":
        from enes.integrations.optuna import EnesSampler

        return EnesSampler(seed=seed)
    if name == "cma":
        return optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)
    return {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}[name](seed=seed)


def run(name: str, seed: int, trials: int = max(BUDGETS)) -> dict:
    problem = Problem(seed)
    study = optuna.create_study(sampler=sampler(name, seed))
    study.optimize(problem, n_trials=trials)
    best, row = None, {"sampler": name, "problem": seed, "branches": len(problem.branches), "distance": {}, "right": {}}
    for n, trial in enumerate(study.trials, 1):
        best = trial if best is None or trial.value < best.value else best
        if n in BUDGETS:
            row["distance"][str(n)] = (best.value - problem.least) / problem.unit
            row["right"][str(n)] = tuple(best.params[f"k{j}"] for j in range(len(problem.choices))) == problem.best
    return row


def table(rows: list[dict]) -> None:
    names = list(dict.fromkeys(row["sampler"] for row in rows))
    print("| trials | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for n in map(str, BUDGETS):
        cells = []
        for name in names:
            found = [row for row in rows if row["sampler"] == name]
            distance = np.array([row["distance"][n] for row in found])
            right = np.mean([row["right"][n] for row in found])
            cells.append(f"{np.median(distance):.2g}, {np.quantile(distance, 0.9):.2g}, {100 * right:.0f} %")
        print(f"| {n} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samplers", default="enes,tpe,cma,random")
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("family.json.xz"))
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    rows = [run(name, seed) for name in given.samplers.split(",") for seed in range(given.first, given.first + given.count)]
    columns.write(given.out, rows)
    table(rows)
