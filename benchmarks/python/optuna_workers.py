"""An Optuna study with 1, 2, 4 and 8 threads: EnesSampler and CmaEsSampler on the ellipsoid.

    .venv/bin/pip install cmaes
    .venv/bin/python benchmarks/python/optuna_workers.py > benchmarks/python/optuna-workers.json

d = 5, condition 1e6, ranges of -5 to 5, the optimum at 1, -0.5, 0.8, -1.2 and 0.3; 200 trials. Best values, all and their
median, and points that were proposed twice, over the seeds. Threads of so quick an objective hardly overlap: in the cells
with `"order": "random"` so many trials are at work at any time, and end in an order drawn from the seed.
"""

from __future__ import annotations

import json
import statistics
import warnings

import numpy as np
import optuna

from enes.integrations.optuna import EnesSampler

TRIALS, SEEDS, D = 200, 11, 5
OPTIMUM = np.array([1.0, -0.5, 0.8, -1.2, 0.3])


def ellipsoid(trial: optuna.Trial) -> float:
    x = np.array([trial.suggest_float(f"x{i}", -5, 5) for i in range(D)]) - OPTIMUM
    return float(10.0 ** (6 * np.arange(D) / (D - 1)) @ x**2)


def shuffled(study: optuna.Study, workers: int, seed: int) -> None:
    """So many trials at work at any time; any of them may be the next to end."""
    rng, at_work, asked = np.random.default_rng(seed), [], 0
    while asked < TRIALS or at_work:
        while len(at_work) < workers and asked < TRIALS:
            trial, asked = study.ask(), asked + 1
            at_work.append((trial, ellipsoid(trial)))
        study.tell(*at_work.pop(int(rng.integers(len(at_work)))))


def in_random_order(workers: int, seeds: int = 5) -> dict:
    values, twice = [], 0
    for seed in range(seeds):
        study = optuna.create_study(sampler=EnesSampler(seed=seed))
        shuffled(study, workers, seed)
        values.append(study.best_value)
        twice += TRIALS - len({tuple(trial.params.values()) for trial in study.trials})
    median = statistics.median(values)
    return {"sampler": "enes", "jobs": workers, "order": "random", "median": median, "twice": twice, "values": values}


def main() -> None:
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {"enes": EnesSampler, "CmaEsSampler": optuna.samplers.CmaEsSampler}
    cells = []
    for name, sampler in samplers.items():
        for jobs in (1, 2, 4, 8):
            values, twice = [], 0
            for seed in range(SEEDS):
                study = optuna.create_study(sampler=sampler(seed=seed))
                study.optimize(ellipsoid, n_trials=TRIALS, n_jobs=jobs)
                points = [tuple(trial.params.values()) for trial in study.trials]
                values.append(study.best_value)
                twice += len(points) - len(set(points))
            median = statistics.median(values)
            cells.append({"sampler": name, "jobs": jobs, "median": median, "twice": twice, "values": values})
    cells.extend(in_random_order(workers) for workers in (2, 4, 8))
    print(json.dumps({"trials": TRIALS, "d": D, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
