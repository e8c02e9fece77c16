"""One evaluation: the user's function called, its answer checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._arrays import as_numpy, is_foreign, local


class Evaluated(NamedTuple):
    """A value and the values of the constraints that are declared, inequalities before equalities; of many points where
    they are arrays."""

    value: Any
    constraints: NDArray[np.float64]


#: What an evaluation gives: a value, a value and by how much the point violates the constraints, or the value of each.
Answer = float | tuple[float, float] | Evaluated


#: How refusals call it.
RETURNED = "what fun returns"


class Objective:
    """`fun` with its further arguments, as one function of a point; as picklable as `fun` is."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...], declared: tuple[int, int] = (0, 0)) -> None:
        if not callable(fun):
            raise TypeError(f"fun must be callable, got {fun!r}")
        self.fun = fun
        self.args = args if isinstance(args, tuple) else (args,)
        #: How many inequalities and equalities it must return.
        self.declared = declared

    def __call__(self, x: NDArray[np.float64]) -> Answer:
        return answer(self.fun(x, *self.args), self.declared)

    def rows(
        self, points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64] | None]:
        """The values at all points, and the violations or constraint values where there are any, by one call of a
        vectorized `fun`."""
        given = self.fun(points, *self.args)
        if sum(self.declared):
            if not isinstance(given, Evaluated):
                given = evaluated(given, self.declared, len(points))
            return self.column(given.value, points), None, given.constraints
        if isinstance(given, tuple):
            given = tuple(as_numpy(RETURNED, part) if is_foreign(part) else part for part in given)
        if isinstance(given, tuple) and len(given) == 2 and all(np.ndim(part) == 1 for part in given):
            return self.column(given[0], points), self.column(given[1], points), None
        return self.column(given, points), None, None

    def column(self, answer: Any, points: NDArray[np.float64]) -> NDArray[np.float64]:
        k = len(points)
        if answer is None:
            raise TypeError("fun returned None: does it forget to return its values?")
        answer = as_numpy(RETURNED, answer)
        try:
            values = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"fun must return {k} numbers with vectorized=True, got {answer!r:.200}") from None
        if values.shape != (k,):
            raise ValueError(
                f"with vectorized=True fun gets an array of shape {points.shape}, one ROW per point, and must "
                f"return the shape ({k},); it returned {values.shape}"
            )
        return values


class Guarded:
    """An objective whose exceptions come back as values, for maps that would stop at the first."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective

    def __call__(self, x: NDArray[np.float64]) -> Answer | Exception:
        try:
            return self.objective(x)
        except Exception as error:
            return error


def answer(given: Any, declared: tuple[int, int] = (0, 0)) -> Answer:
    """A value; a value and a violation from a tuple of two; or a value and constraints, where these are declared."""
    if isinstance(given, Evaluated):
        return Evaluated(number(given.value), given.constraints)
    if sum(declared):
        found = evaluated(given, declared, None)
        return Evaluated(number(found.value), found.constraints)
    if isinstance(given, tuple):
        if len(given) != 2:
            raise TypeError(
                f"fun must return a number, or a pair (value, violation), got {len(given)} things; where it returns "
                "(value, g, h), say how many: inequalities=len(g), equalities=len(h)"
            )
        return number(given[0]), number(given[1])
    return number(given)


def evaluated(given: Any, declared: tuple[int, int], points: int | None) -> Evaluated:
    """Value, inequalities and equalities from (value, g, h), (value, g) or (value, h); of so many points where given."""
    kinds = [(name, count) for name, count in zip(("g", "h"), declared, strict=True) if count]
    expected = f"(value, {', '.join(name for name, _ in kinds)})"
    if not isinstance(given, tuple) or len(given) not in (len(kinds) + 1, 3):
        got = f"{len(given)} things" if isinstance(given, tuple) else f"{given!r:.100}"
        raise TypeError(f"with constraints fun must return {expected}, got {got}")
    parts = given[1:] if len(given) == len(kinds) + 1 else [p for p, n in zip(given[1:], declared, strict=True) if n]
    columns = []
    for (name, count), part in zip(kinds, parts, strict=True):
        shape = (count,) if points is None else (points, count)
        part = as_numpy(f"{name} of {RETURNED}", part)
        try:
            column = np.asarray(part, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be an array of real numbers, got {part!r:.200}") from None
        # One constraint may come as a number, or as one for each point.
        if count == 1 and column.shape == shape[:-1]:
            column = column.reshape(shape)
        if column.shape != shape:
            kind = "inequalities" if name == "g" else "equalities"
            raise ValueError(f"{name} must have the shape {shape}, as {kind}={count} says, got {column.shape}")
        columns.append(column)
    return Evaluated(given[0], np.ascontiguousarray(np.concatenate(columns, axis=-1)))


def number(value: Any) -> float:
    """A float from anything that is one real number."""
    if type(value) is float:
        return value
    if value is None:
        raise TypeError("fun returned None: does it forget to return its value?")
    value = local(RETURNED, value)
    if isinstance(value, (str, bytes)) or np.iscomplexobj(value):
        raise TypeError(f"fun must return one real number, got {value!r:.200}")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"fun must return one real number, got {value!r:.200}") from None
    if array.size != 1:
        raise TypeError(f"fun must return one real number, got an array of shape {array.shape}")
    return float(array.reshape(()))
