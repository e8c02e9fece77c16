"""Mixed integers: area under the curve and success of enes and its peers on random families.

integers.py [RUNS] [--methods a,b] [--dimensions 5,10,20]
"""

import argparse
import math
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

FUNCTIONS = ("sphere", "ellipsoid", "rotated", "rosenbrock", "l1", "cosine", "separate")
SHARES = (0.2, 0.5, 0.8, 1.0)
TARGETS = 10.0 ** np.arange(2, -7, -1)
BUDGET = 200  # times d
SEED = 20261117


class Problem:
    """One member: integers of 2 to 100 values at random places, an optimum that is known."""

    def __init__(self, name, d, share, run):
        rng = np.random.default_rng([SEED, FUNCTIONS.index(name), d, int(10 * share), run])
        self.name, self.d = name, d
        self.integer = np.zeros(d, bool)
        self.integer[rng.permutation(d)[: round(share * d)]] = True
        values = np.round(np.exp(rng.uniform(math.log(2), math.log(100), d)))
        self.lower = np.where(self.integer, 0.0, -5.0)
        self.upper = np.where(self.integer, values - 1, 5.0)
        whole = np.floor(rng.random(d) * values)
        # In "separate" the optimum of the real function lies between whole numbers.
        whole += 0.9 * (rng.random(d) - 0.5) if name == "separate" else 0.0
        self.optimum = np.where(self.integer, whole, rng.uniform(-4, 4, d))
        self.scale = np.where(self.integer, np.maximum((values - 1) / 10, 0.3), 1.0)
        self.rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
        best = np.clip(np.where(self.integer, np.round(self.optimum), self.optimum), self.lower, self.upper)
        self.least = self.value(best)

    def value(self, x):
        y = (np.asarray(x, float) - self.optimum) / self.scale
        powers = np.arange(self.d) / (self.d - 1)
        if self.name == "sphere":
            return float(y @ y)
        if self.name in ("ellipsoid", "separate"):
            return float(1e4**powers @ y**2)
        if self.name == "rotated":
            return float(1e2**powers @ (self.rotation @ y) ** 2)
        if self.name == "rosenbrock":
            a = 0.3 * y + 1
            return float((100 * (a[1:] - a[:-1] ** 2) ** 2 + (a[:-1] - 1) ** 2).sum())
        if self.name == "l1":
            return float(10**powers @ np.abs(y))
        return float((y**2 + 1 - np.cos(4 * y)).sum())


class Done(Exception):
    """Solved, or out of evaluations."""


class Curve:
    """Counts evaluations, keeps when each target was reached."""

    def __init__(self, problem, budget):
        self.problem, self.budget, self.count, self.best = problem, budget, 0, math.inf
        self.reached = [None] * len(TARGETS)

    def __call__(self, x):
        if self.count == self.budget:
            raise Done
        x = np.where(self.problem.integer, np.clip(np.round(x), self.problem.lower, self.problem.upper), x)
        value = self.problem.value(x)
        self.count += 1
        self.best = min(self.best, value - self.problem.least)
        for i, target in enumerate(TARGETS):
            if self.reached[i] is None and self.best <= target * (1 + 1e-9):
                self.reached[i] = self.count
        if self.reached[-1] is not None:
            raise Done
        return value

    def record(self):
        whole = math.log(self.budget)
        area = sum(1 - math.log(n) / whole for n in self.reached if n is not None) / len(TARGETS)
        gap = columns.rounded(self.best, 3)
        return {"area": columns.rounded(area, 5), "evaluations": self.reached[-1], "gap": gap}


def enes_integer(p, f, seed):
    import enes

    enes.minimize(f, bounds=list(zip(p.lower, p.upper, strict=True)), integer=list(p.integer), rng=seed, maxfevals=f.budget)


def enes_by_hand(p, f, seed):
    import enes

    half = 0.4999 * p.integer
    enes.minimize(f, bounds=list(zip(p.lower - half, p.upper + half, strict=True)), rng=seed, maxfevals=f.budget)


def pycma(p, f, seed):
    import cma

    half = 0.4999 * p.integer
    width = p.upper - p.lower
    options = {
        "bounds": [list(p.lower - half), list(p.upper + half)], "integer_variables": list(np.flatnonzero(p.integer)),
        "CMA_stds": list(width / 4), "seed": seed + 1, "verbose": -9,
    }  # fmt: skip
    while True:
        cma.fmin2(f, list((p.lower + p.upper) / 2), 1.0, options, bipop=True, restarts=9)
        options["seed"] += 100


def cmawm(p, f, seed):
    from cmaes import CMAwM

    steps = np.where(p.integer, 1.0, 0.0)
    bounds = np.column_stack([p.lower, p.upper])
    rng = np.random.default_rng(seed)
    population, start = None, (p.lower + p.upper) / 2
    while True:
        width = p.upper - p.lower
        # One deviation for all: ranges are made equal by a covariance.
        es = CMAwM(start, 1.0, bounds, steps, cov=np.diag((width / 4) ** 2), seed=int(rng.integers(1 << 30)), population_size=population)
        while not es.should_stop():
            told = []
            for _ in range(es.population_size):
                evaluated, asked = es.ask()
                told.append((asked, f(evaluated)))
            es.tell(told)
        population, start = 2 * es.population_size, rng.uniform(p.lower, p.upper)


def differential_evolution(p, f, seed):
    from scipy.optimize import differential_evolution as evolve

    bounds = list(zip(p.lower, p.upper, strict=True))
    while True:
        evolve(f, bounds, integrality=p.integer, seed=seed, polish=False, maxiter=10**6, tol=1e-12)
        seed += 1000


METHODS = {
    "enes": enes_integer, "enes, rounded by hand": enes_by_hand, "pycma": pycma, "CMAwM": cmawm,
    "DE": differential_evolution,
}  # fmt: skip


def run(method, name, d, share, number):
    problem = Problem(name, d, share, number)
    curve = Curve(problem, BUDGET * d)
    try:
        METHODS[method](problem, curve, number)
    except Done:
        pass
    except ImportError:
        raise
    except Exception as error:  # a peer that fails has failed on this problem
        return {**curve.record(), "error": repr(error)[:200]}
    return curve.record()


def table(records):
    methods = [m for m in METHODS if any(r["method"] == m for r in records)]
    lines = ["| d | integers | " + " | ".join(methods) + " |", "|---" * (len(methods) + 2) + "|"]
    cells = {}
    for r in records:
        cells.setdefault((r["d"], r["share"], r["method"]), []).append(r)

    def text(found):
        if not found:
            return ""
        return f"{np.mean([r['area'] for r in found]):.3f}, {100 * np.mean([r['evaluations'] is not None for r in found]):.0f} %"

    for d, share in sorted({(r["d"], r["share"]) for r in records}):
        lines.append(f"| {d} | {share:.0%} | " + " | ".join(text(cells.get((d, share, m), [])) for m in methods) + " |")
    for name in FUNCTIONS:
        rows = [r for r in records if r["function"] == name]
        if rows:
            each = (text([r for r in rows if r["method"] == m]) for m in methods)
            lines.append(f"| all | {name} | " + " | ".join(each) + " |")
    every = (text([r for r in records if r["method"] == m]) for m in methods)
    lines.append("| all | all | " + " | ".join(every) + " |")
    return "Area under the curve and share of runs solved.\n\n" + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=15)
    parser.add_argument("--methods", default=",".join(METHODS).replace("enes, rounded", "enes rounded"))
    parser.add_argument("--dimensions", default="5,10,20")
    given = parser.parse_args()
    methods = [m for m in METHODS if m.replace("enes, rounded", "enes rounded") in given.methods.split(",")]
    folder = Path(__file__).parent
    path = folder / "integers.json.xz"
    records = [r for r in columns.read(path) if r["method"] not in methods]
    for d in map(int, given.dimensions.split(",")):
        for method in methods:
            for name in FUNCTIONS:
                for share in SHARES:
                    for number in range(given.runs):
                        place = {"method": method, "function": name, "d": d, "share": share, "run": number}
                        records.append({**place, **run(method, name, d, share, number)})
            print(d, method, flush=True)
            columns.write(path, records)
            (folder / "integers.md").write_text(table(records))


if __name__ == "__main__":
    main()
