"""Many dimensions: enes and what people use there, on policies, rotated functions and functions of up to 100,000 coordinates.

`cargo reproduce many-dimensions` (after `cargo xtask python`, which makes .venv with enes and pinned peers) writes the runs of
each part, PART.json.xz, and table.md next to this file; runs that are there are not made again. CR-FM-NES, SNES and OpenES need
requirements.txt, too, and are left out without it.
Methods follow each other on the same problem, so that their times are of the same hour. `--quick` is a glance of a minute that
writes nothing.
"""

import argparse
import os
import sys
import time
import warnings
import zlib
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import functions  # noqa: E402
import natural  # noqa: E402
import policies  # noqa: E402
import records  # noqa: E402
import solvers  # noqa: E402
import tables  # noqa: E402

HERE = Path(__file__).parent
SEED = 20261117

#: Weights of a policy, about.
SIZES = [41, 161, 521, 2000]

#: Seconds of processor time after which a run ends, whatever it has reached.
PATIENCE = {"policies": 120, "rotated": 240, "large": 5}


def cells(given):
    """Every problem: part, name, dimension, scale, budget, and the methods for it."""
    for i in (0,) if given.quick else [SIZES.index(size) for size in given.policies]:
        for name, (_, dimensions) in policies.POLICIES.items():
            further = natural.METHODS if i < 3 else ["pycma diagonal"]
            methods = ["enes", "pycma", "SepCMA", "SPSA", *further]
            for sigma in (0.5,) if given.quick else (0.5, 0.1):
                yield "policies", name, dimensions[i], sigma, 300 if given.quick else 2000, methods
    for d in (80,) if given.quick else given.rotated:
        for name in ("sphere", "rosenbrock") if given.quick else functions.ROTATED:
            methods = ["pycma diagonal", "L-BFGS-B", *(natural.METHODS if d <= 160 else ())]
            for many, who in ((500, ["enes", "pycma"]), (100, methods)):
                yield "rotated", name, d, 2.0, (30 if given.quick else many) * d, who
    for d in (1000,) if given.quick else given.large:
        for name in ("sphere",) if given.quick else functions.LARGE:
            full = ["pycma"] if d <= 1000 else []
            methods = ["enes", *full, "SepCMA", "pycma diagonal", "pycma VD", *natural.METHODS]
            yield "large", name, d, 2.0, 30 * d, methods


def one(part, name, d, sigma, budget, method, number, seconds):
    """A run, as a record."""
    seed = [SEED, number, zlib.crc32(f"{part} {name} {d}".encode())]
    if part == "policies":
        rows, x0 = policies.make(name, d, seed)
    else:
        rows, x0, _ = functions.make(part, name, d, seed)
    first = float(rows(x0[None])[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f, stop = solvers.run(method, rows, x0, sigma, 1 + number + SEED % 1000, budget, seconds)
    return {"part": part, "problem": name, "d": d, "sigma": sigma, "method": method, "run": number, "budget": budget,
            "first": float(f"{first:.6g}"), "evaluations": f.count, "best": float(f"{f.best:.6g}"), "stop": stop,
            "own": round(f.own(), 4), "objective": round(f.inside, 4), "curve": f.curve}  # fmt: skip


def key(r):
    return tuple(r[name] for name in ("part", "problem", "d", "sigma", "method", "run", "budget"))


def read():
    return [r for part in PATIENCE for r in records.read(part)]


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def chosen(named):
    """The methods that were named, or all that are installed."""
    wanted = named.split(",") if named else list(solvers.METHODS)
    absent = [method for method in natural.missing() if method in wanted]
    if absent:
        said = f"not installed: {', '.join(absent)}; pip install -r {HERE / 'requirements.txt'} makes them available"
        print(said, file=sys.stderr)
        if named:
            sys.exit(2)
    return [method for method in wanted if method not in absent]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="starts of each problem")
    parser.add_argument("--parts", default="policies,rotated,large")
    parser.add_argument("--policies", type=numbers, default=SIZES, help="weights of policies, about")
    parser.add_argument("--rotated", type=numbers, default=[80, 160, 320], help="dimensions of rotated functions")
    parser.add_argument("--large", type=numbers, default=[640, 1000, 2000, 10_000, 100_000], help="dimensions of large ones")
    parser.add_argument("--methods", default="", help="run these only")
    parser.add_argument("--again", action="store_true", help="make runs of --methods again that are there")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no run after so many minutes")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    begin, wanted = time.monotonic(), chosen(given.methods)
    runs = [] if given.quick else read()
    known = set() if given.again else {key(r) for r in runs}
    for number in range(1 if given.quick else given.runs):
        for part, name, d, sigma, budget, methods in cells(given):
            for method in methods if part in given.parts.split(",") else ():
                made = {"part": part, "problem": name, "d": d, "sigma": sigma, "method": method, "run": number, "budget": budget}
                late = time.monotonic() - begin > 60 * given.minutes
                if key(made) in known or method not in wanted or late:
                    continue
                record = one(part, name, d, sigma, budget, method, number, 3 if given.quick else PATIENCE[part])
                runs = [r for r in runs if key(r) != key(record)] + [record]
                print(f"{part} {name} d = {d} sigma {sigma} {method}: {record['best']:.4g} after {record['evaluations']}, "
                      f"{1e6 * record['own'] / max(1, record['evaluations']):.0f} us, {record['stop']}", flush=True)  # fmt: skip
            if not given.quick and part in given.parts.split(","):
                records.write(part, [r for r in runs if r["part"] == part])
    text = tables.text(runs if given.quick else read())
    if not given.quick:
        (HERE / "table.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
