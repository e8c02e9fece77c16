"""Evaluations to the target on the paper's functions, compared with the peers: `python3 benchmarks/peers/evaluations.py [--quick]`.

Nine unimodal functions, always rotated and shifted, start at distance 1 with sigma 1, target 1e-10 (ridges −1000).
20 runs, 7 from d = 40 on; every run has a budget of 20 000 d evaluations and a time limit, and what exceeds one has
failed. Results are appended to results/peers-evaluations.jsonl as they land, and a run that is there is not repeated; at
the end they are packed into .json.xz. Writes a table (.md) and a chart (.svg) next to it. The surrogate takes minutes a run from d = 40 on: all of it takes
about a day on two cores, without the surrogate above d = 20 (--lq-up-to 20) about two hours, --quick about a minute.
"""

import argparse
import concurrent.futures
import contextlib
import json
import queue
import sys
from pathlib import Path

import environment
from chart import markdown, number, quantile, svg

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

FUNCTIONS = ["sphere", "schwefel", "cigar", "tablet", "ellipsoid", "diffpow", "parabr", "sharpr", "rosenbrock"]
OURS = {"enes adaptive": "adaptive", "enes rank-based": "ranks", "enes published": "published"}
PEERS = ["pycma", "cmaes (Python)", "pycma lq"]
NAMES = [*OURS, *PEERS]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three functions, d = 5 and 10, 3 runs: about a minute")
    parser.add_argument("--dimensions", type=int, nargs="+")
    parser.add_argument("--runs", type=int, help="runs of each, instead of 20 and 7")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of a run")
    parser.add_argument("--lq-up-to", type=int, default=50, help="the largest dimension for pycma's surrogate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--python", help="a Python with the peers, instead of benchmarks/.venv")
    parser.add_argument("--out", type=Path, default=environment.ROOT / "benchmarks" / "results" / "peers-evaluations")
    arguments = parser.parse_args()
    dimensions = arguments.dimensions or ([5, 10] if arguments.quick else [5, 10, 15, 20, 40, 50])
    functions = ["sphere", "ellipsoid", "rosenbrock"] if arguments.quick else FUNCTIONS
    runs = lambda d: arguments.runs or (3 if arguments.quick else 20 if d < 40 else 7)  # noqa: E731
    wanted = [(name, f, d, seed) for d in dimensions for f in functions for seed in range(runs(d)) for name in NAMES
              if name != "pycma lq" or d <= arguments.lq_up_to]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    raw = arguments.out.with_suffix(".jsonl")
    records = read(raw)
    versions = measure([key for key in wanted if key not in records], records, raw, arguments)
    pack(raw, records)
    write(arguments.out, {key: records[key] for key in wanted}, functions, dimensions, versions, runs)


def packed(raw):
    return raw.with_suffix(".json.xz")


def pack(raw, records):
    """All records into the compressed file, the same bytes for the same records; then the lines are not needed."""
    columns.write(packed(raw), list(records.values()))
    raw.unlink(missing_ok=True)


def read(raw):
    """What has landed already, packed or not; a line that was cut is dropped."""
    found = columns.read(packed(raw))
    for line in raw.read_text().splitlines() if raw.exists() else []:
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return {(record["name"], record["function"], record["d"], record["seed"]): record for record in found}


def measure(missing, records, raw, arguments):
    """Run what is missing, on as many pairs of workers as there are jobs."""
    binary = environment.binary("evaluations_worker")
    script = str(Path(__file__).with_name("evaluations_worker.py"))
    python = environment.python(arguments.python)
    pairs = queue.SimpleQueue()
    everyone = [(environment.Worker([binary]), environment.Worker([python, script])) for _ in range(arguments.jobs)]
    for pair in everyone:
        pairs.put(pair)

    def one(key):
        name, function, d, seed = key
        rust, peer = pair = pairs.get()
        try:
            job = {"function": function, "d": d, "seed": seed, "seconds": arguments.seconds, "max_evaluations": 20000 * d}
            if name in OURS:
                answer = rust.ask(strategy=OURS[name], **job)
            else:
                answer = peer.ask(**{**job, **rust.ask(function=function, d=d, seed=seed), "peer": name})
        finally:
            pairs.put(pair)
        return {"name": name, "function": function, "d": d, "seed": seed, **answer}

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, raw.open("a") as out:
        for i, record in enumerate(pool.map(one, missing)):
            out.write(json.dumps(record) + "\n")
            out.flush()
            records[record["name"], record["function"], record["d"], record["seed"]] = record
            if i % 20 == 19:
                print(f"{i + 1} of {len(missing)} runs", file=sys.stderr)
    versions = {**everyone[0][0].versions, **everyone[0][1].versions}
    for pair in everyone:
        for worker in pair:
            worker.close()
    return versions


def write(out, records, functions, dimensions, versions, runs):
    machine = environment.machine()
    parts = [f"Written at commit {environment.commit()} on {machine['processor']}. Median evaluations of the runs that reached "
             "the target (quartiles), and how many did where not all; in the last column the fewest median of a peer that "
             "succeeded as often, over the adaptive strategy's. " + ", ".join(f"{k} {v}" for k, v in versions.items()) + ".\n"]
    names = [name for name in NAMES if any(key[0] == name for key in records)]
    medians = {}
    for d in dimensions:
        rows = []
        for f in functions:
            cells, best = [], []
            for name in names:
                answers = [r for key, r in records.items() if key[:3] == (name, f, d)]
                solved = [r["evaluations"] for r in answers if r["success"]]
                rate = f" {len(solved)}/{len(answers)}" if len(solved) < len(answers) else ""
                cells.append("–" if not answers else f"0/{len(answers)}" if not solved else
                             f"{number(quantile(solved, 0.5))} ({number(quantile(solved, 0.25))}–{number(quantile(solved, 0.75))}){rate}")
                if solved:
                    medians[name, f, d] = quantile(solved, 0.5)
                best.append((name, len(solved), medians.get((name, f, d))))
            ours = best[0]
            rivals = [m for name, count, m in best if name in PEERS and m and count >= ours[1]]
            cells.append(f"{min(rivals) / ours[2]:.2f}" if rivals and ours[2] else "–")
            rows.append([f, *cells])
        parts.append(f"**d = {d}, {runs(d)} runs**\n\n" + markdown(["function", *names, "best peer / adaptive"], rows))
    text = "\n".join(parts)
    out.with_suffix(".md").write_text(text)
    print(text)
    lines = {}
    for name in names:
        # Medians over functions of the ratio to pycma, where both have solved.
        for d in dimensions:
            ratios = [medians[name, f, d] / medians["pycma", f, d] for f in functions
                      if (name, f, d) in medians and ("pycma", f, d) in medians]
            if ratios:
                lines.setdefault(name, []).append((d, min(ratios), quantile(ratios, 0.5), max(ratios)))
    if lines:
        svg(out.with_suffix(".svg"), "Evaluations to the target relative to pycma's: median and range over functions",
            "dimension", "ratio", lines, dimensions)


if __name__ == "__main__":
    main()
