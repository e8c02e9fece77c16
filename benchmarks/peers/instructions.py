"""Instructions of a fixed set of runs, counted by valgrind: `python3 benchmarks/peers/instructions.py [--check]`.

Independent of how busy the machine is. A count is the difference of two runs of the binary `generations`, so that
start-up is no part of it. valgrind has no AVX-512: what is counted are the AVX2 kernels. Writes
results/instructions.json; with --check compares with that file instead and fails where a run needs 2 % more. Takes
about two minutes. `fingerprint` tells whether two versions compute the same run, to the last bit (on one processor).
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import environment
from chart import markdown

# Strategy, d, population (0: its own), generations.
RUNS = [("published", d, 4 * d, g) for d, g in [(2, 2000), (5, 1000), (10, 500), (20, 200), (40, 60), (100, 10), (200, 3)]]
RUNS += [("adaptive", d, 0, g) for d, g in [(2, 400), (5, 400), (10, 300), (20, 150), (40, 60), (100, 10)]]
RESULTS = environment.ROOT / "benchmarks" / "results" / "instructions.json"


def count(binary, run, generations):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", binary, *map(str, run[:3]), str(generations)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        total = next(line for line in out.read_text().splitlines() if line.startswith("summary:"))
        return int(total.split()[1]), json.loads(answer.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the recorded counts, write nothing")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed: nothing was counted (Debian: apt-get install valgrind)")
    binary = environment.binary("generations")
    recorded = {tuple(r["run"]): r for r in json.loads(RESULTS.read_text())["rows"]} if RESULTS.exists() else {}
    rows, table, worse = [], [], False
    for run in RUNS:
        (short, first), (long, second) = count(binary, run, run[3]), count(binary, run, 2 * run[3])
        candidates = run[3] * second["population"]
        each = (long - short) / candidates
        old = recorded.get(run, {})
        before = old.get("per_candidate")
        bits = "–" if not old else "the same" if old["fingerprint"] == second["fingerprint"] else "another"
        change = each / before - 1 if before else None
        worse |= change is not None and change > 0.02
        rows.append({"run": run, "per_candidate": round(each, 1), "fingerprint": second["fingerprint"]})
        table.append([run[0], str(run[1]), str(second["population"]), f"{each:.0f}", "–" if change is None else f"{change:+.1%}", bits])
        print(*table[-1], flush=True)
    print(markdown(["strategy", "d", "population", "instructions per candidate", "change", "result"], table))
    if arguments.check:
        sys.exit("a run needs more than 2 % more instructions than recorded" if worse else 0)
    version = subprocess.run(["valgrind", "--version"], capture_output=True, text=True).stdout.strip()
    report = {"commit": environment.commit(), "tool": version, "processor": environment.machine()["processor"], "rows": rows}
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
