"""Optuna's distributions as coordinates: the unit cube for parameters, all real numbers for the search."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import FloatDistribution, IntDistribution, distribution_to_json

Vector = NDArray[np.float64]


class Space:
    """Numerical parameters side by side, in the order of their names.

    Each range is [0, 1], on a logarithmic scale where the distribution has one. A parameter with n + 1
    values (whole numbers, steps) has n + 1 cells: its range reaches half a step beyond both ends, so
    that the first and the last value are as likely as the others.

    A parameter in `dynamic` has another range in every trial. Its coordinate is the place within the range
    that the trial gives, and `places` hands it out.
    """

    def __init__(
        self,
        distributions: Mapping[str, Any],
        dynamic: Collection[str] = (),
        branch: Sequence[tuple[str, int]] = (),
    ) -> None:
        self.distributions = dict(sorted(distributions.items()))
        self.dynamic = frozenset(dynamic)
        self.branch = tuple(branch)

    def __len__(self) -> int:
        return len(self.distributions)

    def key(self) -> int:
        """A number that tells spaces apart: names, ranges, scales, steps and the branch that they belong to."""
        text: list[Any] = [
            [name, shape(one) if name in self.dynamic else distribution_to_json(one)]
            for name, one in self.distributions.items()
        ]
        if self.branch:
            text.append(self.branch)
        return zlib.crc32(json.dumps(text).encode())

    def params(self, point: Vector) -> dict[str, Any]:
        """The parameters at a point of the search, folded into the ranges; without the dynamic ones."""
        pairs = zip(self.distributions.items(), fold(point), strict=True)
        return {name: value(one, float(u)) for (name, one), u in pairs if name not in self.dynamic}

    def places(self, point: Vector) -> dict[str, float]:
        """Where in their ranges the dynamic parameters are to lie."""
        pairs = zip(self.distributions, fold(point), strict=True)
        return {name: float(u) for name, u in pairs if name in self.dynamic}

    def point(self, params: Mapping[str, Any], ranges: Mapping[str, Any] | None = None) -> Vector:
        """Where parameters lie, dynamic ones in the ranges that their trial had; the middle for those not given."""
        found = ranges or {}
        of = {name: found.get(name, one) if name in self.dynamic else one for name, one in self.distributions.items()}
        return np.array([unit(one, params[name]) if name in params else 0.5 for name, one in of.items()])


def shape(distribution: Any) -> list[Any]:
    """What a parameter of changing range keeps: its kind and its scale."""
    return [type(distribution).__name__, bool(distribution.log)]


def is_numerical(distribution: Any) -> bool:
    """Whether the search can move it: a float or an int with more than one value."""
    return isinstance(distribution, (FloatDistribution, IntDistribution)) and not distribution.single()


def fold(point: Vector) -> Vector:
    """Reflect every coordinate into [0, 1], as often as it takes.

    Not clipping, which would put all that lies outside on the bound itself: half of the points, where
    the mean is near it. Reflected, they stay spread, and an optimum on the bound is one like any other.
    """
    return 1.0 - np.abs(1.0 - np.mod(point, 2.0))


def value(distribution: Any, u: float) -> float | int:
    """The parameter at u in [0, 1]; never outside the range."""
    low, high = distribution.low, distribution.high
    if isinstance(distribution, IntDistribution) and distribution.log:
        inner = math.exp(_between(math.log(low - 0.5), math.log(high + 0.5), u))
        return int(min(max(round(inner), low), high))
    if isinstance(distribution, IntDistribution):
        return int(low + _cell(_cells(distribution), u) * distribution.step)
    if distribution.step is not None:
        return float(min(low + _cell(_cells(distribution), u) * distribution.step, high))
    if distribution.log:
        return float(min(max(math.exp(_between(math.log(low), math.log(high), u)), low), high))
    return float(min(max(_between(low, high, u), low), high))


def unit(distribution: Any, parameter: float | int) -> float:
    """Where a parameter lies in [0, 1]; one outside the range counts as its nearest end."""
    low, high = distribution.low, distribution.high
    if low == high:
        return 0.5
    parameter = min(max(parameter, low), high)
    if isinstance(distribution, IntDistribution) and distribution.log:
        return _share(math.log(low - 0.5), math.log(high + 0.5), math.log(parameter))
    if isinstance(distribution, IntDistribution) or distribution.step is not None:
        return float((round((parameter - low) / distribution.step) + 0.5) / _cells(distribution))
    if distribution.log:
        return _share(math.log(low), math.log(high), math.log(parameter))
    return _share(low, high, parameter)


def _cells(distribution: Any) -> int:
    return int(round((distribution.high - distribution.low) / distribution.step)) + 1


def _cell(cells: int, u: float) -> int:
    return min(int(u * cells), cells - 1)


def _between(low: float, high: float, u: float) -> float:
    # Not low + u (high - low): the width of a huge range may overflow.
    return low * (1.0 - u) + high * u


def _share(low: float, high: float, x: float) -> float:
    return (0.5 * x - 0.5 * low) / (0.5 * high - 0.5 * low)
