"""scipy's constraints as inequalities and equalities, one by one; linear ones as matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import as_numpy
from ._objective import Evaluated

Vector = NDArray[np.float64]


class Constraints:
    """What scipy's constraints ask of a point: g of 0 or less, h of 0, in this order; as picklable as they are.

    Each function is called once a point. How many numbers it returns is known from its limits, where these are arrays, or
    from a call at the start, whose answer is kept for the evaluation of the start.
    """

    def __init__(self, constraints: Any, start: Callable[[], Vector]) -> None:
        # A dictionary is one constraint, and not a sequence of its keys.
        single = isinstance(constraints, dict) or not np.iterable(constraints)
        each = () if constraints is None else [constraints] if single else list(constraints)
        self.linear: list[tuple[Vector, Vector, Vector]] = []
        self.parts: list[Part] = []
        for number, constraint in enumerate(each, 1):
            if hasattr(constraint, "A"):
                self.linear.append(linear(constraint))
            else:
                self.parts.append(part(constraint, f"c{number}", start))

    def __len__(self) -> int:
        return len(self.linear) + len(self.parts)

    @property
    def inequalities(self) -> list[str]:
        return [name for part in self.parts for name in part.inequalities]

    @property
    def equalities(self) -> list[str]:
        return [name for part in self.parts for name in part.equalities]

    def options(self) -> dict[str, Any]:
        """What `enes.Optimizer` is told of them."""
        given = {"inequalities": self.inequalities, "equalities": self.equalities, "linear": self.linear}
        return {name: value for name, value in given.items() if value}

    def __call__(self, x: Vector) -> Vector:
        found = [part(x) for part in self.parts]
        return np.concatenate([*(g for g, _ in found), *(h for _, h in found)]) if found else np.empty(0)


class Part:
    """One function and the limits of what it returns."""

    def __init__(self, fun: Callable[[Vector], Any], lower: Any, upper: Any, name: str, start: Callable[[], Vector]) -> None:
        self.fun, self.name = fun, name
        self.known: tuple[bytes, Vector] | None = None
        sizes = {np.size(limit) for limit in (lower, upper) if np.ndim(limit) > 0}
        if sizes:
            size = max(sizes)
        else:
            x = start()
            self.known = x.tobytes(), self.column(fun(x), None)
            size = self.known[1].size
        try:
            self.lower, self.upper = (
                np.array(np.broadcast_to(np.asarray(limit, dtype=np.float64), (size,))) for limit in (lower, upper)
            )
        except ValueError:
            raise ValueError(
                f"constraint {name}: lb and ub have {np.size(lower)} and {np.size(upper)} entries: give as many of each"
            ) from None
        wrong = ~(self.lower <= self.upper)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise ValueError(
                f"constraint {name}: lb[{i}] = {self.lower[i]} must not exceed ub[{i}] = {self.upper[i]}"
            )
        self.equal = self.lower == self.upper
        self.below = ~self.equal & np.isfinite(self.lower)
        self.above = ~self.equal & np.isfinite(self.upper)

    def names(self, which: NDArray[np.bool_], side: str) -> list[str]:
        both = self.below & self.above
        index = [f"[{i}]" if self.lower.size > 1 else "" for i in range(self.lower.size)]
        return [self.name + index[i] + (side if both[i] else "") for i in np.flatnonzero(which)]

    @property
    def inequalities(self) -> list[str]:
        return self.names(self.below, ".lb") + self.names(self.above, ".ub")

    @property
    def equalities(self) -> list[str]:
        return self.names(self.equal, "")

    def column(self, given: Any, size: int | None) -> Vector:
        if given is None:
            raise TypeError(f"constraint {self.name} returned None: does it forget to return its values?")
        given = as_numpy(f"constraint {self.name}", given)
        try:
            y = np.atleast_1d(np.asarray(given, dtype=np.float64)).reshape(-1)
        except (TypeError, ValueError):
            raise TypeError(f"constraint {self.name} must return real numbers, got {given!r:.200}") from None
        if size is not None and y.size != size:
            raise ValueError(f"constraint {self.name} must return {size} numbers, as its limits have, got {y.size}")
        return y

    def __call__(self, x: Vector) -> tuple[Vector, Vector]:
        """The values of its inequalities and of its equalities."""
        known = self.known
        y = known[1] if known is not None and known[0] == x.tobytes() else self.column(self.fun(x), self.lower.size)
        below, above = self.lower - y, y - self.upper
        return np.concatenate([below[self.below], above[self.above]]), above[self.equal]


class WithArguments:
    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fun, self.args = fun, args

    def __call__(self, x: Vector) -> Any:
        return self.fun(x, *self.args)


class Negative:
    """A function whose values are at least 0 where it is met, as scipy's dictionaries have it."""

    def __init__(self, fun: Callable[[Vector], Any]) -> None:
        self.fun = fun

    def __call__(self, x: Vector) -> Any:
        given = self.fun(x)
        try:
            return None if given is None else -np.asarray(as_numpy("a constraint", given), dtype=np.float64)
        except (TypeError, ValueError):
            return given  # refused by the name of the constraint


def linear(constraint: Any) -> tuple[Vector, Vector, Vector]:
    """Matrix and limits of scipy's LinearConstraint."""
    given = constraint.A.toarray() if hasattr(constraint.A, "toarray") else constraint.A
    matrix = np.atleast_2d(np.ascontiguousarray(given, dtype=np.float64))
    try:
        lower, upper = (
            np.array(np.broadcast_to(np.asarray(limit, dtype=np.float64), (len(matrix),)))
            for limit in (constraint.lb, constraint.ub)
        )
    except ValueError:
        raise ValueError(
            f"a LinearConstraint with {len(matrix)} rows must have as many limits, got {np.size(constraint.lb)} and "
            f"{np.size(constraint.ub)}"
        ) from None
    return matrix, lower, upper


def part(constraint: Any, name: str, start: Callable[[], Vector]) -> Part:
    """A function and the limits of what it returns."""
    if isinstance(constraint, dict):
        kind, fun = str(constraint.get("type", "")).lower(), constraint.get("fun")
        if kind not in ("eq", "ineq") or not callable(fun):
            raise ValueError(
                f"a constraint needs 'type', 'eq' or 'ineq', and 'fun', a function of the point; got {constraint!r:.200}"
            )
        fun = WithArguments(fun, tuple(constraint.get("args", ())))
        return Part(fun, 0.0, 0.0, name, start) if kind == "eq" else Part(Negative(fun), -np.inf, 0.0, name, start)
    if hasattr(constraint, "fun") and hasattr(constraint, "lb"):
        return Part(constraint.fun, constraint.lb, constraint.ub, name, start)
    remedy = "; for g(x) <= 0 write NonlinearConstraint(g, -np.inf, 0)" if callable(constraint) else ""
    raise ValueError(
        f"a constraint must be scipy's LinearConstraint, NonlinearConstraint or dict, got {constraint!r:.200}{remedy}"
    )


class Constrained:
    """`fun` with the values of constraints next to its own."""

    def __init__(self, fun: Callable[..., Any], constraints: Constraints, vectorized: bool) -> None:
        self.fun, self.constraints, self.vectorized = fun, constraints, vectorized

    def __call__(self, x: Vector, *args: Any) -> Any:
        if self.vectorized:
            values = self.fun(x, *args)
            return Evaluated(values, np.array([self.constraints(row) for row in x], dtype=np.float64))
        constraints = self.constraints(x)
        return Evaluated(self.fun(x, *args), constraints)
