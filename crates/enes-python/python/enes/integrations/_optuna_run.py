"""The run behind a study of whole generations, which the published strategy needs: an optimizer that is a function of
what the storage holds. Other strategies have `_optuna_flight`.

Every trial that gets a point carries a note in its system attributes:

``at``
    ``[run, generation, index, mark]``: which point it evaluates. The mark is a checksum of the
    coordinates; the index is -1 for an extra draw, which is no point of the generation.
``closed``
    ``{generation: [trial number, ...]}``: whose results completed the generations before, written by
    the first trial that saw them complete. Where two write at once, the lower trial number holds.
``injected``
    ``{generation: [trial number, ...]}``: whose results the run was given in addition, before it was told them:
    extra draws that had finished. It goes with the entry of ``closed``.
``space``
    Which parameters the run searches: a number made from names, ranges and branch.
``branch``, ``places``
    Choices of the categorical parameters; places within ranges that change.
``run``
    How the run was made, on the trial that opened it.

Notes and finished trials never change, so every process that reads them replays the same run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from .._optimizer import Optimizer
from ._optuna_book import Record
from ._optuna_space import Space, Vector


class CannotReplay(Exception):
    """The record does not fit the run: written by another version, or copied into another study."""


@dataclass
class Generation:
    """The points asked for at one time, who has them, and what came back."""

    number: int
    points: Vector
    marks: Vector
    tolerance: float
    holders: list[list[FrozenTrial]] = field(default_factory=list)
    results: list[FrozenTrial | None] = field(default_factory=list)

    def read(self, record: Record) -> None:
        """Look up who holds the points."""
        self.holders = [
            [trial for mark, trial in record.held(self.number, i) if abs(mark - own) <= self.tolerance]
            for i, own in enumerate(self.marks)
        ]
        self.results = [answer(holders) for holders in self.holders]

    def free(self) -> list[int]:
        """The points that nobody has."""
        return [i for i, holders in enumerate(self.holders) if not holders]

    def pending(self) -> list[int]:
        """The points that somebody has and nobody has answered."""
        return [i for i, result in enumerate(self.results) if result is None and self.holders[i]]


def answer(holders: Sequence[FrozenTrial]) -> FrozenTrial | None:
    """The trial that answers for a point, None while it is pending.

    A value beats a failure. A failure counts when nobody else is at work on the point, or when it is
    the second: a holder that died without a word must not keep it open.
    """
    for state in (TrialState.COMPLETE, TrialState.PRUNED):
        for trial in holders:
            if trial.state == state:
                return trial
    failed = [trial for trial in holders if trial.state == TrialState.FAIL]
    return failed[0] if failed and (len(failed) == len(holders) or len(failed) > 1) else None


class Run:
    """An optimizer with the record of its generations; advances as results come in."""

    def __init__(self, opener: int, opening: dict[str, Any], space: Space, record: Record) -> None:
        self.opener = opener
        self.opening = opening
        self.space = space
        # Generations that were told and that no note has named yet: whose results, and which extra draws.
        self.told: dict[int, list[int]] = {}
        self.given: dict[int, list[int]] = {}
        self.known: set[int] = set()
        self.rewritten = record.rewritten
        self.es = begun(opening, space, record)
        self.generation = _ask(self.es, 0)

    @property
    def number(self) -> int:
        """0 for the first run of a study."""
        return int(self.opening["run"])

    def fits(self, record: Record) -> bool:
        """Whether the record says the same about the generations that this run has been told."""
        if record.rewritten != self.rewritten:
            return False
        for g in [g for g in self.told if g in record.closed]:
            if (record.closed[g], record.injected[g]) != (self.told.pop(g), self.given.pop(g)):
                return False
        return True

    def advance(self, record: Record) -> bool:
        """Tell every generation that is complete; True when the run has come to its end.

        Raises
        ------
        CannotReplay
            The record names results of other points than those of this run.
        """
        while not self.es.stop():
            now = self.generation
            now.read(record)
            numbers = record.closed.get(now.number)
            if numbers is not None:
                answers = [record.trial(number) for number in numbers]
                if len(answers) != len(now.points) or not all(map(_holds, answers, now.holders)):
                    raise CannotReplay
            else:
                answers = now.results
            finished = [answer for answer in answers if answer is not None and answer.state.is_finished()]
            if len(finished) < len(now.points):
                return False
            if finished:
                self.told[now.number] = [answer.number for answer in finished]
                self.given[now.number] = self._inject(record)
            values = [record.value(answer) for answer in finished]
            if record.book.constrained:
                self.es.tell(values, [record.violation(answer) for answer in finished])
            else:
                self.es.tell(values)
            if not self.es.stop():
                self.generation = _ask(self.es, now.number + 1)
        return True

    def _inject(self, record: Record) -> list[int]:
        """Give the run the results of extra draws: those that the record names, else all that have finished."""
        number = self.generation.number
        others = self._others(record)
        if number in record.closed:
            named = record.injected[number]
            others = [trial for trial in others if trial.number in named]
            if len(others) != len(named):
                raise CannotReplay
        for trial in others:
            self.es.inject(self.space.point(trial.params, trial.distributions), record.value(trial))
        self.known.update(trial.number for trial in others)
        return [trial.number for trial in others]

    def _others(self, record: Record) -> list[FrozenTrial]:
        """Extra draws that have a value and have not been given yet, in their order."""
        extra = [
            trial
            for generation, trial in record.extra.values()
            if generation <= self.generation.number
            # A value without feasibility says too little to be injected.
            if trial.state == TrialState.COMPLETE and trial.number not in self.known and not record.violation(trial)
        ]
        return sorted(extra, key=lambda trial: trial.number)

    def choose(self, record: Record, number: int) -> tuple[list[Any], Vector]:
        """The point for the trial of this number, and the words of its note.

        In this order: a point that nobody has; one whose holder is overdue; an extra draw from the
        distribution as it stands.
        """
        free = self.generation.free()
        # Neighbours that read the same record at the same time take different points.
        i = free[number % len(free)] if free else self._overdue(record, number)
        if i is not None:
            at = [self.number, self.generation.number, i, float(self.generation.marks[i])]
            return at, self._point(i)
        rng = np.random.default_rng([self.opening["seed"], self.number, number])
        extra = rng.multivariate_normal(self.es.mean, self.es.covariance, method="eigh", check_valid="ignore")
        return [self.number, self.generation.number, -1, 0.0], extra

    def is_mine(self, record: Record, number: int) -> bool:
        """Whether the trial of this number may have its point: here two may have one, and the first result counts."""
        return True

    def peek(self, record: Record, number: int) -> Vector:
        """A point for a trial whose result is not that of the point."""
        return self.choose(record, number)[1]

    def held(self, number: int, record: Record) -> Vector:
        """The point that the trial of this number has; the next one where its own is history."""
        for i, holders in enumerate(self.generation.holders):
            if any(trial.number == number for trial in holders):
                return self._point(i)
        return self.choose(record, number)[1]

    def _overdue(self, record: Record, number: int) -> int | None:
        """The pending point that was overtaken most: by as many trials as are running, for each holder.

        A dead worker's point is found by the same rule as a slow one's.
        """
        now = self.generation
        running = sum(at >= now.number for other, at in record.running.items() if other != number)
        overtaken = {}
        for i in now.pending():
            later = record.book.later(max(trial.number for trial in now.holders[i]))
            if later >= running * len(now.holders[i]):
                overtaken[i] = later
        return max(overtaken, key=overtaken.__getitem__) if overtaken else None

    def _point(self, i: int) -> Vector:
        return np.asarray(self.generation.points[i])

    def closed(self, record: Record) -> dict[str, list[int]]:
        """What the record does not say yet about the generations that were told."""
        return {str(g): numbers for g, numbers in self.told.items() if g not in record.closed}

    def injected(self, record: Record) -> dict[str, list[int]]:
        """The same about what the run was given in addition; nothing where that was nothing."""
        new = {str(g): numbers for g, numbers in self.given.items() if g not in record.closed}
        return {g: numbers for g, numbers in new.items() if numbers}


def optimizer(opening: dict[str, Any]) -> Optimizer:
    """The optimizer of a run, before its first generation."""
    seed = np.random.SeedSequence([opening["seed"], opening["run"]])
    given = {name: opening[name] for name in ("population", "strategy") if opening[name] is not None}
    if opening.get("asynchronous"):
        # The surrogate predicts values in the ranges; reflected by hand, points beyond them would have values of others.
        given |= {"bounds": [(0.0, 1.0)] * len(opening["x0"]), "restarts": "off"}
    return Optimizer(opening["x0"], opening["sigma0"], rng=seed, **given, **opening["options"])


def begun(opening: dict[str, Any], space: Space, record: Record) -> Optimizer:
    """The optimizer of a run with what it knows of earlier trials."""
    es = optimizer(opening)
    for number in opening.get("known", ()):
        trial = record.trial(number)
        if trial is not None:
            es.inject(space.point(trial.params, trial.distributions), record.value(trial))
    return es


def _holds(answer: FrozenTrial | None, holders: Sequence[FrozenTrial]) -> bool:
    return answer is not None and any(answer.number == trial.number for trial in holders)


def _ask(es: Optimizer, number: int) -> Generation:
    points = es.ask()
    marks, tolerance = mark_of(es, points)
    return Generation(number, points, marks, tolerance)


def mark_of(es: Optimizer, points: Vector) -> tuple[Any, float]:
    """A checksum of each point, and by how much it may differ: on another processor the last digits are others."""
    weights = np.sqrt(np.arange(1.0, es.dimension + 1))
    marks = points @ weights
    tolerance = 1e-6 * float(np.linalg.norm(weights * es.stds)) + 1e-14
    return marks if np.ndim(marks) else float(marks), tolerance
