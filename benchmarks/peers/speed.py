"""Time of ask + tell compared with the peers, objective excluded: `python3 benchmarks/peers/speed.py [--quick]`.

Builds what it needs (cargo, and benchmarks/.venv for the Python peers), then measures all in one interleaved run: block
after block, each peer in turn, every process pinned to one core with one thread, CPU time of the process. Writes
results/peers-speed.json (raw), .md (table) and two .svg next to it. Takes 10 to 25 minutes, --quick about one.
"""

import argparse
import json
import sys
from pathlib import Path

import environment
from chart import markdown, number, quantile, svg

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

RUST = ["enes published", "enes adaptive", "cmaes crate"]
# Population 4d, per candidate; and each one's own population, per evaluation.
FIXED = ["enes published", "cmaes crate", "pycma", "cmaes (Python)", "pypop7 ENES", "pypop7 CMAES", "pypop7 XNES"]
OWN = ["enes adaptive", "cmaes crate", "pycma", "cmaes (Python)"]
RATE_AT = 800
# pypop7's ENES needs more than 24 GiB at d = 800, and the others take minutes a generation.
LARGEST = {"pypop7 ENES": 400, "pypop7 CMAES": 400, "pypop7 XNES": 400}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few dimensions and short blocks: about a minute")
    parser.add_argument("--dimensions", type=int, nargs="+")
    parser.add_argument("--cpu", type=int, default=0, help="the core to pin everything to")
    parser.add_argument("--python", help="a Python with the peers, instead of benchmarks/.venv")
    parser.add_argument("--out", type=Path, default=environment.ROOT / "benchmarks" / "results" / "peers-speed")
    arguments = parser.parse_args()
    dimensions = arguments.dimensions or ([2, 10, 40, 100] if arguments.quick else [2, 5, 10, 20, 40, 100, 200, 400, 800])
    blocks, seconds, patience = (3, 0.03, 1.0) if arguments.quick else (11, 0.15, 5.0)
    rust = environment.Worker([environment.binary("speed_worker")], arguments.cpu)
    script = str(Path(__file__).with_name("speed_worker.py"))
    python = environment.Worker([environment.python(arguments.python), script], arguments.cpu)
    records, rates = [], []
    for own, names in [(False, FIXED), (True, OWN)]:
        given_up = set()
        for d in dimensions:
            rows = measure(names, own, d, rust, python, blocks, seconds, patience, given_up, rates)
            records += rows
            print(f"d = {d}, {'own population' if own else 'population 4d'}:",
                  ", ".join(f"{r['name']} {number(r['median'])}" for r in rows), flush=True)
    report = {
        "machine": environment.machine(), "commit": environment.commit(), "quick": arguments.quick,
        "versions": {**rust.versions, **python.versions}, "unit": "CPU microseconds", "blocks": blocks,
        "matmul_gflops": rates, "matmul_at": RATE_AT, "records": records,
    }
    rust.close()
    python.close()
    write(arguments.out, report, dimensions)


def measure(names, own, d, rust, python, blocks, seconds, patience, given_up, rates):
    """All peers in one dimension, block by block in turn; who needs too long for a block is left out from here on."""
    ask = lambda name, time: (rust if name in RUST else python).ask(  # noqa: E731
        name=name, d=d, population=None if own else 4 * d, seconds=time)
    running = [name for name in names if name not in given_up and d <= LARGEST.get(name, d)]
    for name in running:  # warm, and learn who is too slow
        first = ask(name, min(seconds, 0.02))
        if first["microseconds"] * first["candidates"] > 1e6 * patience:
            given_up.add(name)
    found = {name: [] for name in running}
    for _ in range(blocks):
        for name in running:
            if name not in given_up or not found[name]:
                found[name].append(ask(name, seconds))
        if not own and d >= 100:
            rates.append(rust.ask(name="matmul", d=RATE_AT, seconds=max(seconds, 0.1))["gflops"])
    rows = []
    for name, answers in found.items():
        times = [a["microseconds"] for a in answers]
        rows.append({
            "name": name, "d": d, "population": answers[0]["candidates"] // answers[0]["generations"] if own else 4 * d,
            "own_population": own, "median": quantile(times, 0.5), "quartiles": [quantile(times, q) for q in (0.25, 0.75)],
            "microseconds": times, "evaluated_share": sum(a["evaluated"] for a in answers) / sum(a["candidates"] for a in answers),
        })
    return rows


def operations(d, n, fresh):
    """Floating-point operations of a published generation that are products of matrices, triangular and symmetric ones
    counted as half: solve, candidates (about n), baselines and gradient d² a row, points d² a fresh row, and two d³/3."""
    return (4 * n + fresh) * d * d + 2 * d**3 / 3


def write(out, report, dimensions):
    out.parent.mkdir(parents=True, exist_ok=True)
    # Five digits of a measurement are more than two runs of it have in common.
    raw = json.loads(json.dumps(report), parse_float=lambda number: columns.rounded(float(number), 5))
    out.with_suffix(".json").write_text(json.dumps(raw, separators=(",", ":")) + "\n")
    by = {(r["name"], r["d"], r["own_population"]): r for r in report["records"]}
    parts = [f"Measured at commit {report['commit']} on {report['machine']['processor']}, {report['machine']['cores']} cores, "
             f"load {report['machine']['load']:.1f} at the end; one pinned core, one thread; median of {report['blocks']} "
             f"interleaved blocks (in brackets the quartiles), CPU microseconds, objective taken off. "
             + ", ".join(f"{k} {v}" for k, v in report["versions"].items()) + ".\n"]
    for own, names, title in [(False, FIXED, "Population 4d, per candidate"), (True, OWN, "Each one's own population, per evaluation")]:
        rows = []
        for d in dimensions:
            cells = [by.get((name, d, own)) for name in names]
            text = [f"{number(c['median'])} ({number(c['quartiles'][0])}–{number(c['quartiles'][1])})" if c else "–" for c in cells]
            others = [c["median"] for c in cells[1:] if c]
            rows.append([str(d), *text, f"{cells[0]['median'] / min(others):.2f}" if others else "–"])
        parts.append(f"**{title}**\n\n" + markdown(["d", *names, "ours / best peer"], rows))
        lines = {name: [(d, *(by[name, d, own]["quartiles"][0], by[name, d, own]["median"], by[name, d, own]["quartiles"][1]))
                        for d in dimensions if (name, d, own) in by] for name in names}
        svg(out.with_name(out.name + ("-own" if own else "-4d") + ".svg"), f"ask + tell: {title.lower()}", "dimension",
            "CPU microseconds", {k: v for k, v in lines.items() if v}, dimensions)
    parts.append(bars(by, report, dimensions))
    text = "\n".join(parts)
    out.with_suffix(".md").write_text(text)
    print(text)


def bars(by, report, dimensions):
    """The targets, and whether they are met."""
    rows = []

    def judge(what, d, ours, other, own, factor):
        a, b = by.get((ours, d, own)), by.get((other, d, own))
        if a and b:
            ratio = a["median"] / b["median"]
            rows.append([what, str(d), f"{ratio:.3f}", f"{factor:.2f}", "met" if ratio <= factor else "MISSED"])

    for d in dimensions:
        judge("published / cmaes crate", d, "enes published", "cmaes crate", False, 1.0 if d <= 20 else 1 / 3)
        if d >= 400:
            judge("published / pycma", d, "enes published", "pycma", False, 1.0)
        if d <= 400:
            judge("adaptive / pycma", d, "enes adaptive", "pycma", True, 0.05 if d <= 20 else 0.2 if d <= 100 else 1.0)
    if report["matmul_gflops"]:
        rate = quantile(report["matmul_gflops"], 0.5)
        for d in [d for d in dimensions if d >= 100]:
            r = by["enes published", d, False]
            n = r["population"]
            share = operations(d, n, n * r["evaluated_share"]) / (1e3 * r["median"] * n) / rate
            aim = f"{0.6:.2f}" if d >= 200 else "–"
            rows.append([f"share of the product rate, {rate:.1f} GFlop/s at {RATE_AT}", str(d), f"{share:.2f}", aim,
                         "–" if d < 200 else "met" if share >= 0.6 else "MISSED"])
    return "**Targets**\n\n" + markdown(["ratio", "d", "measured", "bar", ""], rows)


if __name__ == "__main__":
    main()
