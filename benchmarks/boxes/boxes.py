"""Unimodal functions in boxes: what a box costs enes, and what BOBYQA takes.

`.venv/bin/pip install nlopt==2.11.0`, then `.venv/bin/python benchmarks/boxes/boxes.py [RUNS]` (after `cargo xtask python`) writes
boxes.json.xz and boxes.md next to itself. Functions are rotated at random; a run is solved when a value within 1e-8 of the least was
evaluated. `free` has no box; `inside` has one whose sides are 2 to 5 away from the optimum; `faces` has a third of the lower
and a third of the upper bounds through the optimum, and a slope of 0.3 to 1.3 that pushes against each of them. One point at a
time: one sample beside the step for enes. `--show` writes nothing.
"""

import argparse
import sys
from pathlib import Path

import nlopt
import numpy as np

import enes

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

HERE = Path(__file__).parent
SEED, BUDGET, PRECISION = 20261117, 1000, 1e-8


def scales(d, decades):
    return 10.0 ** (decades * np.arange(d) / max(d - 1, 1))


FUNCTIONS = {
    "sphere": lambda y: y @ y,
    "schwefel": lambda y: (np.cumsum(y) ** 2).sum(),
    "cigar": lambda y: y[0] ** 2 + 1e6 * (y[1:] @ y[1:]),
    "tablet": lambda y: 1e6 * y[0] ** 2 + y[1:] @ y[1:],
    "ellipsoid": lambda y: scales(len(y), 6) @ y**2,
    "diffpow": lambda y: (np.abs(y) ** (2 + 10 * np.arange(len(y)) / max(len(y) - 1, 1))).sum(),
    "quartic": lambda y: (y @ y + (y[0] - 0.5 * y.sum()) ** 2) ** 2 + y @ y,
    "rosenbrock": lambda y: (100 * (y[1:] + 1 - (y[:-1] + 1) ** 2) ** 2 + y[:-1] ** 2).sum(),
    "logistic": lambda y: np.logaddexp(0, scales(len(y), 1) * y).sum() + np.logaddexp(0, -scales(len(y), 1) * y).sum() - 2 * len(y) * np.log(2),
}  # fmt: skip
KINDS = ("free", "inside", "faces")


class EnoughError(Exception):
    """The run is solved, or its budget is spent."""


class Boxed:
    """One problem: a rotated function around its optimum, a box, a start, and a count of evaluations."""

    def __init__(self, function, kind, d, number):
        rng = np.random.default_rng([SEED, d, number, sum(map(ord, function))])
        self.function, self.calls, self.solved = FUNCTIONS[function], 0, None
        self.optimum = rng.standard_normal(d)
        self.rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
        away = rng.standard_normal(d)
        start = self.optimum + away / np.linalg.norm(away)
        below, above = rng.uniform(2, 5, d), rng.uniform(2, 5, d)
        self.slope = np.zeros(d)
        if kind == "faces":
            turn = np.arange(d) % 3
            below[turn == 0], above[turn == 1] = 0, 0
            self.slope = np.where(turn == 0, 1.0, np.where(turn == 1, -1.0, 0.0)) * rng.uniform(0.3, 1.3, d)
        self.low, self.high = self.optimum - below, self.optimum + above
        self.bounded = kind != "free"
        self.start = np.clip(start, self.low, self.high) if self.bounded else start
        self.limit = BUDGET * d

    def __call__(self, x, *_):
        y = np.asarray(x) - self.optimum
        value = float(self.function(self.rotation @ y) + self.slope @ y)
        self.calls += 1
        if value <= PRECISION:
            self.solved = self.calls
            raise EnoughError
        if self.calls >= self.limit:
            raise EnoughError
        return value


def ours(problem, rng):
    bounds = {"bounds": list(zip(problem.low, problem.high))} if problem.bounded else {}
    enes.minimize(problem, problem.start, 1.0, batch=1, restarts="off", rng=rng, **bounds)


def bobyqa(problem, rng):
    opt = nlopt.opt(nlopt.LN_BOBYQA, len(problem.start))
    if problem.bounded:
        opt.set_lower_bounds(problem.low)
        opt.set_upper_bounds(problem.high)
    opt.set_min_objective(problem)
    opt.set_initial_step(0.5)
    opt.set_xtol_rel(1e-14)
    opt.optimize(problem.start)


METHODS = {"enes": ours, "BOBYQA": bobyqa}


def run(method, function, kind, d, number):
    problem = Boxed(function, kind, d, number)
    try:
        METHODS[method](problem, number + 1)
    except EnoughError:
        pass
    except Exception as error:  # a peer that gives up has not solved it
        if method == "enes":
            raise
        print(f"{method}, {function}: {error}")
    return {"method": method, "function": function, "kind": kind, "d": d, "run": number, "solved": problem.solved}


def table(records):
    def cell(method, function, kind, d):
        found = [r["solved"] for r in records
                 if (r["method"], r["function"], r["kind"], r["d"]) == (method, function, kind, d)]  # fmt: skip
        hits = [n for n in found if n is not None]
        if not found:
            return "–"
        return f"{int(np.median(hits))}" + ("" if len(hits) == len(found) else f" ({len(hits)}/{len(found)})") if hits else "none"

    methods = list(dict.fromkeys(r["method"] for r in records))
    heads = [f"{m}, {k}" for m in methods for k in KINDS]
    lines = ["Median evaluations of the runs that were solved; in brackets how many, where not all.", "",
             "| d | function | " + " | ".join(heads) + " |", "|---" * (2 + len(heads)) + "|"]  # fmt: skip
    for d in sorted({r["d"] for r in records}):
        for f in FUNCTIONS:
            lines.append(f"| {d} | {f} | " + " | ".join(cell(m, f, k, d) for m in methods for k in KINDS) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=15)
    parser.add_argument("--dimensions", default="2,5,10,20")
    parser.add_argument("--methods", default="enes,BOBYQA")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    records = [
        run(m, f, k, int(d), i)
        for m in given.methods.split(",")
        for d in given.dimensions.split(",")
        for f in FUNCTIONS
        for k in KINDS
        for i in range(given.runs)
    ]
    text = table(records)
    if not given.show:
        columns.write(HERE / "boxes.json.xz", records)
        (HERE / "boxes.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
