"""How a run went, as the figure that pycma's users know: value, coordinates, axes, deviations."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._history import Columns, record
from ._overview import Totals, count_words, floor_of, totals

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._optimizer import Optimizer
    from ._result import OptimizeResult

Array = NDArray[np.float64]

# Okabe and Ito's colours, which the colour-blind tell apart, without black and yellow: they are to
# show on a light and on a dark background.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
FEW = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
# More labels than this run into each other at the end of the lines.
LABELS = 10


def plot(
    run: OptimizeResult | Optimizer | str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
    figure: Any = None,
) -> Figure:
    """Draw how a run went: value, mean, principal axes and standard deviations over the evaluations.

    Parameters
    ----------
    run : OptimizeResult, Optimizer or path-like
        A result, an optimizer, or a run folder of the command line.
    names : sequence of str, optional
        Names of the coordinates; by default those of the run folder, else x0, x1, ...
    figure : matplotlib Figure or SubFigure, optional
        Where to draw; by default a new figure of pyplot, which ``plt.show()`` shows.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, with four panels. Nothing is shown or saved: call ``savefig`` or ``plt.show()``.

        Value: the best so far, the median of each generation's new points, and how far the best
        was above the final best. The scale is logarithmic; once a value is zero or less, both
        are drawn above the final best, and the best itself on a linear scale at the right. A point
        that falls by more than three decades at once at the end does not stretch the axis: a note says
        how far down it lies. Dashed lines are restarts.
        Principal axes: recorded up to 40 dimensions, beyond that the range of the deviations.

    Raises
    ------
    ImportError
        matplotlib is missing; ``pip install "enes-opt[plot]"``.
    ValueError
        The run has not completed a generation.

    Examples
    --------
    >>> import enes
    >>> from matplotlib.figure import Figure
    >>> result = enes.minimize(lambda x: x @ x, [3, 4], 1.0, rng=1)
    >>> figure = enes.plot(result, figure=Figure(figsize=(10, 7)))
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['Value', 'Mean', 'Principal axes', 'Standard deviations']
    """
    columns = record(run)
    evaluations = columns["evaluations"]
    if not len(evaluations):
        raise ValueError(
            "run must have completed a generation, got an empty history: tell the values of a generation, or "
            "give a budget of at least the population"
        )
    settings = folder_settings(run)
    all_names, free = coordinate_names(columns, settings, names)
    drawing = prepared(figure)
    (value, mean), (axes, stds) = drawing.subplots(2, 2, sharex=True)
    draw_value(value, columns)
    draw_lines(mean, evaluations, columns["mean"], all_names, "Mean", "mean of each coordinate")
    draw_axes(axes, columns)
    mapped = any(p.get("log") or p.get("lower") is not None or p.get("upper") is not None for p in settings)
    label = "std, in the search's scale" if mapped else "std of each coordinate"
    draw_lines(stds, evaluations, columns["stds"], free, "Standard deviations", label, log=True)
    for panel in (axes, stds):
        panel.set_xlabel("evaluations")
    total = totals(run, columns)
    mark_restarts((value, mean, axes, stds), total.restarts)
    drawing.suptitle(headline(total), fontsize="medium")
    return drawing


def prepared(figure: Any) -> Figure:
    """The figure to draw on, a new one where none is given."""
    try:
        from matplotlib.figure import FigureBase

        if figure is None:
            import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f'enes.plot needs matplotlib ({error}): pip install "enes-opt[plot]", or draw the columns of '
            "enes.history with a tool of your choice"
        ) from error
    fits = figure is None or isinstance(figure, FigureBase)
    if not fits:
        raise TypeError(f"figure must be a matplotlib Figure or SubFigure, got {figure!r:.100}")
    drawing: Figure = plt.figure(figsize=(10.5, 7)) if figure is None else figure
    # A subfigure has no layout of its own.
    if hasattr(drawing, "set_layout_engine") and drawing.get_layout_engine() is None:
        drawing.set_layout_engine("constrained")
    return drawing


def folder_settings(run: Any) -> list[dict[str, Any]]:
    """The parameters of a run folder, as far as it has them."""
    if not isinstance(run, (str, os.PathLike)):
        return []
    try:
        return list(json.loads((Path(run) / "settings.json").read_text())["parameters"])
    except (OSError, ValueError, KeyError, TypeError):
        return []


def coordinate_names(
    columns: Columns, settings: list[dict[str, Any]], names: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Names for the columns of mean and of stds; a fixed parameter has a mean but no deviation."""
    d, searched = columns["mean"].shape[1], columns["stds"].shape[1]
    if names is not None and (isinstance(names, str) or len(names) != d):
        raise ValueError(f"names must be {d} names, one for each coordinate, got {names!r:.100}")
    told = [str(p.get("name", i)) for i, p in enumerate(settings)]
    chosen = [str(n) for n in names] if names is not None else told if len(told) == d else [f"x{i}" for i in range(d)]
    fixed = [bool(p.get("fixed")) for p in settings] if len(told) == d else [False] * d
    free = [name for name, f in zip(chosen, fixed, strict=True) if not f]
    return chosen, free if len(free) == searched else [f"x{i}" for i in range(searched)]


def headline(total: Totals) -> str:
    value = f"infeasible, violation {total.violation:.3g}," if total.violation > 0 else f"best value {total.best:.6g}"
    return f"{value} after {count_words(total)}"


def mark_restarts(panels: Sequence[Any], restarts: Sequence[int]) -> None:
    """A dashed line where a search began again."""
    for panel in panels:
        for count in restarts:
            panel.axvline(count, color="0.5", lw=0.9, ls=(0, (3, 3)), zorder=0, gid="restart")
    if restarts:
        panels[0].annotate(
            "restart" if len(restarts) == 1 else "restarts", (restarts[0], 1.0), xycoords=("data", "axes fraction"),
            xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", fontsize="small", color="0.4",
        )  # fmt: skip


def spare_lucky(panel: Any, drawn: Sequence[Array]) -> None:
    """End a logarithmic axis where the values are, and say how far below a lucky point lies."""
    values = np.concatenate([column[np.isfinite(column)] for column in drawn])
    floor = floor_of(values)
    if floor is None:
        return
    high = float(values.max())
    panel.set_ylim(bottom=floor / max((high / floor) ** 0.08, 1.5))
    panel.annotate(
        f"▾ down to {values[values > 0].min():.1g}", (0.99, 0.01), xycoords="axes fraction",
        ha="right", va="bottom", fontsize="small", color="0.4",
    )  # fmt: skip


def draw_value(panel: Any, columns: Columns) -> None:
    """The best value, the median of the new points, and the distance to the final best."""
    evaluations, best = columns["evaluations"], columns["best"]
    median = columns.get("generation_median", np.full_like(best, np.nan))
    decorate(panel, "Value", "value")
    finite = best[np.isfinite(masked(best))]
    if not len(finite):
        infeasible = np.any(columns.get("violation", np.zeros(1)) > 0)
        return say(panel, "no point is feasible" if infeasible else "no value is a finite number")
    positive = bool(finite.min() > 0)
    above = masked(best - finite.min(), log=True)
    median = masked(median if positive else median - finite.min(), log=True)
    marker = dot(evaluations, best)
    if positive or np.any(above > 0) or np.any(median > 0):
        panel.set_yscale("log")
    if positive:
        panel.plot(evaluations, masked(best, log=True), color=BLUE, lw=1.8, marker=marker, label="best", zorder=3)
    else:
        panel.set_ylabel("value above the final best")
    if np.any(above > 0):
        style = {"lw": 1.2, "ls": "--" if positive else "-", "marker": dot(evaluations, above), "zorder": 4}
        panel.plot(evaluations, above, color=VERMILION, label="best above final", **style)
    if np.any(median > 0):
        style = {"ls": "", "marker": ".", "ms": 3, "alpha": 0.6, "zorder": 1}
        panel.plot(evaluations, median, color=SKY, label="median of new points", **style)
    handles = list(panel.lines)
    if panel.get_yscale() == "log":
        spare_lucky(panel, [np.asarray(line.get_ydata(), dtype=float) for line in handles])
    if not positive:
        # A second scale, since a logarithm has no place for these values.
        right = panel.twinx()
        handles += right.plot(evaluations, masked(best), color=BLUE, lw=1.8, marker=marker, label="best")
        right.set_ylabel("best value", color=BLUE)
        right.tick_params(axis="y", labelcolor=BLUE, labelsize="small")
        right.spines["top"].set_visible(False)
        if len(handles) == 1:
            panel.yaxis.set_visible(False)
    # Where falling curves leave room; on the uppermost axes, or the lines of the others cross it.
    top, corner = (panel, "lower left") if positive else (right, "upper right")
    top.legend(handles=handles, loc=corner, fontsize="small", framealpha=0.7, edgecolor="none", markerscale=2)


def draw_axes(panel: Any, columns: Columns) -> None:
    """The lengths of the principal axes; where they were not recorded, the range of the deviations."""
    evaluations, axes, stds = columns["evaluations"], columns["axes"], columns["stds"]
    if axes.size and np.isfinite(axes).any():
        # A history that continues from a checkpoint may have axes for its end only.
        evaluations = evaluations[len(evaluations) - len(axes) :]
        names = [""] * axes.shape[1]
        if len(names) > 1:
            names[0], names[-1] = "longest", "shortest"
        draw_lines(panel, evaluations, axes, names, "Principal axes", "length", log=True, ordered=True)
        ratio = axes[-1, 0] / axes[-1, -1] if axes[-1, -1] > 0 else np.inf
        if len(names) > 1 and np.isfinite(ratio):
            text = f"{ratio:.0f}" if 100 <= ratio < 1e5 else f"{ratio:.3g}"
            panel.set_title(f"longest / shortest = {text}", loc="right", fontsize="small")
    else:
        kept = np.where(np.isfinite(stds), stds, np.nan)
        some = np.isfinite(kept).any(axis=1)
        spread = np.full((len(stds), 3), np.nan)
        spread[some] = np.nanquantile(kept[some], [1.0, 0.5, 0.0], axis=1).T if some.any() else np.nan
        names = ["largest", "median", "smallest"]
        draw_lines(panel, evaluations, spread, names, "Range of the deviations", "std", log=True, ordered=True)
        panel.set_title("principal axes not recorded", loc="right", fontsize="small")


def draw_lines(
    panel: Any,
    evaluations: Array,
    table: Array,
    names: list[str],
    title: str,
    label: str,
    *,
    log: bool = False,
    ordered: bool = False,
) -> None:
    """One line for each column, its name at its end."""
    decorate(panel, title, label)
    table = masked(table, log=log)
    if not np.isfinite(table).any():
        return say(panel, "nothing to draw: no finite number" + (" above zero" if log else ""))
    if log:
        panel.set_yscale("log")
    colors = palette(table.shape[1], ordered)
    width = 1.4 if table.shape[1] <= LABELS else 0.9
    for i, color in enumerate(colors):
        label = names[i] or f"axis {i}"
        panel.plot(evaluations, table[:, i], color=color, lw=width, marker=dot(evaluations, table[:, i]), label=label)
    label_ends(panel, table, names, colors)


def palette(n: int, ordered: bool) -> list[Any]:
    """Colours for n lines: distinct ones for a few without an order, else from dark to light."""
    if n <= len(FEW) and not ordered:
        return list(FEW[:n])
    from matplotlib import colormaps

    # The end of viridis is too light for a line on white.
    return [colormaps["viridis"](t) for t in np.linspace(0.0, 0.8, n)]


def label_ends(panel: Any, table: Array, names: list[str], colors: list[Any]) -> None:
    """Names at the right end of the lines, moved apart where they would overlap; of many lines, some."""
    last = [column[np.isfinite(column)][-1] if np.isfinite(column).any() else np.nan for column in table.T]
    shown = [i for i, name in enumerate(names) if name and np.isfinite(last[i])]
    if len(shown) > LABELS:
        shown = [shown[k] for k in np.linspace(0, len(shown) - 1, LABELS - 2).round().astype(int)]
    if not shown:
        return
    low, high = panel.get_ylim()
    panel.set_ylim(low, high)
    ends = panel.transData.transform([(0.0, last[i]) for i in shown])
    heights = panel.transAxes.inverted().transform(ends)[:, 1]
    order = np.lexsort((-np.arange(len(heights)), heights))
    for k, height in zip(order, apart(heights[order], 0.075), strict=True):
        i = shown[k]
        panel.annotate(
            names[i] if len(names[i]) <= 16 else names[i][:15] + "…",
            (1.0, height), xycoords="axes fraction", xytext=(4, 0), textcoords="offset points",
            va="center", fontsize="small", color=colors[i], annotation_clip=False,
        )  # fmt: skip


def apart(heights: Array, gap: float) -> Array:
    """Rising heights in [0, 1], moved as little as need be until neighbours are `gap` apart."""
    # In u_k = h_k - k gap the condition is that u rises: pool neighbours that violate it.
    pools: list[list[float]] = []
    for u in heights - gap * np.arange(len(heights)):
        pools.append([float(u), 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, n), (b, m) = pools[-2:]
            pools[-2:] = [[(a * n + b * m) / (n + m), n + m]]
    u = np.concatenate([np.full(int(n), a) for a, n in pools])
    return np.asarray(np.clip(u, 0.0, max(0.0, 1.0 - gap * (len(u) - 1))) + gap * np.arange(len(u)))


def decorate(panel: Any, title: str, label: str) -> None:
    panel.set_title(title, loc="left", fontsize="medium")
    panel.set_ylabel(label)
    panel.tick_params(labelsize="small")
    panel.margins(x=0.02)
    panel.grid(True, alpha=0.25, lw=0.6)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def say(panel: Any, text: str) -> None:
    panel.text(0.5, 0.5, text, transform=panel.transAxes, ha="center", va="center", fontsize="small")
    panel.set_yticks([])


def masked(values: Array, *, log: bool = False) -> Array:
    """The values that can be drawn; NaN leaves a gap."""
    # Near the largest and the smallest numbers matplotlib's margins around the data overflow.
    return np.where((np.abs(values) < 1e200) & ((values > 1e-200) | (not log)), values, np.nan)


def dot(evaluations: Array, values: Array) -> str:
    """A line through a single point is nothing: give it a marker."""
    return "o" if len(np.unique(evaluations[np.isfinite(values)])) == 1 else ""
