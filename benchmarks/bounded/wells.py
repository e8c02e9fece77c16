"""Many basins without a trend: the lowest of wells of random place, depth and shape, rotated, in a box.

`.venv/bin/python benchmarks/bounded/wells.py [RUNS]` (after `pip install nlopt==2.11.0` into .venv) compares enes with NLopt's NEWUOA
from random starts, both with all defaults, and writes wells.json.gz and wells.md next to itself. The family is that of
`cargo reproduce landscapes` (`basins.rs`), drawn anew for every run. `--seed S --show` is for development.
"""

import argparse
import gzip
import json
from pathlib import Path

import nlopt
import numpy as np

import enes

HERE = Path(__file__).parent
SEED, CLOSE, BUDGET, HALF = 20261118, 1e-6, 2000, 8.0


class EnoughError(Exception):
    """The run is solved, or its budget is spent."""


def landscape(kind, d, rng):
    """Wells of which the best, of value 0, lies within 3 of the centre."""
    spread, count = rng.uniform(0, 1.5), int(rng.integers(3, 13)) + 1
    places, bottoms = rng.uniform(-4, 4, (count, d)), rng.uniform(*((0.05, 0.6) if kind == "peaks" else (0.1, 1.0)), count)
    places[0], bottoms[0] = 0.0, 0.0
    axes = 10 ** (rng.uniform(-0.5, 0.3, (count, 1)) + rng.uniform(0, spread, (count, d)))
    powers = rng.uniform(0.4, 1.0, count)
    shift, q = rng.uniform(-3, 3, d), np.linalg.qr(rng.standard_normal((d, d)))[0]

    def function(x):
        y = q @ (np.asarray(x) - shift)
        away = (axes * (y - places) ** 2).mean(axis=1)
        if kind == "peaks":
            return float((bottoms - (1 - bottoms) * np.expm1(-0.5 * away)).min())
        return float((bottoms + away**powers).min())

    return function


def ours(f, d, budget, rng, _over):
    enes.minimize(f, bounds=[(-HALF, HALF)] * d, rng=int(rng.integers(2**31)), maxfevals=budget)


def newuoa(f, d, budget, rng, over):
    while not over():
        search = nlopt.opt(nlopt.LN_NEWUOA_BOUND, d)
        search.set_lower_bounds(-HALF)
        search.set_upper_bounds(HALF)
        search.set_min_objective(lambda x, _: f(x))
        search.set_xtol_rel(1e-8)
        search.set_maxeval(budget)
        try:
            search.optimize(rng.uniform(-HALF, HALF, d))
        except (RuntimeError, ValueError, EnoughError):
            pass  # another start, unless that was the end


METHODS = {"enes": ours, "NEWUOA, random starts": newuoa}


def run(method, kind, d, number, seed):
    rng = np.random.default_rng([seed, number, d])
    function, state = landscape(kind, d, rng), {"calls": 0, "solved": None}

    def over():
        return state["calls"] >= BUDGET * d or state["solved"] is not None

    def counted(x):
        if over():
            raise EnoughError
        state["calls"] += 1
        value = function(x)
        if value <= CLOSE:
            state["solved"] = state["calls"]
            raise EnoughError
        return value

    try:
        METHODS[method](counted, d, BUDGET * d, rng, over)
    except EnoughError:
        pass
    return {"method": method, "kind": kind, "d": d, "run": number, **state}


def table(records):
    lines = ["| landscape | d | " + " | ".join(METHODS) + " |", "|---" * (2 + len(METHODS)) + "|"]
    for kind, d in dict.fromkeys((r["kind"], r["d"]) for r in records):
        cells = []
        for method in METHODS:
            rows = [r for r in records if (r["method"], r["kind"], r["d"]) == (method, kind, d)]
            hits = sum(r["solved"] is not None for r in rows)
            expected = f", {sum(r['calls'] for r in rows) // hits}" if hits else ""
            cells.append(f"{hits}/{len(rows)}{expected}")
        lines.append(f"| {kind} | {d} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=25)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    cells = [(m, k, d) for m in METHODS for k in ("peaks", "wells") for d in (2, 5, 10)]
    records = [run(*cell, i, given.seed) for cell in cells for i in range(given.runs)]
    if not given.show:
        (HERE / "wells.json.gz").write_bytes(gzip.compress(json.dumps(records).encode(), mtime=0))
        (HERE / "wells.md").write_text(table(records))
    print(table(records))


if __name__ == "__main__":
    main()
