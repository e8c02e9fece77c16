"""EnesSampler against Optuna's samplers: `python compare.py run`, then `python compare.py table`.

    python compare.py run [--samplers enes,tpe] [--tasks svr] [--trials 100]    runs what runs.json.xz lacks, seeds 0 to 4
    python compare.py table    README.md's table and verdicts from runs.json.xz
    python compare.py time     seconds for each 500 of 2000 trials, into time.json

Needs enes, optuna, scikit-learn, cmaes and, for GPSampler, torch.
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import json
import statistics
import sys
import time
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

HERE = Path(__file__).parent
RAW = HERE / "runs.json.xz"
SEEDS, BUDGETS = range(5), (50, 100, 200)
NAMES = ("enes", "cma", "tpe", "gp", "random")


def sampler(name: str, seed: int):
    import optuna

    if name == "enes":
        from enes.integrations.optuna import EnesSampler

        return EnesSampler(seed=seed)
    makers = {
        "cma": lambda: optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False),
        "tpe": lambda: optuna.samplers.TPESampler(seed=seed),
        "gp": lambda: optuna.samplers.GPSampler(seed=seed),
        "random": lambda: optuna.samplers.RandomSampler(seed=seed),
    }
    return makers[name]()


def run(names: list[str], tasks: list[str], trials: int) -> None:
    import optuna
    from tasks import TASKS

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    done = {(row["task"], row["sampler"], row["seed"]) for row in columns.read(RAW) if str(trials) in row["best"]}
    for task in tasks:
        for name in names:
            for seed in SEEDS:
                if (task, name, seed) in done:
                    continue
                study = optuna.create_study(sampler=sampler(name, seed))
                begin = time.perf_counter()
                study.optimize(TASKS[task](seed), n_trials=trials)
                seconds = time.perf_counter() - begin
                best, so_far = float("inf"), []
                for trial in study.trials:
                    best = min(best, trial.value)
                    so_far.append(best)
                row = {
                    "task": task, "sampler": name, "seed": seed,
                    "best": {str(n): so_far[n - 1] for n in BUDGETS if n <= trials},
                    "seconds": round(seconds, 2), "optuna": optuna.__version__,
                }  # fmt: skip
                columns.write(RAW, [*columns.read(RAW), row])
                print(task, name, seed, *(f"{so_far[n - 1]:.5g}" for n in BUDGETS if n <= trials), f"{seconds:.1f} s", flush=True)


def table() -> None:
    from tasks import TASKS

    found = columns.read(RAW)
    tasks = [name for name in TASKS if any(row["task"] == name for row in found)]
    print("| task | trials | " + " | ".join(NAMES) + " | enes / best |\n|---|---|" + "---|" * (len(NAMES) + 1))
    for task in tasks:
        for n in BUDGETS:
            medians = {}
            for name in NAMES:
                values = {
                    row["seed"]: row["best"][str(n)]
                    for row in found
                    if (row["task"], row["sampler"]) == (task, name) and str(n) in row["best"]
                }
                if len(values) == len(SEEDS):
                    medians[name] = statistics.median(values.values())
            ratio = medians.get("enes", float("nan")) / min(medians.values())
            cells = [f"{medians[name]:.4g}" if name in medians else "not run" for name in NAMES]
            verdict = "first" if ratio == 1 else f"{ratio:.3f}" + ("" if ratio <= 1.05 else ", behind")
            print(f"| {task} | {n} | " + " | ".join(cells) + f" | {verdict} |")


def timed() -> None:
    """Processor seconds for each 500 trials in ten dimensions, and with a categorical parameter that decides on another."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def rosenbrock(trial):
        x = [trial.suggest_float(f"x{i}", -5, 5) for i in range(10)]
        return sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(9))

    def branches(trial):
        kind = trial.suggest_categorical("kind", ["a", "b", "c"])
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y" + kind, 0, 1)
        return (x - 0.3) ** 2 + (y - 0.2) ** 2 + "abc".index(kind)

    found = {}
    for objective in (rosenbrock, branches):
        study = optuna.create_study(sampler=sampler("enes", 1))
        found[objective.__name__] = []
        for _ in range(4):
            begin = time.process_time()
            study.optimize(objective, n_trials=500)
            found[objective.__name__].append(round(time.process_time() - begin, 2))
    (HERE / "time.json").write_text(json.dumps(found) + "\n")
    print(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table", "time"])
    parser.add_argument("--samplers", default=",".join(NAMES))
    parser.add_argument("--tasks", default=None)
    parser.add_argument("--trials", type=int, default=max(BUDGETS), choices=BUDGETS)
    given = parser.parse_args()
    if given.what == "table":
        table()
    elif given.what == "time":
        timed()
    else:
        from tasks import TASKS

        run(given.samplers.split(","), given.tasks.split(",") if given.tasks else list(TASKS), given.trials)
