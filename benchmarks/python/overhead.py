"""What Python adds: ask + tell compared with pycma, a vectorized run compared with pycma's, import time, wheel size.

Run `cargo xtask python` once (it makes .venv and the wheel), then
`.venv/bin/python benchmarks/python/overhead.py`; writes results.json next to itself and prints a table.
Blocks of the two libraries alternate; CPU time of the process; the objective's own time is subtracted.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import cma  # noqa: E402
import numpy as np  # noqa: E402

import enes  # noqa: E402

HERE = Path(__file__).parent
BLOCKS = 15


def rows(X):
    return (X**2).sum(axis=1)


def ours(d, n, strategy):
    off = dict.fromkeys(["tolx", "tolfun", "tolfunhist", "tolstagnation", "tolfacupx", "tolconditioncov"])
    # A refresh rate of 1: every candidate is new, as pycma's are.
    published = {"refresh_rate": 1.0} if strategy == "published" else {"model": "rank_only"}
    return enes.Optimizer(np.ones(d), 1.0, population=n, rng=1, strategy=strategy, noeffect=False, **published, **off)


def theirs(d, n):
    options = {"popsize": n, "verbose": -9, "seed": 1, "tolx": 0, "tolfun": 0, "tolfunhist": 0, "tolstagnation": 0}
    return cma.CMAEvolutionStrategy(np.ones(d), 1.0, options)


def per_candidate(es, generations, vectorized):
    """CPU microseconds per candidate, the objective's own time taken off."""
    inside = 0.0
    count = 0
    start = time.process_time()
    for _ in range(generations):
        X = es.ask()
        count += len(X)
        began = time.process_time()
        values = rows(X if vectorized else np.asarray(X))
        inside += time.process_time() - began
        es.tell(values) if vectorized else es.tell(X, values)
    return 1e6 * (time.process_time() - start - inside) / count


def side_by_side(d, n, generations, strategy):
    mine, peer = [], []
    for _ in range(BLOCKS):
        mine.append(per_candidate(ours(d, n, strategy), generations, True))
        peer.append(per_candidate(theirs(d, n), generations, False))
    ratio = [a / b for a, b in zip(mine, peer)]
    quartiles = statistics.quantiles(ratio, n=4)
    return {
        "d": d,
        "population": n,
        "strategy": strategy,
        "enes_us": statistics.median(mine),
        "pycma_us": statistics.median(peer),
        "ratio": statistics.median(ratio),
        "ratio_quartiles": [quartiles[0], quartiles[2]],
        "raw": {"enes_us": mine, "pycma_us": peer},
    }


def import_ms(code):
    """Wall time of an import in a fresh interpreter, less that of an empty program; median."""
    times = {"pass": [], code: []}
    for _ in range(15):
        for program in times:
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True)
            times[program].append(1e3 * (time.perf_counter() - began))
    return statistics.median(times[code]) - statistics.median(times["pass"])


def main():
    strategies = sys.argv[1:] or ["published"]
    cells = [side_by_side(10, 40, 100, s) for s in strategies]
    cells += [side_by_side(100, 400, 6, s) for s in strategies]
    wheels = list((HERE.parents[1] / "target/wheels").glob("*.whl"))
    result = {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "versions": {"enes": enes.__version__, "pycma": cma.__version__, "numpy": np.__version__,
                     "python": platform.python_version()},
        "ask_and_tell": cells,
        "import_ms": {"enes": import_ms("import enes"), "enes and its Optimizer": import_ms("import enes; enes.Optimizer"),
                      "numpy": import_ms("import numpy"), "cma": import_ms("import cma")},
        "wheel_bytes": wheels[0].stat().st_size if wheels else None,
    }  # fmt: skip
    (HERE / "results.json").write_text(json.dumps(result, indent=1) + "\n")
    print("| strategy | d | population | enes, us | pycma, us | ratio | quartiles |\n|-|-|-|-|-|-|-|")
    for c in cells:
        low, high = c["ratio_quartiles"]
        print(f"| {c['strategy']} | {c['d']} | {c['population']} | {c['enes_us']:.2f} | {c['pycma_us']:.1f} "
              f"| {c['ratio']:.3f} | {low:.3f} to {high:.3f} |")  # fmt: skip
    print("import, ms:", {name: round(ms, 1) for name, ms in result["import_ms"].items()})
    print("wheel, bytes:", result["wheel_bytes"])


if __name__ == "__main__":
    main()
