"""What eight workers of an Optuna study gain from results beyond the awaited generation.

    python benchmarks/python/optuna_workers.py > benchmarks/python/optuna-workers.json

Trials end in an order drawn from the seed, eight at work at any time: the search as it is, and with such results
left out. Share of the results that the search got, and the best value after 150 and 300 trials, medians of the seeds.
"""

from __future__ import annotations

import json
import statistics
import warnings

import numpy as np
import optuna

from enes.integrations import _optuna_run
from enes.integrations.optuna import EnesSampler

WORKERS, TRIALS, SEEDS, D = 8, 300, 21, 5


def objective(trial: optuna.Trial, name: str) -> float:
    x = np.array([trial.suggest_float(f"x{i}", -5, 5) for i in range(D)]) - np.linspace(-2, 2, D)
    if name == "sphere":
        return float(x @ x)
    if name == "ellipsoid":
        return float(10.0 ** (np.arange(D)) @ x**2)
    x = x + 1
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def run(name: str, seed: int) -> tuple[float, list[float]]:
    rng = np.random.default_rng(seed)
    study = optuna.create_study(sampler=EnesSampler(seed=seed))
    at_work, values = [], []
    while len(values) < TRIALS:
        while len(at_work) < WORKERS:
            trial = study.ask()
            at_work.append((trial, objective(trial, name)))
        trial, value = at_work.pop(int(rng.integers(WORKERS)))
        study.tell(trial, value)
        values.append(value)
    used = set()
    for trial in study.trials:
        note = trial.system_attrs.get("enes", {})
        for key in ("closed", "injected"):
            for numbers in note.get(key, {}).values():
                used.update(numbers)
    best = np.minimum.accumulate(values)
    return len(used) / len(study.trials), [float(best[TRIALS // 2 - 1]), float(best[-1])]


def main() -> None:
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    use = _optuna_run.Run._others
    cells = []
    for name in ("sphere", "ellipsoid", "rosenbrock"):
        for how in ("all results", "awaited only"):
            _optuna_run.Run._others = use if how == "all results" else lambda *_: []  # type: ignore[method-assign]
            runs = [run(name, seed) for seed in range(SEEDS)]
            cells.append(
                {
                    "objective": name,
                    "results": how,
                    "share used": round(statistics.median(share for share, _ in runs), 3),
                    "best after 150": statistics.median(best[0] for _, best in runs),
                    "best after 300": statistics.median(best[1] for _, best in runs),
                }
            )
    print(json.dumps({"workers": WORKERS, "d": D, "seeds": SEEDS, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
