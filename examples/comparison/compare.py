"""How many evaluations each tool needs on the real tasks of this folder: enes, pycma, Optuna and scipy.

Every tool gets the same start and scale; those that need a box get the bounds of the task, or the start plus and minus
three scales (the pole: plus and minus 30, as its solution has a weight of 20). A run ends at the value that the task
calls solved. Writes `results.json`, with every run, `table.md`, and a picture; a run that is there is not made again.
"""

import argparse
import json
import platform
import statistics
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import cma
import matplotlib
import numpy as np
import optuna
from scipy.optimize import differential_evolution
from scipy.optimize import minimize as scipy_minimize
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_val_score, train_test_split

import enes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
import _options
import cart_pole
import epidemic
import fit_odes
import hare_lynx
import pendulum
import tune_pid
import tune_sklearn
import wing_section

matplotlib.use("Agg")
import matplotlib.pyplot as plt


class Solved(Exception):
    """The value is good enough, or the budget is spent."""


def pole():
    begin = cart_pole.starts(np.random.default_rng(0), cart_pole.STARTS)
    box = [(-30, 30)] * 4
    return lambda w: cart_pole.roll(np.asarray(w)[None], begin)[0][0], np.zeros(4), 1.0, None, 0.00505, 600, box


def sklearn():
    X, y = load_diabetes(return_X_y=True)
    X, _, y, _ = train_test_split(X, y, test_size=1 / 3, random_state=0)
    folds, low, high = KFold(5, shuffle=True, random_state=0), tune_sklearn.LOW, tune_sklearn.HIGH

    def error(logs):
        return 1 - cross_val_score(tune_sklearn.model(np.asarray(logs)), X, y, cv=folds, scoring="r2").mean()

    return error, (low + high) / 2, (high - low) / 4, list(zip(low, high, strict=True)), 0.4646, 150, None


def task(module, budget):
    return lambda: (module.objective, module.START, module.SIGMA, module.BOUNDS, module.ENOUGH, budget, None)


TASKS = {"hare_lynx": task(hare_lynx, 1000), "epidemic": task(epidemic, 500), "wing_section": task(wing_section, 1000),
         "pendulum": task(pendulum, 1500), "fit_odes": task(fit_odes, 600), "tune_pid": task(tune_pid, 600),
         "cart_pole": pole, "tune_sklearn": sklearn}


def with_optuna(fun, x0, sigma, bounds, box, seed, budget):
    def value(trial):
        return fun([trial.suggest_float(f"x{i}", low, high) for i, (low, high) in enumerate(box)])

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed)).optimize(value, n_trials=budget)


def with_pycma(fun, x0, sigma, bounds, box, seed, budget):
    scales = np.broadcast_to(sigma, len(x0))
    options = {"seed": seed, "verbose": -9, "maxfevals": budget, "CMA_stds": scales / scales[0]}
    if bounds:
        options["bounds"] = np.array(bounds).T.tolist()
    cma.fmin2(fun, x0, scales[0], options, restarts=9, bipop=True)


def with_nelder_mead(fun, x0, sigma, bounds, box, seed, budget):
    """From the start, and then from points drawn around it."""
    rng, start = np.random.default_rng(seed), x0
    while True:
        corners = np.vstack([start, start + np.diag(np.broadcast_to(sigma, len(x0)) * rng.choice([-1, 1], len(x0)))])
        scipy_minimize(fun, start, method="Nelder-Mead", bounds=bounds, options={"initial_simplex": corners})
        start = np.clip(x0 + sigma * rng.standard_normal(len(x0)), *np.transpose(box))


TOOLS = {
    "enes": lambda f, x, s, bounds, box, seed, n: enes.minimize(f, x, s, bounds=bounds, rng=seed, maxfevals=n),
    "pycma, BIPOP": with_pycma,
    "Optuna, TPE": with_optuna,
    "scipy, differential evolution": lambda f, x, s, bounds, box, seed, n: differential_evolution(
        f, box, rng=seed, polish=False, maxiter=10**6, tol=0),
    "scipy, Nelder-Mead": with_nelder_mead,
}


def run(tool, fun, x0, sigma, bounds, enough, budget, box, seed):
    """Evaluations to the value that is enough, None where the budget did not suffice; and the best value."""
    best, count = np.inf, 0

    def counted(x):
        nonlocal best, count
        value = float(fun(np.asarray(x)))
        best, count = min(best, value), count + 1
        if best <= enough or count >= budget:
            raise Solved
        return value

    x0 = np.asarray(x0, dtype=float)
    wide = 3 * np.broadcast_to(sigma, len(x0))
    box = box or bounds or list(zip(x0 - wide, x0 + wide, strict=True))
    try:
        TOOLS[tool](counted, x0, sigma, bounds, box, seed, budget)
    except Solved:
        pass
    return {"evaluations": count if best <= enough else None, "spent": count, "best": best}


def median(runs, budget):
    """Evaluations, runs that failed counted as the budget; and how many did not fail."""
    solved = [r["evaluations"] for r in runs if r["evaluations"] is not None]
    return statistics.median(solved + [budget] * (len(runs) - len(solved))), len(solved)


def table(results):
    lines = ["| task | " + " | ".join(TOOLS) + " |", "|---" * (len(TOOLS) + 1) + "|"]
    for name, part in results["tasks"].items():
        cells = []
        for tool in TOOLS:
            runs = part["runs"].get(tool, [])
            if runs:
                count, solved = median(runs, part["budget"])
                failed = f" ({solved} of {len(runs)})" if solved < len(runs) else ""
                cells.append(f"{'> ' if 2 * solved < len(runs) else ''}{count:g}{failed}")
            else:
                cells.append("")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def draw(results, file):
    figure, panel = plt.subplots(figsize=(9, 4.5), layout="constrained")
    for i, (tool, color) in enumerate(zip(TOOLS, ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B"], strict=True)):
        for place, part in enumerate(results["tasks"].values()):
            runs = part["runs"].get(tool, [])
            if runs:
                count, solved = median(runs, part["budget"])
                full = 2 * solved >= len(runs)
                look = {"marker": "o" if full else ">", "mfc": color if full else "none", "color": color, "ls": ""}
                panel.plot(count, place + 0.12 * (2 - i), label=tool if place == 0 else None, **look)
    panel.set(xscale="log", xlabel="evaluations, median")
    panel.set_yticks(range(len(results["tasks"])), labels=list(results["tasks"]))
    panel.set_title("Evaluations until solved; an arrow: not within the budget", fontsize="medium")
    panel.invert_yaxis()
    panel.grid(axis="x", alpha=0.3)
    panel.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    _options.save(figure, file, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed and a tiny budget, for tests")
    parser.add_argument("--task", action="append", choices=TASKS, help="only this one; may be given again")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the results")
    options = parser.parse_args()
    warnings.simplefilter("ignore")

    file = options.out / "results.json"
    results = json.loads(file.read_text()) if file.exists() else {"tasks": {}}
    packages = {name: version(name) for name in ("enes-opt", "cma", "optuna", "scipy", "scikit-learn", "numpy")}
    results |= {"versions": {"python": platform.python_version(), **packages}}
    for name in options.task or TASKS:
        fun, x0, sigma, bounds, enough, budget, box = TASKS[name]()
        budget = min(budget, 30) if options.quick else budget
        part = results["tasks"].setdefault(name, {"enough": enough, "budget": budget, "runs": {}})
        for tool in TOOLS:
            runs = part["runs"].setdefault(tool, [])
            for seed in range(len(runs) + 1, (1 if options.quick else options.seeds) + 1):
                runs.append(run(tool, fun, x0, sigma, bounds, enough, budget, box, seed))
            count, solved = median(runs, budget)
            best = min(r["best"] for r in runs)
            print(f"{name:<14} {tool:<30} {count:6g}   {solved} of {len(runs)}   best {best:.5g}", flush=True)
            file.write_text(json.dumps(results) + "\n")
    results["tasks"] = {name: results["tasks"][name] for name in TASKS if name in results["tasks"]}
    for part in results["tasks"].values():
        part["runs"] = {tool: part["runs"][tool] for tool in TOOLS if tool in part["runs"]}
    file.write_text(json.dumps(results) + "\n")
    (options.out / "table.md").write_text(table(results))
    draw(results, options.out / "comparison.png")


if __name__ == "__main__":
    main()
