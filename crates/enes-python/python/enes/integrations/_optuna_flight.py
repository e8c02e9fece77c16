"""The run behind a study where nobody waits: running trials are points in flight.

Every trial that gets a point carries a note in its system attributes:

``at``
    ``[run, place, 0, mark]``: which point it evaluates, counted as they were handed out. The mark is a checksum of
    the coordinates.
``closed``
    ``{place: [trial number, ...]}``: whose results the search was told since the point before, in this order.

Notes and finished trials never change, so every process that reads them repeats the same calls and has the same
search. Where two processes ask at the same moment, the lower trial number holds the place, and the other one asks
again as soon as it sees the note of the first.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial

from ._optuna_run import CannotReplay, Record, answer, mark_of, note_of, optimizer
from ._optuna_space import Space, Vector


#: Draws of a point that no other trial has.
MOST_DRAWS = 20


class Flight:
    """An optimizer with what it was asked and told; results count as they come."""

    def __init__(self, opener: int, opening: dict[str, Any], space: Space) -> None:
        self.opener = opener
        self.opening = opening
        self.space = space
        self.es = optimizer(opening)
        #: By place: the trial that has the point, and whose results were told before it was asked for.
        self.asked: list[tuple[int, list[int]]] = []
        self.points: list[Vector] = []
        self.marks: list[tuple[float, float]] = []
        #: The points whose results are awaited: place and the optimizer's number.
        self.flying: dict[int, int] = {}
        #: Parameters that were handed out, or, where they are whole numbers or steps, that are awaited.
        self.taken: dict[tuple[Any, ...], int] = {}
        self.continuous = all(_is_continuous(one) for one in space.distributions.values())
        #: Whose results were told since the last point.
        self.new: list[int] = []

    @property
    def number(self) -> int:
        """0 for the first run of a study."""
        return int(self.opening["run"])

    def fits(self, record: Record) -> bool:
        """Whether the record says the same about what this run was asked and told."""
        for place, (number, told) in enumerate(self.asked):
            holders = record.holders.get((place, 0))
            if not holders or holders[0][1].number != number or record.closed.get(place, []) != told:
                return False
        following = len(self.asked)
        return not self.new or following not in record.closed or record.closed[following] == self.new

    def advance(self, record: Record) -> bool:
        """Repeat what the record has, then tell every result that has come; True when the run has come to its end.

        Raises
        ------
        CannotReplay
            The record names other points than those of this run.
        """
        while holders := record.holders.get((len(self.asked), 0)):
            if not self.new:
                for number in record.closed.get(len(self.asked), []):
                    self._tell(record, record.trial(number))
            mark, first = holders[0]
            self._ask(first.number)
            own, tolerance = self.marks[-1]
            if abs(own - mark) > tolerance:
                raise CannotReplay
        landed = [answer(self._holders(record, place)) for place in sorted(self.flying)]
        # Without a clock in common any order would do; this one is nearly that of the results.
        for trial in sorted((one for one in landed if one is not None), key=_when):
            self._tell(record, trial)
        return bool(self.es.stop())

    def _holders(self, record: Record, place: int) -> list[FrozenTrial]:
        """The trials that have the point: not those that were given the place when the search stood elsewhere."""
        own, tolerance = self.marks[place]
        return [trial for mark, trial in record.holders[place, 0] if abs(mark - own) <= tolerance]

    def is_mine(self, record: Record, number: int) -> bool:
        """Whether the latest place belongs to the trial of this number, as the record has it now."""
        return bool(record.holders[len(self.asked) - 1, 0][0][1].number == number)

    def _tell(self, record: Record, trial: FrozenTrial | None) -> None:
        place = note_of(trial)["at"][1] if trial is not None and note_of(trial) else None
        if trial is None or place not in self.flying or not trial.state.is_finished():
            raise CannotReplay
        self.es.tell_one(self.flying.pop(place), record.value(trial))
        self.new.append(trial.number)
        if not self.continuous:
            self.taken = {key: holder for key, holder in self.taken.items() if holder != place}

    def _ask(self, number: int) -> Vector:
        """The next point that no other trial has; where whole numbers leave none, it is handed out all the same."""
        for draw in range(MOST_DRAWS):
            proposals = self.es.ask(1)
            if not proposals:
                raise CannotReplay
            id, x = proposals[0]
            key = tuple(self.space.params(x).values())
            if key not in self.taken or draw + 1 == MOST_DRAWS:
                break
            self.es.forget(id)
        place = len(self.asked)
        self.asked.append((number, self.new))
        self.points.append(x)
        self.marks.append(mark_of(self.es, x))
        self.flying[place] = id
        self.taken.setdefault(key, place)
        self.new = []
        return x

    def choose(self, record: Record, number: int) -> tuple[list[Any], Vector]:
        """The point for the trial of this number, and the words of its note."""
        x = self._ask(number)
        return [self.number, len(self.points) - 1, 0, self.marks[-1][0]], x

    def peek(self, record: Record, number: int) -> Vector:
        """A point for a trial whose result is not that of the point."""
        return np.asarray(copy.copy(self.es).ask(1)[0].x)

    def held(self, number: int, record: Record) -> Vector:
        """The point that the trial of this number has."""
        for (place, _), holders in record.holders.items():
            if place < len(self.points) and any(trial.number == number for _, trial in holders):
                return self.points[place]
        return self.peek(record, number)

    def closed(self, record: Record) -> dict[str, list[int]]:
        """What was told before the latest point."""
        return {str(len(self.asked) - 1): self.asked[-1][1]}

    def injected(self, record: Record) -> dict[str, list[int]]:
        """Nothing: every point is one of the search's own."""
        return {}


def _is_continuous(distribution: Any) -> bool:
    return isinstance(distribution, FloatDistribution) and distribution.step is None


def _when(trial: FrozenTrial) -> tuple[Any, int]:
    return trial.datetime_complete or trial.datetime_start, trial.number
