"""What an earlier run has learned, from whatever holds it: a result, an optimizer, files, points and values."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _checkpoint, _enes
from ._arguments import real_array

if TYPE_CHECKING:
    from ._types import Numbers

Vector = NDArray[np.float64]
Table = tuple[list[list[float]], list[float]]


def learned(
    run: Any, chosen: dict[str, Any], x0: Numbers | None, sigma0: Numbers | None, bounded: bool
) -> tuple[Numbers | None, Numbers | None]:
    """Put the warm start among the options; start and scale follow from it where neither they nor bounds are
    given."""
    if run is None:
        raise TypeError("warm_widen and warm_points belong to a warm start: give warm_start, or leave them out")
    given = source(run)
    start, scale = given.pop("x0"), given.pop("sigma0")
    if "warm_widen" in chosen:
        widen = chosen.pop("warm_widen")
        given["widen"] = None if widen is None else float(real_array("warm_widen", widen))
    if "warm_points" in chosen:
        given["enter"] = bool(chosen.pop("warm_points"))
    chosen["warm_start"] = given
    if bounded:
        return x0, sigma0
    if sigma0 is None and (scale is None or not np.all(scale > 0)):
        raise TypeError("sigma0 is missing, and the warm start has no scale in every coordinate: give sigma0")
    return start if x0 is None else x0, scale if sigma0 is None else sigma0


def source(given: Any) -> dict[str, Any]:
    """A distribution or a table, with a start and a scale to restart from."""
    core = getattr(given, "_core", None)
    if core is not None:
        return _of_core(core)
    if isinstance(given, (str, os.PathLike)):
        return _of_path(Path(given))
    if isinstance(given, Mapping):
        return _of_mapping(given)
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return _of_table(*given)
    raise TypeError(
        f"warm_start must be a result, an Optimizer, a path, a history or a pair (X, y), got {given!r:.100}"
    )


def _of_core(core: _enes.Core) -> dict[str, Any]:
    mean, covariance = core.learned()
    start, stds = core.initial()
    # A fixed coordinate has no deviation; any scale will do for it.
    return _spread(mean, covariance, core.best_search()[1]) | {"x0": start, "sigma0": np.where(stds > 0, stds, 1.0)}


def _spread(mean: NDArray[np.float64], covariance: Any, stds: Any) -> dict[str, Any]:
    """A mean with its covariance, or with the deviations where there are no rows: in many dimensions."""
    if len(covariance):
        return {"mean": mean, "covariance": real_array("warm_start.covariance", covariance)}
    stds = real_array("warm_start.stds", stds)
    return {"mean": mean, "deviations": stds[stds > 0]}


def _of_mapping(run: Mapping[str, Any]) -> dict[str, Any]:
    """A result, or the columns of `enes.history`."""
    if "xfavorite" in run and "covariance" in run:
        stds = run.get("history", {}).get("stds", ())
        first = real_array("history", stds[0]) if len(stds) else None
        mean = real_array("warm_start.xfavorite", run["xfavorite"])
        spread = _spread(mean, run["covariance"], run.get("stds", ()))
        return spread | {"x0": run["xfavorite"], "sigma0": first}
    means = [np.asarray(run[name]) for name in run if name.startswith("mean_")]
    stds = [np.asarray(run[name]) for name in run if name.startswith("std_")]
    if not means or len(means) != len(stds) or not len(means[0]):
        raise TypeError("warm_start is a mapping, but neither a result nor the columns of enes.history")
    last = np.array([column[-1] for column in stds])
    return {
        "mean": np.array([column[-1] for column in means]),
        "deviations": last[last > 0],
        "x0": np.array([column[-1] for column in means]),
        "sigma0": np.array([column[0] for column in stds]),
    }


def _of_table(points: Numbers, values: Numbers) -> dict[str, Any]:
    x, y = real_array("warm_start X", points), real_array("warm_start y", values)
    if x.ndim != 2 or y.shape != (len(x),):
        raise ValueError(f"warm_start (X, y) must have the shapes (n, d) and (n,), got {x.shape} and {y.shape}")
    known = ~np.isnan(y)
    if not known.any():
        raise ValueError("warm_start: the table has no value that is a number: leave it out")
    return {
        "points": x,
        "values": y,
        "x0": x[known][np.argmin(y[known])],
        "sigma0": x[known].std(axis=0),
    }


def _of_path(path: Path) -> dict[str, Any]:
    """A run folder and a table are points and values; a checkpoint is a distribution."""
    if path.is_dir():
        path = path / "evaluations.jsonl"
        if not path.is_file():
            raise ValueError(f"warm_start: {path.parent} is not the folder of a run: it has no evaluations.jsonl")
    content = path.read_bytes()
    if content.startswith(b"enes-checkpoint"):
        return _of_core(_checkpoint.restore(path))
    text = content.decode()
    points, values = _lines(path, text) if text.lstrip().startswith("{") else _columns(path, text)
    if len({len(point) for point in points}) != 1:
        raise ValueError(f"warm_start: {path} has no points, or points of different lengths")
    return _of_table(points, values)


def _lines(path: Path, text: str) -> Table:
    """JSON lines with `x` and `value`; a last line that was cut off is left out."""
    points, values = [], []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            point, value = [float(x) for x in row["x"]], row.get("value")
            values.append(float(row.get("infinite") or "nan") if value is None else float(value))
            points.append(point)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number < len(lines) or text.endswith("\n"):
                raise ValueError(f"warm_start: {path}, line {number}: needs x and value ({error})") from None
    return points, values


def _columns(path: Path, text: str) -> Table:
    """Comma-separated values: the coordinates, then the value; or with a header, the column `value`."""
    rows = [(number, row) for number, row in enumerate(csv.reader(text.splitlines()), 1) if row]
    at = -1
    if rows and not _is_number(rows[0][1][0]):
        header = [name.strip() for name in rows.pop(0)[1]]
        at = header.index("value") if "value" in header else -1
    points, values = [], []
    for number, row in rows:
        try:
            numbers = [float(word) if word.strip() else np.nan for word in row]
        except ValueError as error:
            raise ValueError(f"warm_start: {path}, line {number}: {error}") from None
        values.append(numbers.pop(at))
        points.append(numbers)
    return points, values


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
