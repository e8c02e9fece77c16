"""scipy's constraints as one violation: the sum of the amounts by which they are exceeded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Point = NDArray[np.float64]


class Violation:
    """The violation of scipy's constraints at a point, 0 where all are met; as picklable as they are.

    An equality is met within `catol`: exactly on a surface no sampled point ever lies.
    """

    def __init__(self, constraints: Any, catol: float) -> None:
        if not (np.isreal(catol) and catol >= 0):
            raise ValueError(f"catol, the tolerance of equality constraints, must be 0 or larger, got {catol!r}")
        # A dictionary is one constraint, and not a sequence of its keys.
        single = isinstance(constraints, dict) or not np.iterable(constraints)
        each = () if constraints is None else [constraints] if single else constraints
        self.parts = [part(constraint) for constraint in each]
        self.catol = float(catol)

    def __call__(self, x: Point) -> float:
        return float(sum(self.of(fun(x), lower, upper) for fun, lower, upper in self.parts))

    def of(self, given: Any, lower: Any, upper: Any) -> float:
        y = np.atleast_1d(np.asarray(given, dtype=np.float64))
        below, above = np.broadcast_to(lower, y.shape) - y, y - np.broadcast_to(upper, y.shape)
        exceeded = np.maximum(below, above) - np.where(np.equal(lower, upper), self.catol, 0.0)
        return float(np.maximum(exceeded, 0.0).sum())  # NaN stays NaN: a failure


class Linear:
    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix if hasattr(matrix, "dot") else np.atleast_2d(matrix)

    def __call__(self, x: Point) -> Any:
        return self.matrix.dot(x)


class WithArguments:
    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fun, self.args = fun, args

    def __call__(self, x: Point) -> Any:
        return self.fun(x, *self.args)


def part(constraint: Any) -> tuple[Callable[[Point], Any], Any, Any]:
    """A function and the limits of what it returns."""
    if isinstance(constraint, dict):
        kind, fun = str(constraint.get("type", "")).lower(), constraint.get("fun")
        if kind not in ("eq", "ineq") or not callable(fun):
            raise ValueError(
                f"a constraint needs 'type', 'eq' or 'ineq', and 'fun', a function of the point; got {constraint!r:.200}"
            )
        return WithArguments(fun, tuple(constraint.get("args", ()))), 0.0, 0.0 if kind == "eq" else np.inf
    if hasattr(constraint, "A"):
        return Linear(constraint.A), constraint.lb, constraint.ub
    if hasattr(constraint, "fun") and hasattr(constraint, "lb"):
        return constraint.fun, constraint.lb, constraint.ub
    raise ValueError(f"a constraint must be scipy's LinearConstraint, NonlinearConstraint or dict, got {constraint!r:.200}")


class Constrained:
    """`fun` with a violation next to its value. It is called where the point is feasible, and nowhere else."""

    def __init__(self, fun: Callable[..., Any], violation: Violation, vectorized: bool) -> None:
        self.fun, self.violation, self.vectorized = fun, violation, vectorized

    def __call__(self, x: Point, *args: Any) -> Any:
        if self.vectorized:
            return self.rows(x, *args)
        violation = self.violation(x)
        return (np.nan if violation > 0 else self.fun(x, *args)), violation

    def rows(self, points: Point, *args: Any) -> tuple[Point, Point]:
        violations = np.array([self.violation(x) for x in points], dtype=np.float64)
        values, feasible = np.full(len(points), np.nan), ~(violations > 0)
        if feasible.any():
            values[feasible] = self.fun(points[feasible], *args)
        return values, violations
