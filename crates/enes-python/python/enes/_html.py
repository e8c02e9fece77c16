"""A run in a notebook: a table and a small picture of its progress, as HTML without anything from outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._history import Columns
from ._overview import Totals, count_words, floor_of

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 360, 150, 52, 22, 8, 10
HEAD = "text-align:left;font-weight:600;padding:1px 12px 1px 0;vertical-align:top;white-space:nowrap"
# Coordinates that a table shows one by one.
SHOWN = 8


def page(title: str, rows: Sequence[tuple[str, str]], columns: Columns | None, total: Totals) -> str:
    """The table beside the picture; colours are the notebook's own but for the line."""
    cells = "".join(
        f'<tr><th style="{HEAD}">{escape(name)}</th><td style="text-align:left;padding:1px 0">{escape(text)}</td></tr>'
        for name, text in rows
    )
    picture = progress(columns, total) if columns is not None else ""
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:8px 28px;align-items:flex-start">'
        f'<div style="flex:1 1 300px;max-width:640px"><div style="font-weight:600;margin-bottom:4px">{escape(title)}</div>'
        f'<table style="border-collapse:collapse;margin:0;color:inherit;font-size:inherit">{cells}</table></div>{picture}</div>'
    )


def numbers(values: NDArray[np.float64]) -> str:
    """A vector in a line; of a long one the beginning and its length."""
    shown = ", ".join(f"{value:.6g}" for value in values[:SHOWN])
    return f"[{shown}]" if len(values) <= SHOWN else f"[{shown}, …] ({len(values)} coordinates)"


def progress(columns: Columns, total: Totals) -> str:
    """The best value over the evaluations as SVG: logarithmic, of the value or of its distance to the last."""
    evaluations = np.append(columns["evaluations"], float(total.evaluations))
    best = np.append(columns["best"], total.best if total.violation == 0 else np.nan)
    keep = np.isfinite(best) & (np.abs(best) < 1e200)
    evaluations, best = evaluations[keep], best[keep]
    if len(best) < 2:
        return ""
    positive = bool(best.min() > 0)
    values = best if positive else best - best.min()
    label = "best value" if positive else "best value, above the last"
    above = values > 1e-200
    if not above.any():
        return ""
    floor = floor_of(values[above])
    low = math.log10(floor if floor is not None else float(values[above].min()))
    high = math.log10(float(values[above].max()))
    if high - low < 0.1:
        low, high = low - 0.05, high + 0.05
    end = max(float(total.evaluations), 1.0)

    def x(count: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * count / end

    def y(value: float) -> float:
        share = (math.log10(value) - low) / (high - low) if value > 0 else -1.0
        return TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - min(max(share, -0.02), 1.0))

    points, before = [], None
    for count, value in zip(evaluations, values, strict=True):
        if before is not None:
            points.append(f"{x(count):.1f},{y(before):.1f}")
        points.append(f"{x(count):.1f},{y(value):.1f}")
        before = float(value)
    grid = "".join(_line(LEFT, y(t), WIDTH - RIGHT, y(t), 0.15) + _tick(t, y(t)) for t in _ticks(low, high))
    restarts = "".join(
        f'<line class="restart" x1="{x(n):.1f}" y1="{TOP}" x2="{x(n):.1f}" y2="{HEIGHT - BOTTOM}" stroke="currentColor" '
        'stroke-opacity="0.45" stroke-dasharray="3 3"><title>restart</title></line>'
        for n in total.restarts
    )
    foot = HEIGHT - BOTTOM
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{label} over evaluations" style="max-width:100%;font:10px sans-serif;color:inherit">'
        f"<title>{label}: {count_words(total)}</title>{grid}{_line(LEFT, foot, WIDTH - RIGHT, foot, 0.5)}{restarts}"
        f'<polyline points="{" ".join(points)}" fill="none" stroke="#0072B2" stroke-width="1.8"/>'
        f'<text x="{LEFT}" y="{HEIGHT - 8}" fill="currentColor">0</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end" fill="currentColor">{total.evaluations} '
        "evaluations</text>"
        f'<text x="{WIDTH - RIGHT}" y="{TOP + 8}" text-anchor="end" fill="currentColor">{label}</text></svg>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Powers of ten within the axis, six at most; both ends where there are fewer than two."""
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if last <= first:
        return [10.0**low, 10.0**high]
    step = math.ceil((last - first + 1) / 6)
    return [10.0**power for power in range(first, last + 1, step)]


def _line(x1: float, y1: float, x2: float, y2: float, opacity: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" stroke-opacity="{opacity}"/>'
    )


def _tick(value: float, y: float) -> str:
    return f'<text x="{LEFT - 5}" y="{y + 3.5:.1f}" text-anchor="end" fill="currentColor">{value:.3g}</text>'


def result_page(result: Any, total: Totals) -> str:
    """The result of a run."""
    from ._history import record

    rows = [("message", str(result.get("message", "")))]
    if "success" in result:
        rows.insert(0, ("success", "yes" if result["success"] else "no"))
    if "fun" in result:
        error = result.get("standard_error")
        rows.append(("fun", f"{result['fun']:.10g}" + (f" ± {error:.2g}" if error is not None else "")))
    if result.get("violation", 0.0) > 0:
        rows.append(("violation", f"{result['violation']:.6g}"))
    if "x" in result:
        rows.append(("x", numbers(result["x"])))
    rows.append(("took", count_words(total) + (f", {result['seconds']:.1f} s" if "seconds" in result else "")))
    if "strategy" in result and "seed" in result:
        rows.append(("made with", f"strategy {result['strategy']}, population {result['population']}, seed {result['seed']}"))
    return page("enes result", rows, record(result) if "history" in result else None, total)


def optimizer_page(es: Any, columns: Columns, total: Totals) -> str:
    """An optimizer as it stands."""
    from ._result import best_words

    core = es._core
    reason = core.stop_reason()
    best = core.best()
    rows = [
        ("state", reason[2] if reason else "the run has not stopped"),
        ("best", best_words(best, ".10g")),
        ("mean", numbers(core.mean)),
        ("stds", numbers(core.stds)),
        ("so far", count_words(total)),
        ("made with", f"strategy {core.strategy}, {core.dimension} dimensions, population {core.population}, seed {core.seed}"),
    ]
    return page("enes Optimizer", rows, columns, total)
