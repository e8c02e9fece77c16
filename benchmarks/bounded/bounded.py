"""Classical functions in boxes: enes with nothing but the box and a budget, compared with searches that people use.

`.venv/bin/python benchmarks/bounded/bounded.py [RUNS]` (after `cargo xtask python`, which makes .venv with pinned peers)
writes bounded.json.xz and table.md next to itself. A run is solved when a value within 1e-6 of the least was evaluated; none
is told the least value. `--methods NAME,...` runs these again and leaves the others as they are. `--seed S`, `--only NAME,...` and
`--show`, which writes nothing, are for development.
"""

import argparse
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import cma  # noqa: E402
import numpy as np  # noqa: E402
from problems import PROBLEMS  # noqa: E402
from scipy import optimize  # noqa: E402

import enes  # noqa: E402

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

HERE = Path(__file__).parent
SEED, CLOSE, SMALL, LARGE = 20261116, 1e-6, 200, 2000


class EnoughError(Exception):
    """The run is solved, or its budget is spent."""


class Counted:
    """A function that counts, and ends the run; what it returns is plain."""

    def __init__(self, problem):
        self.problem, self.calls, self.best, self.solved = problem, 0, np.inf, None
        self.budget = LARGE * problem.d

    def __call__(self, x):
        if self.calls >= self.budget:
            raise EnoughError
        self.calls += 1
        value = float(self.problem.function(np.asarray(x)))
        self.best = min(self.best, value)
        if value <= self.problem.least + CLOSE:
            self.solved = self.calls
            raise EnoughError
        return value


def ours(f, box, rng):
    enes.minimize(f, bounds=box, rng=int(rng.integers(2**31)), maxfevals=f.budget)


def bipop(f, box, rng):
    width = box[:, 1] - box[:, 0]
    options = {"bounds": list(box.T), "verbose": -9, "seed": int(rng.integers(1, 2**31)), "maxfevals": f.budget,
               "CMA_stds": width / 4}  # fmt: skip
    cma.fmin2(f, lambda: rng.uniform(*box.T), 1.0, options, restarts=20, bipop=True)


def annealing(f, box, rng):
    while True:
        optimize.dual_annealing(f, box, rng=rng, maxfun=f.budget)


def evolution(f, box, rng):
    while True:
        optimize.differential_evolution(f, box, rng=rng, maxiter=10**6)


def descent(f, box, rng):
    while True:
        optimize.minimize(f, rng.uniform(*box.T), method="L-BFGS-B", bounds=box)


METHODS = {"enes": ours, "dual_annealing": annealing, "L-BFGS-B, restarts": descent, "pycma BIPOP": bipop,
           "differential_evolution": evolution}  # fmt: skip


def run(task):
    method, name, number, seed = task
    problem = PROBLEMS[name]
    f, start = Counted(problem), time.perf_counter()
    rng = np.random.default_rng([seed, number, list(PROBLEMS).index(name)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            METHODS[method](f, problem.box, rng)
        except EnoughError:
            pass
    return {"method": method, "problem": name, "d": problem.d, "run": number, "solved": f.solved, "calls": f.calls,
            "left": columns.rounded(f.best - problem.least, 3), "seconds": round(time.perf_counter() - start, 3)}  # fmt: skip


def count(records, times, dimensions):
    """Problems that were solved, each counted by the share of its runs."""
    chosen = [r for r in records if r["d"] in dimensions]
    problems = {r["problem"] for r in chosen}
    share = {p: [r["solved"] is not None and r["solved"] <= times * r["d"] for r in chosen if r["problem"] == p]
             for p in problems}  # fmt: skip
    return sum(float(np.mean(s)) for s in share.values()), len(problems)


GROUPS = {"all": range(2, 11), "d = 2": [2], "d = 5": [5], "d = 10": [10], "d = 3, 4, 6, 8": [3, 4, 6, 8]}


def table(records):
    methods = [m for m in METHODS if any(r["method"] == m for r in records)]
    lines = ["| problems solved | budget | " + " | ".join(methods) + " |", "|---" * (2 + len(methods)) + "|"]
    for group, dimensions in GROUPS.items():
        for times in (SMALL, LARGE):
            counts = [count([r for r in records if r["method"] == m], times, dimensions) for m in methods]
            best = max(round(c[0], 1) for c in counts)
            cells = [f"**{c[0]:.1f}**" if round(c[0], 1) == best else f"{c[0]:.1f}" for c in counts]
            lines.append(f"| {group}, of {counts[0][1]} | {times} d | " + " | ".join(cells) + " |")
    lines += ["", "| problem | " + " | ".join(methods) + " |", "|---" * (1 + len(methods)) + "|"]
    for name in dict.fromkeys(r["problem"] for r in records):
        cells = []
        for m in methods:
            solved = [r["solved"] for r in records if r["method"] == m and r["problem"] == name]
            hits = sorted(s for s in solved if s is not None)
            cells.append(f"{len(hits)}/{len(solved)}" + (f", {int(np.median(hits))}" if hits else ""))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=10)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", default="")
    parser.add_argument("--methods", default=",".join(METHODS).replace(", restarts", ""))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    wanted = [m for m in METHODS if m.split(",")[0] in given.methods.split(",")]
    names = [n for n in PROBLEMS if not given.only or n in given.only.split(",")]
    file = HERE / "bounded.json.xz"
    there = [] if given.show else columns.read(file)
    records = [r for r in there if r["method"] not in wanted]
    with ProcessPoolExecutor(given.jobs) as pool:
        for method in wanted:
            records += pool.map(run, [(method, n, i, given.seed) for n in names for i in range(given.runs)])
            text = table(records)
            if not given.show:
                columns.write(file, records)
                (HERE / "table.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
