"""How a run went: one entry per generation, as columns."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._optimizer import Optimizer
    from ._result import OptimizeResult

Columns = dict[str, NDArray[np.float64]]

# Modes in which the surrogate takes the step; run folders of 0.1 say "model".
ACTIVE = ("surrogate", "model")

# Columns that had another name in 0.1.
RENAMED = {"model_rules": "surrogate_active", "model_error": "surrogate_error"}


class History(dict[str, NDArray[np.float64]]):
    """Columns by name; those that were renamed still answer to their former name, with a warning."""

    def __missing__(self, name: str) -> NDArray[np.float64]:
        if name not in RENAMED:
            raise KeyError(name)
        warnings.warn(f"the column {name} is now {RENAMED[name]}", DeprecationWarning, stacklevel=2)
        return self[RENAMED[name]]


WIDE = {"mean": "mean", "stds": "std", "axes": "axis"}


def history(run: OptimizeResult | Optimizer | str | os.PathLike[str]) -> Columns:
    """The generations of a run as columns, ready for ``pandas.DataFrame`` or ``polars.DataFrame``.

    Parameters
    ----------
    run : OptimizeResult, Optimizer or path-like
        A result, an optimizer, or a run folder of the command line.

    Returns
    -------
    dict of ndarray
        ``generation``, ``evaluations``, ``best`` (so far), ``generation_best``, ``generation_median``
        (of the new points; all three of feasible ones, else NaN), ``violation`` (of the best), ``reused``
        (share), ``surrogate_active`` (1 where the surrogate took the step, else 0; NaN in runs without one),
        ``surrogate_error`` (its error E), ``seconds``; and for each coordinate i ``mean_i``, ``std_i`` and
        ``axis_i`` (principal axes, longest first; up to 40 dimensions). Long runs are thinned: every second,
        fourth, ... generation. ``model_rules`` and ``model_error`` are deprecated names of the two columns
        of the surrogate.

    Examples
    --------
    >>> import enes
    >>> result = enes.minimize(lambda x: x @ x, [3, 4], 1.0, rng=1, maxiter=10)
    >>> columns = enes.history(result)
    >>> columns["generation"].tolist() == list(range(1, 11)), [n for n in columns if n.startswith("std")]
    (True, ['std_0', 'std_1'])
    """
    columns = History()
    for name, column in record(run).items():
        if name in WIDE:
            columns.update({f"{WIDE[name]}_{i}": column[:, i].copy() for i in range(column.shape[1]) if len(column)})
        else:
            columns[name] = column
    return columns


def record(run: Any) -> Columns:
    """The columns with mean, stds and axes as arrays of two dimensions."""
    if isinstance(run, (str, os.PathLike)):
        return read_folder(Path(run))
    if isinstance(run, Mapping) and "history" in run:
        return History(run["history"])
    core = getattr(run, "_core", None)
    if core is not None:
        return History(core.history())
    raise TypeError(f"expected a result, an Optimizer or the path of a run folder, got {run!r:.100}")


def read_folder(folder: Path) -> Columns:
    """The record of a run of the command line; a last line that was cut off is left out."""
    file = folder / "generations.jsonl"
    if not file.is_file():
        raise FileNotFoundError(f"{folder} is not the folder of a run: it has no generations.jsonl")
    rows = []
    for line in file.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue

    def column(name: str) -> NDArray[np.float64]:
        return np.array([np.nan if row.get(name) is None else row[name] for row in rows], dtype=np.float64)

    for row in rows:
        mode = row.get("mode")
        row["surrogate_active"] = None if mode is None else float(mode in ACTIVE)
        row["surrogate_error"] = row.get("error")
    names = ("generation", "evaluations", "best", "reused", "surrogate_active", "surrogate_error", "seconds")
    columns = History({name: column(name) for name in names})
    if any("restarts" in row for row in rows):
        columns["restarts"] = np.nan_to_num(column("restarts"))
    columns["violation"] = np.nan_to_num(column("violation"))
    for name in WIDE:
        wide = [row.get(name, []) for row in rows]
        columns[name] = np.array(wide, dtype=np.float64).reshape(len(rows), -1) if rows else np.empty((0, 0))
    return columns
