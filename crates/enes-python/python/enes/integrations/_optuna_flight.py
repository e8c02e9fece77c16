"""The run behind a study where nobody waits: running trials are points in flight.

Every trial that gets a point carries a note, as in `_optuna_run`, with

``at``
    ``[run, place, 0, mark]``: which point it evaluates, counted as they were handed out. The mark is a checksum of
    the coordinates.
``closed``
    ``{place: [trial number, ...]}``: whose results the search was told since the point before, in this order.

The opening names the trial at whose parameters the search starts. It has the start's place, which no other trial gets.

Every process that reads the notes repeats the same calls and has the same search. Where two processes ask at the same
moment the lower trial number holds the place, and the other one asks again when it sees that.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial

from ._optuna_book import Record, note_of
from ._optuna_run import CannotReplay, answer, begun, mark_of
from ._optuna_space import Space, Vector

# Draws of a point that no other trial has.
MOST_DRAWS = 20
# The place of the start.
START = -1


class Flight:
    """An optimizer with what it was asked and told; results count as they come."""

    def __init__(self, opener: int, opening: dict[str, Any], space: Space, record: Record) -> None:
        self.opener = opener
        self.opening = opening
        self.space = space
        self.es = begun(opening, space, record)
        #: By place: the point and its mark.
        self.points: list[Vector] = []
        self.marks: list[tuple[float, float]] = []
        #: The places whose results are awaited, and the optimizer's numbers of their points; none of its own for a point aside.
        self.flying: dict[int, int | None] = {}
        #: Whose results were told since the last point, and before it.
        self.new: list[int] = []
        self.before: list[int] = []
        self.rewritten = record.rewritten
        #: Parameters that were handed out, or, where they are whole numbers or steps, that are awaited.
        self.taken: dict[tuple[Any, ...], int] = {}
        self.continuous = all(_is_continuous(one) for one in space.distributions.values())
        self.start: int | None = opening.get("start")
        if self.start is not None and np.array_equal(self._next(), opening["x0"]):
            self.flying[START] = self.es.ask(1)[0].id

    @property
    def number(self) -> int:
        """0 for the first run of a study."""
        return int(self.opening["run"])

    def fits(self, record: Record) -> bool:
        """Whether the record says the same about what this run was asked and told."""
        place = len(self.points)
        return (
            record.rewritten == self.rewritten
            and (place == 0 or record.closed.get(place - 1) == self.before)
            and (not self.new or record.closed.get(place, self.new) == self.new)
        )

    def advance(self, record: Record) -> bool:
        """Repeat what the record has, then tell every result that has come; True when the run has come to its end.

        Raises
        ------
        CannotReplay
            The record names other points than those of this run.
        """
        while holders := record.held(len(self.points), 0):
            if not self.new:
                for number in record.closed.get(len(self.points), []):
                    self._tell(record, record.trial(number))
            self._ask()
            if not self._has_mark(len(self.points) - 1, holders[0][0]):
                raise CannotReplay
        landed = [answer(self._holders(record, place)) for place in sorted(self.flying)]
        # Without a clock in common any order would do; this one is nearly that of the results.
        for trial in sorted((one for one in landed if one is not None), key=_when):
            self._tell(record, trial)
        return bool(self.es.stop())

    def _has_mark(self, place: int, mark: float) -> bool:
        own, tolerance = self.marks[place]
        return abs(mark - own) <= tolerance

    def _holders(self, record: Record, place: int) -> list[FrozenTrial]:
        """The trials that have the point: not those that were given the place when the search stood elsewhere."""
        if place == START:
            start = None if self.start is None else record.trial(self.start)
            return [] if start is None else [start]
        return [trial for mark, trial in record.held(place, 0) if self._has_mark(place, mark)]

    def _tell(self, record: Record, trial: FrozenTrial | None) -> None:
        if trial is None or not trial.state.is_finished():
            raise CannotReplay
        place = START if trial.number == self.start else note_of(trial).get("at", (0, None))[1]
        if place not in self.flying:
            raise CannotReplay
        violation = record.violation(trial) if record.book.constrained else None
        id = self.flying.pop(place)
        if id is None:
            if not violation:  # what breaks a constraint cannot be injected
                self.es.inject(self.points[place], record.value(trial))
        else:
            self.es.tell_one(id, record.value(trial), violation)
        self.new.append(trial.number)
        if not self.continuous:
            self.taken = {key: holder for key, holder in self.taken.items() if holder != place}

    def _ask(self) -> Vector:
        """The next point that no other trial has; where whole numbers leave none, it is handed out all the same."""
        for draw in range(MOST_DRAWS):
            proposals = self.es.ask(1)
            if not proposals:
                raise CannotReplay
            id: int | None
            id, x = proposals[0]
            if self._key(x) not in self.taken:
                break
            aside = self._aside(x) if draw + 1 == MOST_DRAWS else None
            if aside is not None or draw + 1 < MOST_DRAWS:
                self.es.forget(id)
            if aside is not None:
                id, x = None, aside
        place = len(self.points)
        self.points.append(x)
        self.marks.append(mark_of(self.es, x))
        self.flying[place] = id
        self.taken.setdefault(self._key(x), place)
        self.new, self.before = [], self.new
        return x

    def _key(self, x: Vector) -> tuple[Any, ...]:
        return (*self.space.params(x).values(), *self.space.places(x).values())

    def _aside(self, x: Vector) -> Vector | None:
        """The nearest point that no other trial has, of those that differ in one whole number or step."""
        params = self.space.params(x)
        steps = {name: one for name, one in self.space.distributions.items() if name in params and not _is_continuous(one)}
        most = max((round((one.high - one.low) / one.step) for one in steps.values()), default=0)
        for away in range(1, most + 1):
            for name, one in steps.items():
                for value in (params[name] - away * one.step, params[name] + away * one.step):
                    if one.low <= value <= one.high:
                        aside = self.space.point({**params, name: value})
                        if self._key(aside) not in self.taken:
                            return aside
        return None

    def choose(self, record: Record, number: int) -> tuple[list[Any], Vector]:
        """The next point, and the words of its note."""
        x = self._ask()
        return [self.number, len(self.points) - 1, 0, self.marks[-1][0]], x

    def is_mine(self, record: Record, number: int) -> bool:
        """Whether the latest place belongs to the trial of this number, as the record has it now."""
        return bool(record.held(len(self.points) - 1, 0)[0][1].number == number)

    def peek(self, record: Record, number: int) -> Vector:
        """A point for a trial whose result is not that of the point."""
        return self._next()

    def _next(self) -> Vector:
        """The point that would be next; nothing is handed out."""
        return copy.copy(self.es).ask(1)[0].x

    def held(self, number: int, record: Record) -> Vector:
        """The point that the trial of this number has."""
        trial = record.trial(number)
        if trial is not None and note_of(trial):
            place, mark = int(note_of(trial)["at"][1]), float(note_of(trial)["at"][3])
            if place < len(self.points) and self._has_mark(place, mark):
                return self.points[place]
        return self._next()

    def closed(self, record: Record) -> dict[str, list[int]]:
        """What was told before the latest point."""
        return {str(len(self.points) - 1): self.before}

    def injected(self, record: Record) -> dict[str, list[int]]:
        """Nothing: every point is one of the search's own."""
        return {}


def _is_continuous(distribution: Any) -> bool:
    return isinstance(distribution, FloatDistribution) and distribution.step is None


def _when(trial: FrozenTrial) -> tuple[Any, int]:
    return trial.datetime_complete or trial.datetime_start, trial.number
