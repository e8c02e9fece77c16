"""What users pass, made into what the core takes; every refusal names the argument and the remedy."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _enes
from ._arrays import Unreadable, as_numpy, is_foreign
from ._hints import unknown_option

if TYPE_CHECKING:
    from ._types import Numbers

Vector = NDArray[np.float64]


def real_array(name: str, value: Numbers) -> Vector:
    """A float64 array in C order; never a subclass, never a copy where none is needed."""
    try:
        array = as_numpy(name, value)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        if array.dtype.kind in "SUMm":
            raise TypeError(f"its entries are of type {array.dtype}")
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    except Unreadable:
        raise
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be an array of real numbers: {error}") from None


def rows(constraints: Numbers, points: int, count: int) -> Vector:
    """The values of constraints, a row for each point."""
    array = real_array("constraints", constraints)
    if array.shape != (points, count):
        raise ValueError(f"constraints must have the shape ({points}, {count}), one row for each point, got {array.shape}")
    return array


def start(x0: Numbers) -> Vector:
    """x0 as a vector; a single number is one dimension."""
    array = real_array("x0", x0)
    if array.ndim > 1:
        raise ValueError(f"x0 must be a vector, got an array of shape {array.shape}: flatten it first")
    return array.reshape(-1)


def scale(sigma0: Numbers) -> float | Vector:
    """A standard deviation, one for each coordinate, or a covariance matrix."""
    array = real_array("sigma0", sigma0)
    if array.ndim == 0:
        return float(array)
    if array.ndim > 2:
        raise ValueError(
            f"sigma0 must be a number, a vector or a covariance matrix, got an array of shape {array.shape}"
        )
    return array


def seed(rng: Any) -> int:
    """64 bits from what numpy and scipy accept as a source of randomness; 0 is a seed like any other."""
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**64, dtype=np.uint64))
    if isinstance(rng, np.random.RandomState):
        high, low = rng.randint(2**32, size=2, dtype=np.uint64)
        return int(high) << 32 | int(low)
    if isinstance(rng, np.random.SeedSequence):
        return int(rng.generate_state(1, np.uint64)[0])
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool):
        if not 0 <= rng < 2**64:
            raise ValueError(f"rng must lie between 0 and 2**64 - 1, got {rng}")
        return int(rng)
    raise TypeError(
        f"rng must be None, a whole number, a numpy Generator, RandomState or SeedSequence, got {rng!r}"
    )


def limits(bounds: Any, d: int | None) -> Vector | None:
    """Rows of lower and upper bound from scipy's `Bounds` or from pairs; None where nothing is bounded. In a
    pair None and infinities mean no bound. Without d the bounds say how many coordinates there are."""
    if bounds is None:
        return None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        sides = [np.atleast_1d(real_array(f"bounds.{name}", getattr(bounds, name))) for name in ("lb", "ub")]
        shape = np.broadcast_shapes(*(side.shape for side in sides)) if d is None else (d,)
        try:
            lower, upper = (np.broadcast_to(side, shape) for side in sides)
        except ValueError:
            raise wrong_length(max(s.size for s in sides), d) from None
    elif (table := _table(bounds, d)) is not None:
        lower, upper = table.T
    else:
        try:
            pairs = list(as_numpy("bounds", bounds) if is_foreign(bounds) else bounds)
        except TypeError:
            raise TypeError(f"bounds must be pairs (lower, upper), one for each coordinate, got {bounds!r:.100}") from None
        other_way_round(pairs, d)
        if any(np.ndim(pair) != 1 or len(pair) != 2 for pair in pairs):
            raise ValueError("bounds must be one pair (lower, upper) for each coordinate, or a scipy Bounds")
        if len(pairs) != (d or len(pairs)):
            raise wrong_length(len(pairs), d)
        lower = real_array("bounds", [-np.inf if low is None else low for low, _ in pairs])
        upper = real_array("bounds", [np.inf if high is None else high for _, high in pairs])
    for name, side, none in (("lower", lower, "None or -inf"), ("upper", upper, "None or inf")):
        if np.isnan(side).any():
            i = int(np.argmax(np.isnan(side)))
            raise ValueError(f"bounds of coordinate {i}: the {name} is nan, not a number; write {none} for no bound")
    wrong = ~(lower <= upper)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(f"bounds of coordinate {i}: the lower, {lower[i]}, must not exceed the upper, {upper[i]}")
    if np.isneginf(lower).all() and np.isposinf(upper).all():
        return None
    return np.ascontiguousarray(np.stack([lower, upper], axis=1))


def wrong_length(count: int, d: int | None) -> ValueError:
    """Either of the two may be the one that is wrong."""
    return ValueError(
        f"bounds must be one pair (lower, upper) for each coordinate: bounds has {count}, x0 has {d}; make them the same length"
    )


def _table(bounds: Any, d: int | None) -> Vector | None:
    """Bounds that are an array with one row for each coordinate. Two rows may be meant otherwise, and are looked at one by
    one, as pairs are; so is an array of another shape, for the sake of the refusal."""
    if not isinstance(bounds, np.ndarray) and not is_foreign(bounds):
        return None
    array = real_array("bounds", bounds)
    count = len(array) if array.ndim == 2 else 0
    return array if array.shape == (d or count, 2) and count != 2 else None


def other_way_round(pairs: list[Any], d: int | None) -> None:
    """Refuse pycma's bounds, one list of lower and one of upper limits, and say how to write them."""
    if len(pairs) != 2:
        return
    lower, upper = pairs
    lists = np.ndim(lower) == 1 and np.ndim(upper) == 1 and len(lower) == len(upper) == (d or 2)
    numbers = np.ndim(lower) == 0 and np.ndim(upper) == 0 and lower is not None and upper is not None
    # In two dimensions both readings have the same shape: two fixed coordinates leave nothing to search.
    fixed = lists and len(lower) == 2 and all(low == high for low, high in pairs) and lower[0] < upper[0]
    if numbers:
        remedy = f"write one pair for each coordinate: [({lower}, {upper})] * {d or 'd'}"
    elif fixed or (lists and len(lower) > 2):
        shown = ", ".join(f"({low}, {high})" for low, high in list(zip(lower, upper, strict=True))[:3])
        remedy = f"write one pair (lower, upper) for each coordinate: [{shown}{', ...' if len(lower) > 3 else ''}]"
    else:
        return
    raise ValueError(f"bounds {pairs!r:.100} are one list of lower and one of upper limits, as pycma has them; {remedy}")


LIMITS = ("ftarget", "maxfevals", "maxiter", "timeout", "algebra_threads")


def limits_to_change(given: Mapping[str, Any]) -> dict[str, Any]:
    """The limits that may change when a run continues."""
    for name in given:
        if name not in LIMITS:
            raise TypeError(f"{name!r} cannot be changed in mid-run; what can is {', '.join(LIMITS)}")
    return dict(given)


def options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options; a name that is none is an error with the nearest one."""
    for name in given:
        if name not in _enes.OPTIONS:
            raise unknown_option(name, _enes.OPTIONS)
    chosen = dict(given)
    if chosen.get("tolstagnation") == "auto":
        del chosen["tolstagnation"]
    if "shaping" in chosen and not isinstance(chosen["shaping"], str):
        chosen["shaping"] = real_array("shaping", chosen["shaping"])
    for name in ("inequalities", "equalities"):
        value = chosen.get(name)
        if isinstance(value, str):
            raise TypeError(f"{name} must be a number of constraints, or a list of their names, got {value!r}")
        if value is not None and np.ndim(value) == 1:
            chosen[name] = [str(entry) for entry in value]
    if "linear" in chosen:
        from ._constraints import linear

        given = chosen["linear"]
        each = [given] if hasattr(given, "A") else list(given)
        chosen["linear"] = [part if isinstance(part, tuple) else linear(part) for part in each]
    for name in ("log_scale", "integer"):
        if is_foreign(chosen.get(name)):
            chosen[name] = as_numpy(name, chosen[name])
        if name in chosen and np.ndim(chosen[name]) == 1:
            chosen[name] = [bool(answer) for answer in chosen[name]]
    if np.ndim(groups := chosen.get("one_hot", 0)) or isinstance(groups, (list, tuple)):
        chosen["one_hot"] = [[operator.index(i) for i in group] for group in groups]
    return chosen
