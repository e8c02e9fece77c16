"""Calibrate an epidemic model that is an external program: an influenza in a boarding school, 1978.

The model is not Python: `epidemic.awk` prints the misfit, and the command `enes` searches. Four unknowns: the rates of
infection, of falling ill and of rising again, and how many were infectious on the first day; all by their logarithms.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

import _options

matplotlib.use("Agg")
import matplotlib.pyplot as plt

MODEL = Path(__file__).with_suffix(".awk")
NAMES = ["beta", "gamma", "delta", "first"]
IN_BED = [3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4]

# For the comparison: where to start, how far to look, and the value that counts as solved: 1 % above the best known.
START, SIGMA, BOUNDS, ENOUGH = [math.log(v) for v in (1.0, 0.3, 0.3, 5.0)], 1.0, None, 14.45

PROBLEM = """
command = ["awk", "-f", "{model}", "-v", "beta={{beta}}", "-v", "gamma={{gamma}}", "-v", "delta={{delta}}",
           "-v", "first={{first}}"]
"""


def run(values, **more):
    """What the program prints."""
    pairs = {**dict(zip(NAMES, values, strict=True)), **more}
    command = ["awk", "-f", str(MODEL)] + [word for k, v in pairs.items() for word in ("-v", f"{k}={v!r}")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def objective(logs):
    return float(run([math.exp(min(max(v, -20), 8)) for v in logs])[0])


def main():
    options = _options.read(__doc__)

    lines = [f'[[parameter]]\nname = "{n}"\ninitial = {math.exp(v)!r}\nsigma = {SIGMA}\nlog = true\nlower = 1e-4\n'
             for n, v in zip(NAMES, START, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.toml"
        problem.write_text(PROBLEM.format(model=MODEL) + "\n".join(lines))
        budget = "60" if options.quick else "400"
        command = [Path(sys.executable).with_name("enes"), "minimize", problem, "--run", f"{folder}/run", "--seed", "1",
                   "--max-evaluations", budget, "--json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    found = json.loads(done.stdout)
    best = [found["named"][name] for name in NAMES]
    print(f"{found['evaluations']} runs of the program: {found['value']:.2f} boys off, at first {objective(START):.1f}")
    for name, value in zip(NAMES, best, strict=True):
        print(f"  {name:<6} {value:8.4f}")

    figure, panel = plt.subplots(figsize=(7, 4), layout="constrained")
    panel.plot(range(14), IN_BED, "o", color="#D55E00", label="boys in bed")
    panel.plot(range(14), [float(v) for v in run(best, list=1)], color="#0072B2", label="calibrated model")
    first = [float(v) for v in run([math.exp(v) for v in START], list=1)]
    panel.plot(range(14), first, ":", color="gray", label="first guess")
    panel.set(xlabel="days after 22 January 1978", ylabel="boys", title="Influenza in a school of 763")
    panel.legend()
    _options.save(figure, options.out / "epidemic.png", dpi=90)


if __name__ == "__main__":
    main()
