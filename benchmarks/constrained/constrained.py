"""Problems with constraints: enes compared with COBYQA, SLSQP with finite differences, COBYLA and pycma's augmented Lagrangian.

`.venv/bin/python benchmarks/constrained/constrained.py [RUNS]` (after `cargo xtask python`, which makes .venv with pinned peers)
writes constrained.json.xz and table.md next to itself. A run is solved when a point was evaluated whose value is within 1e-6 (of
max(1, |least|)) of the least and whose largest violation is at most 1e-6; nobody is told the least value. An evaluation is one
point: value and all constraints; a point that is asked again is not counted again. Seeds move the start by a hundredth of the
scale, so that methods without chance have runs that differ.

`--set classical`, `random` or `variants` (batches, failures, noise); `--methods`, `--only NAME,...`, `--show`, which writes
nothing; `--dimensions 5,10`, `--instances 6` for the random ones. With ENES_PROTOTYPE=FILE the function `cq` of that program
takes part.
"""

import argparse
import importlib.util
import os
import sys
import time
import warnings
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import cma  # noqa: E402
import numpy as np  # noqa: E402
from problems import PROBLEMS, families  # noqa: E402
from scipy import optimize  # noqa: E402

import enes  # noqa: E402

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

HERE = Path(__file__).parent
SEED, FEASIBLE, BUDGET = 20261116, 1e-6, 500


class EnoughError(Exception):
    """The run is solved, or its budget is spent."""


class Counted:
    """A problem that counts its points, ends the run, and may fail or be noisy on the way."""

    def __init__(self, problem, rng, failures=0.0, noise=0.0):
        self.problem, self.rng, self.failures, self.noise = problem, rng, failures, noise
        self.budget, self.calls, self.solved, self.known = BUDGET * problem.d, 0, None, {}
        self.best = np.inf
        self.start = problem.x0 + 0.01 * problem.scale * rng.standard_normal(problem.d)
        self.start = np.clip(self.start, *np.array(problem.bounds).T)

    def __call__(self, x):
        x = np.asarray(x, dtype=float)
        key = x.tobytes()
        if key in self.known:
            return self.known[key]
        if self.calls >= self.budget:
            raise EnoughError
        self.calls += 1
        with np.errstate(all="ignore"):
            f, g, h = self.problem.function(x)
        g, h = np.asarray(g, dtype=float), np.asarray(h, dtype=float)
        worst = max([0.0, *g, *np.abs(h)])
        low, high = np.array(self.problem.bounds).T
        inside = (x >= low - 1e-12).all() and (x <= high + 1e-12).all()
        if inside and worst <= FEASIBLE:
            self.best = min(self.best, f)
            # Under noise the tolerance is that of the noise.
            if f <= self.problem.least + max(self.problem.tolerance, 3 * self.noise):
                self.solved = self.calls
                raise EnoughError
        if self.failures and self.rng.random() < self.failures:
            f, g, h = np.nan, np.full_like(g, np.nan), np.full_like(h, np.nan)
        if self.noise:
            f, g, h = (v + self.noise * self.rng.standard_normal(np.shape(v)) for v in (f, g, h))
        self.known[key] = float(f), g, h
        return self.known[key]


def ours(p, rng, **options):
    counts = {"inequalities": p.problem.counts[0], "equalities": p.problem.counts[1]}
    counts = {name: count for name, count in counts.items() if count}
    bounds = None if np.isinf(p.problem.bounds).all() else p.problem.bounds
    enes.minimize(p, p.start, p.problem.scale, bounds=bounds, rng=int(rng.integers(2**31)), maxfevals=p.budget,
                  same_optimum=None, unseen_optima=None, **counts, **options)  # fmt: skip


def ranks(p, rng):
    ours(p, rng, model="rank_only")


def scipys(method, **options):
    def run(p, rng):
        given = []
        if p.problem.counts[0]:
            given.append({"type": "ineq", "fun": lambda x: -p(x)[1]})
        if p.problem.counts[1]:
            given.append({"type": "eq", "fun": lambda x: p(x)[2]})
        if method == "COBYLA":  # it has no equalities: two inequalities each
            given = [{"type": "ineq", "fun": lambda x: np.concatenate([-p(x)[1], p(x)[2], -p(x)[2]])}]
        optimize.minimize(lambda x: p(x)[0], p.start, method=method, bounds=p.problem.bounds, constraints=given,
                          options=options)  # fmt: skip

    return run


def pycma(p, rng):
    def constraints(x):
        _, g, h = p(x)
        return np.concatenate([g, h - 0.5 * FEASIBLE, -h - 0.5 * FEASIBLE])

    bounds = np.array(p.problem.bounds).T
    options = {"verbose": -9, "seed": int(rng.integers(1, 2**31)), "maxfevals": p.budget, "CMA_stds": p.problem.scale}
    if np.isfinite(bounds).any():
        options["bounds"] = [[None if np.isinf(v) else float(v) for v in side] for side in bounds]
    while True:
        cma.fmin_con2(lambda x: p(x)[0], p.start, 1.0, constraints=constraints, find_feasible_first=False,
                      options=options)  # fmt: skip
        options["seed"] += 1


def prototype(p, rng):
    spec = importlib.util.spec_from_file_location("prototype", os.environ["ENES_PROTOTYPE"])
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(Path(os.environ["ENES_PROTOTYPE"]).parent))
    spec.loader.exec_module(module)
    lower, upper = np.array(p.problem.bounds).T

    def both(x):
        f, g, h = p(x)
        return f, np.concatenate([g, h])

    while True:
        module.cq(both, p.start, p.problem.scale, lower, upper, *p.problem.counts, p.budget, seed=int(rng.integers(2**31)))


METHODS = {"enes": ours, "enes rank_only": ranks, "COBYQA": scipys("COBYQA", maxfev=10**6, final_tr_radius=1e-10),
           "SLSQP": scipys("SLSQP", maxiter=1000, ftol=1e-14), "COBYLA": scipys("COBYLA", maxiter=10**6, tol=1e-10),
           "pycma": pycma, "prototype": prototype}  # fmt: skip
VARIANTS = {"serial": ({"batch": 1}, {}), "batch 4": ({"batch": 3}, {}), "batch 8": ({"batch": 7}, {}),
            "10 % failures": ({}, {"failures": 0.1}), "noise 1e-3": ({}, {"noise": 1e-3})}  # fmt: skip


def run(method, problem, number, variant=None):
    key = [SEED, number, sum(map(ord, problem.name))]
    ours_only, disturbed = VARIANTS[variant] if variant else ({}, {})
    p, start = Counted(problem, np.random.default_rng(key), **disturbed), time.perf_counter()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            METHODS[method](p, np.random.default_rng([*key, 1]), **ours_only)
        except EnoughError:
            pass
        except Exception as error:  # a peer that gives up has not solved it
            print(f"{method}, {problem.name}: {type(error).__name__}: {error}")
    return {"method": method if variant is None else f"{method}, {variant}", "problem": problem.name,
            "group": problem.group, "d": problem.d, "run": number, "solved": p.solved, "calls": p.calls,
            "left": None if np.isinf(p.best) else columns.rounded(p.best - problem.least, 3),
            "seconds": round(time.perf_counter() - start, 3)}  # fmt: skip


def cell(records):
    hits = sorted(r["solved"] for r in records if r["solved"] is not None)
    return (f"{len(hits)}/{len(records)}" + (f", {int(np.median(hits))}" if hits else "")) if records else "–"


def table(records):
    methods = list(dict.fromkeys(r["method"] for r in records))
    by = {}
    for r in records:
        by.setdefault((r["method"], r["problem"]), []).append(r)
    lines = []
    classical = list(dict.fromkeys(r["problem"] for r in records if r["group"] == "classical"))
    if classical:
        lines += ["Runs solved of all, and the median of their evaluations:", "",
                  "| problem | " + " | ".join(methods) + " |", "|---" * (1 + len(methods)) + "|"]  # fmt: skip
        for name in classical:
            lines.append(f"| {name} | " + " | ".join(cell(by.get((m, name), [])) for m in methods) + " |")
        share = [np.mean([r["solved"] is not None for n in classical for r in by.get((m, n), [])] or [0.0]) for m in methods]
        lines.append("| **solved** | " + " | ".join(f"{100 * s:.0f} %" for s in share) + " |")
        median = {(m, n): np.median([r["solved"] if r["solved"] is not None else np.inf for r in by.get((m, n), [])] or [np.inf])
                  for m in methods for n in classical}  # fmt: skip
        first = methods[0]
        ratios = []
        for m in methods:
            both = [n for n in classical if np.isfinite(median[first, n]) and np.isfinite(median[m, n])]
            ratios.append(np.exp(np.mean([np.log(median[first, n] / median[m, n]) for n in both])) if both else np.nan)
        lines.append(f"| evaluations of {first} against it, geometric mean where both solve | "
                     + " | ".join(f"{r:.2f}" for r in ratios) + " |")  # fmt: skip
        fewer = [sum(median[first, n] <= median[m, n] for n in classical) for m in methods]
        lines.append(f"| problems on which {first} takes no more | " + " | ".join(f"{n} of {len(classical)}" for n in fewer) + " |")
    groups = list(dict.fromkeys(r["group"] for r in records if r["group"] != "classical"))
    if groups:
        lines += ["", "| random family | " + " | ".join(methods) + " |", "|---" * (1 + len(methods)) + "|"]
        for group in groups:
            rows = [[r for r in records if r["group"] == group and r["method"] == m] for m in methods]
            lines.append(f"| {group} | " + " | ".join(cell(row) for row in rows) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=15)
    parser.add_argument("--set", default="classical", choices=["classical", "random", "variants"])
    parser.add_argument("--only", default="")
    parser.add_argument("--methods", default=",".join(m for m in METHODS if m != "prototype" or "ENES_PROTOTYPE" in os.environ))
    parser.add_argument("--dimensions", default="5,10,20")
    parser.add_argument("--instances", type=int, default=6)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    problems = list(PROBLEMS.values())
    if given.set == "random":
        problems, given.runs = list(families([int(d) for d in given.dimensions.split(",")], given.instances)), 1
    problems = [p for p in problems if not given.only or p.name in given.only.split(",")]
    wanted = [m for m in METHODS if m in given.methods.split(",")]
    tasks = [(m, None) for m in wanted] if given.set != "variants" else [("enes", v) for v in VARIANTS]
    stem = "constrained" if given.set == "classical" else given.set
    file = HERE / f"{stem}.json.xz"
    there = [] if given.show else columns.read(file)
    names = {p.name for p in problems}
    labels = {m if v is None else f"{m}, {v}" for m, v in tasks}
    records = [r for r in there if r["method"] not in labels or r["problem"] not in names]
    for method, variant in tasks:
        records += [run(method, p, i, variant) for p in problems for i in range(given.runs)]
        order = [*METHODS, *(f"{m}, {v}" for m, v in tasks)] + [r["method"] for r in records]
        records.sort(key=lambda r: order.index(r["method"]))
        text = table(records)
        if not given.show:
            columns.write(file, records)
            (HERE / f"{stem}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
