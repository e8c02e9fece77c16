"""Runs as they are committed: columns, and the curve of a run as two, how far apart its evaluations are and its values."""

import sys
from itertools import accumulate, pairwise
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
import columns  # noqa: E402

HERE = Path(__file__).parent

#: Significant digits of a curve, by part: the table shows decades of rotated functions.
DIGITS = {"policies": 6, "rotated": 4, "large": 6}


def improvements(curve, digits):
    """Where the best value, with so many digits, is another one."""
    out = []
    for count, best in ((count, columns.rounded(best, digits)) for count, best in curve):
        if not out or best < out[-1][1]:
            out.append((count, best))
    return out


def file(part):
    return HERE / f"{part}.json.xz"


def read(part):
    runs = columns.read(file(part))
    for r in runs:
        r["curve"] = list(zip(accumulate(r.pop("steps")), r.pop("bests"), strict=True))
    return runs


def write(part, runs):
    rows = []
    for r in runs:
        curve = improvements(r["curve"], DIGITS[part])
        steps = [b - a for a, b in pairwise([0, *(count for count, _ in curve)])]
        row = {name: value for name, value in r.items() if name != "curve"}
        rows.append({**row, "steps": steps, "bests": [best for _, best in curve]})
    columns.write(file(part), rows)
