"""Where the time of a small generation goes: `python3 benchmarks/peers/profile.py [BINARY]`.

Samples runs of the binary `generations` (or of another build of it) with perf, which must be installed, and adds up self
time by what a function is for. Prints a table; takes about ten seconds.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import environment
from chart import markdown

# The first pattern that matches a function's name decides.
GROUPS = {
    "objective": r"generations::main",
    "ranks and stop rules": r"sort|complete_generation|finish_generation|stopping|quicksort|select|Ranking|Stopping|Spectrum|standard_deviations|utilities|note",
    "triangular products": r"faer|gemm|small::|tiles::|outer::|cholesky::|linalg::solve|general::|pulp|parallel::|upper_times_vector|LocalKey",
    "normals and mixing": r"ziggurat|fill_normal|Generator|propose|mix|norms|exp|retain|memmove|memcpy|subtract",
    "baselines and weights": r"add_samples|weigh|estimate|BlockSums|squares|fitness_baseline|natural_gradient",
}
RUNS = [(2, 300000), (5, 60000), (10, 20000), (20, 5000), (40, 1500)]


def shares(binary, d, generations):
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "data")
        record = ["perf", "record", "-q", "-F", "5000", "-o", data, binary, "published", str(d), str(4 * d), str(generations)]
        subprocess.run(record, check=True, capture_output=True)
        report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--no-children"], capture_output=True, text=True).stdout
    found = dict.fromkeys([*GROUPS, "rest"], 0.0)
    for line in report.splitlines():
        match = re.match(r"\s+([\d.]+)%\s+\S+\s+\S+\s+\[.\]\s+(.*)", line)
        if match:
            group = next((g for g, pattern in GROUPS.items() if re.search(pattern, match[2])), "rest")
            found[group] += float(match[1])
    total = sum(found.values())
    return {group: 100 * share / total for group, share in found.items()}


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else environment.binary("generations")
    columns = {d: shares(binary, d, generations) for d, generations in RUNS}
    rows = [[group, *(f"{columns[d][group]:.0f} %" for d, _ in RUNS)] for group in columns[2]]
    print(markdown(["share of self time", *(f"d = {d}" for d, _ in RUNS)], rows))


if __name__ == "__main__":
    main()
