"""Single points: asked one at a time and told in any order, or evaluated elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _arguments, _enes
from ._arrays import local
from ._hints import explain_sharing

if TYPE_CHECKING:
    from ._types import HasDLPack, Numbers


class Proposal(NamedTuple):
    """A point to evaluate, and the number under which its value is told."""

    id: int
    x: NDArray[np.float64]


def possible(id: int) -> int:
    """A number that `ask` can have given."""
    if id < 0:
        raise ValueError(f"point {id} is not in flight: `ask` gives numbers from 0 on")
    return id


@explain_sharing
class SinglePoints:
    """What `enes.Optimizer` has for them, besides ``ask(n)``."""

    _core: _enes.Core

    def tell_one(
        self,
        id: int,
        value: float | HasDLPack | None,
        violation: float | HasDLPack | None = None,
        *,
        constraints: Numbers | None = None,
    ) -> None:
        """The value of one point of ``ask(n)``, in any order; however late it comes, it counts.

        Parameters
        ----------
        id : int
            The number that `ask` gave.
        value : float
            Any real number. NaN and None rank last; infinities are legal.
        violation : float, optional
            By how much the point violates the constraints, 0 or less where it is feasible.
        constraints : array_like, shape (m,), optional
            The values of the constraints that are declared, inequalities before equalities.

        Raises
        ------
        ValueError
            The point is not in flight: it was told or forgotten before, or never asked. Nothing has changed then.

        Examples
        --------
        >>> import enes
        >>> es = enes.Optimizer([1, 2], 0.5, rng=1, ftarget=1e-9)
        >>> running = es.ask(4)
        >>> while running:
        ...     id, x = running.pop()  # whichever is first
        ...     es.tell_one(id, (x**2).sum())
        ...     running[:0] = es.ask(1)
        >>> es.stop()
        {'ftarget': 1e-09}
        """
        row = None if constraints is None else _arguments.real_array("constraints", constraints).reshape(-1)
        number = float("nan") if value is None else float(local("value", value))
        self._core.tell_one(possible(id), number, local("violation", violation), row)

    def forget(self, id: int) -> None:
        """A point of ``ask(n)`` will never come back: it is no evaluation, and nothing waits for it.

        Raises
        ------
        ValueError
            The point is not in flight.
        """
        self._core.forget(possible(id))

    @property
    def in_flight(self) -> list[Proposal]:
        """The points of ``ask(n)`` that have been neither told nor forgotten, in the order of asking."""
        return [Proposal(id, x) for id, x in self._core.in_flight()]

    def inject(self, x: Numbers, value: float | HasDLPack, *, constraints: Numbers | None = None) -> None:
        """Give a point that was evaluated elsewhere, at any time: it counts for the best and the target at once.

        It is no evaluation of this run (`injected` counts them) and no sample of its distribution. The
        adaptive strategy learns from it; one that is better than all of the present search moves the mean
        towards it, within limits, before the next generation is drawn. What `ask` has handed out stays as it
        is. NaN is counted and otherwise ignored.

        Parameters
        ----------
        x : array_like, shape (d,)
            The point, within the bounds.
        value : float
            What the objective gave there. A point without a value must be evaluated first.
        constraints : array_like, shape (m,), optional
            The values of the constraints that are declared, inequalities before equalities.

        Raises
        ------
        ValueError
            Another length, a coordinate outside its bounds or not finite. Nothing has changed then.

        Examples
        --------
        >>> import enes
        >>> es = enes.Optimizer([1, 2], 0.5, rng=1)
        >>> es.inject([0.1, 0.2], 0.05)
        >>> es.result.fun, es.injected, es.evaluations
        (0.05, 1, 0)
        """
        point = _arguments.real_array("x", x)
        if point.ndim != 1:
            raise ValueError(f"x must be one point of shape (d,), got {point.shape}: inject one after the other")
        number = _arguments.real_array("value", local("value", value))
        if value is None or number.ndim != 0:
            raise TypeError(f"value must be a number, got {value!r}: evaluate the point first")
        row = None if constraints is None else _arguments.real_array("constraints", constraints).reshape(-1)
        self._core.inject(point, float(number), row)

    @property
    def injected(self) -> int:
        """Points injected so far."""
        return self._core.injected
