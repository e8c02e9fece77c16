"""An Optuna study with 1, 2, 4 and 8 threads: EnesSampler and CmaEsSampler on the ellipsoid.

    .venv/bin/pip install cmaes
    .venv/bin/python benchmarks/python/optuna_workers.py > benchmarks/python/optuna-workers.json

d = 5, condition 1e6, ranges of -5 to 5, the optimum at 1, -0.5, 0.8, -1.2 and 0.3; 200 trials. Best values, all and their
median, and points that were proposed twice, over the seeds.
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
    print(json.dumps({"trials": TRIALS, "d": D, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
