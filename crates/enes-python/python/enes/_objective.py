"""One evaluation: the user's function called, its answer checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: What an evaluation gives: a value, or a value and by how much the point violates the constraints.
Answer = float | tuple[float, float]


class Objective:
    """`fun` with its further arguments, as one function of a point; as picklable as `fun` is."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        if not callable(fun):
            raise TypeError(f"fun must be callable, got {fun!r}")
        self.fun = fun
        self.args = args if isinstance(args, tuple) else (args,)

    def __call__(self, x: NDArray[np.float64]) -> Answer:
        return answer(self.fun(x, *self.args))

    def rows(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """The values at all points, and the violations where there are any, by one call of a vectorized `fun`."""
        given = self.fun(points, *self.args)
        if isinstance(given, tuple) and len(given) == 2 and all(np.ndim(part) == 1 for part in given):
            return self.column(given[0], points), self.column(given[1], points)
        return self.column(given, points), None

    def column(self, answer: Any, points: NDArray[np.float64]) -> NDArray[np.float64]:
        k = len(points)
        if answer is None:
            raise TypeError("fun returned None: does it forget to return its values?")
        try:
            values = np.array(answer, dtype=np.float64)
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


def answer(given: Any) -> Answer:
    """A value, or a value and a violation from a tuple of two."""
    if isinstance(given, tuple):
        if len(given) != 2:
            raise TypeError(f"fun must return a number, or a pair (value, violation), got {len(given)} things")
        return number(given[0]), number(given[1])
    return number(given)


def number(value: Any) -> float:
    """A float from anything that is one real number."""
    if type(value) is float:
        return value
    if value is None:
        raise TypeError("fun returned None: does it forget to return its value?")
    if isinstance(value, (str, bytes)) or np.iscomplexobj(value):
        raise TypeError(f"fun must return one real number, got {value!r:.200}")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"fun must return one real number, got {value!r:.200}") from None
    if array.size != 1:
        raise TypeError(f"fun must return one real number, got an array of shape {array.shape}")
    return float(array.reshape(()))
