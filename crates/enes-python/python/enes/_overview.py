"""What pictures of a run share: its totals, where searches began again, and how far down an axis goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._history import Columns

Array = NDArray[np.float64]

# A fall by more than this in one step may be a lucky point, which the axis does not follow.
LUCKY = 1e-3
# So many steps below such a fall are luck, and any number of steps below this share of the largest value.
AT_MOST, ROUNDING = 3, 1e-15


@dataclass
class Totals:
    """The counts that the result's message has; the record of generations may end before them."""

    evaluations: int
    generations: int
    best: float
    violation: float
    restarts: list[int]


def totals(run: Any, columns: Columns) -> Totals:
    """Of a result or an optimizer its own counts, of a run folder those of its last line."""
    core = getattr(run, "_core", None)
    if core is not None:
        best = core.best()
        value, violation = (best[1], best[2]) if best else (np.nan, 0.0)
        return Totals(core.evaluations, core.generation, value, violation, begins(core.restarts()))
    if isinstance(run, Mapping) and "nfev" in run:
        value, violation = run.get("fbest", run["fun"]), run.get("violation", 0.0)
        return Totals(run["nfev"], run["nit"], value, violation, begins(run.get("restarts", ())))
    count = len(columns["evaluations"])
    last = {name: columns[name][-1] if count else np.nan for name in ("best", "violation") if name in columns}
    numbers = [int(columns[name][-1]) if count else 0 for name in ("evaluations", "generation")]
    jumps = np.flatnonzero(np.diff(columns.get("restarts", np.zeros(count))) > 0)
    ends = [int(columns["evaluations"][i]) for i in jumps]
    return Totals(numbers[0], numbers[1], last.get("best", np.nan), last.get("violation", 0.0), ends)


def begins(restarts: Any) -> list[int]:
    """The evaluations after which each search but the first began."""
    return [int(n) for n in np.cumsum([row["evaluations"] for row in restarts], dtype=np.int64)]


def floor_of(values: Array) -> float | None:
    """How far down a logarithmic axis goes that is not bent by a few lucky points; None where it follows them all.

    Values that fall step by step are followed. Below a fall of more than three decades at once nothing is, where
    only three steps follow, or where all that follows is rounding: 1e-15 of the largest.
    """
    positive = values[np.isfinite(values) & (values > 0)]
    if not len(positive):
        return None
    steps = np.unique(positive)
    floor = None
    for k in range(len(steps) - 1):
        if k >= AT_MOST and steps[k] > ROUNDING * steps[-1]:
            break
        if steps[k] < LUCKY * steps[k + 1]:
            floor = float(steps[k + 1])
    return floor


def count_words(total: Totals) -> str:
    """Evaluations and generations, as the message has them."""
    ending = "" if total.generations == 1 else "s"
    again = len(total.restarts)
    searches = f", {again} restart{'' if again == 1 else 's'}" if again else ""
    return f"{total.evaluations} evaluations, {total.generations} generation{ending}{searches}"
