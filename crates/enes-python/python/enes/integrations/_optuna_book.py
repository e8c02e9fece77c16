"""What the trials of a study say, read once each: a trial that has ended does not change.

Reading takes time for the trials that began or ended since the last time, and not for those before.
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from optuna.trial import FrozenTrial, TrialState

NOTE = "enes"
# Where Optuna keeps the values of constraints: all in a list, or one under each name.
CONSTRAINTS = "constraints"


def note_of(trial: FrozenTrial) -> dict[str, Any]:
    """The note of a trial, empty where it has none."""
    note = trial.system_attrs.get(NOTE)
    return note if isinstance(note, dict) and "at" in note else {}


def violation_of(trial: FrozenTrial) -> float | None:
    """By how much a trial violates its constraints in all; 0 where it is feasible, None where it has none."""
    listed = trial.system_attrs.get(CONSTRAINTS)
    found = [float(one) for one in listed or ()]
    found += [float(one) for name, one in trial.system_attrs.items() if name.startswith(CONSTRAINTS + ":")]
    if not found and listed is None:
        return None
    return math.fsum(max(one, 0.0) for one in found)


def store_constraints(
    study: Any, trial: FrozenTrial, constraints: Callable[[FrozenTrial], Sequence[float]]
) -> None:
    """Ask for the constraints of a trial and keep them where Optuna's samplers keep theirs."""
    found = constraints(trial)
    try:
        values = [float(one) for one in found]
    except TypeError:
        raise TypeError(f"constraints_func must return a sequence of numbers, got {found!r:.100}") from None
    if any(math.isnan(one) for one in values):
        raise ValueError(f"constraints_func must return numbers, got {found!r:.100}: 0 or less is feasible")
    study._storage.set_trial_system_attr(trial._trial_id, CONSTRAINTS, values)


class Record:
    """What the storage says about one run."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.closed: dict[int, list[int]] = {}
        self.injected: dict[int, list[int]] = {}
        self.holders: dict[tuple[int, int], dict[int, tuple[float, FrozenTrial]]] = {}
        self.extra: dict[int, tuple[int, FrozenTrial]] = {}
        self.running: dict[int, int] = {}
        #: How often an entry was replaced by another: what followed from it must be computed again.
        self.rewritten = 0
        self._writers: dict[int, int] = {}
        self._places: dict[int, tuple[int, int]] = {}

    def enter(self, trial: FrozenTrial, note: dict[str, Any]) -> None:
        """A trial of this run, or what became of it."""
        _, generation, index, mark = note["at"]
        if index == -1:
            self.extra[trial.number] = generation, trial
        else:
            # A trial whose point another process took at the same moment has got another one.
            before = self._places.get(trial.number, (generation, index))
            if before != (generation, index):
                del self.holders[before][trial.number]
            self._places[trial.number] = generation, index
            self.holders.setdefault((generation, index), {})[trial.number] = mark, trial
        if trial.state.is_finished():
            self.running.pop(trial.number, None)
        else:
            self.running[trial.number] = generation
        for closed, numbers in note.get("closed", {}).items():
            g = int(closed)
            # Where two wrote at once, the lower number holds, in whatever order they are read.
            if trial.number >= self._writers.get(g, math.inf):
                continue
            said = numbers, note.get("injected", {}).get(closed, [])
            if g in self.closed and said != (self.closed[g], self.injected[g]):
                self.rewritten += 1
            self._writers[g] = trial.number
            self.closed[g], self.injected[g] = said

    def held(self, generation: int, index: int) -> list[tuple[float, FrozenTrial]]:
        """Who has this point, the lowest number first."""
        there = self.holders.get((generation, index), {})
        return [there[number] for number in sorted(there)]

    def trial(self, number: int) -> FrozenTrial | None:
        """The trial of this number, where there is one."""
        return self.book.trials.get(number)

    def value(self, trial: FrozenTrial) -> float:
        """What the optimizer is told, smaller is better: NaN, the last rank, unless the trial completed."""
        return self.book.sign * trial.value if trial.state == TrialState.COMPLETE else math.nan

    def violation(self, trial: FrozenTrial) -> float:
        """The violation that goes with it: NaN, a failure, unless the trial completed."""
        return violation_of(trial) or 0.0 if trial.state == TrialState.COMPLETE else math.nan


class Book:
    """The trials of a study, by number, by run, and those that have ended in the order of their numbers."""

    def __init__(self, sign: float) -> None:
        self.sign = sign
        self.trials: dict[int, FrozenTrial] = {}
        self.finished: list[int] = []
        self.constrained = False
        self.best: FrozenTrial | None = None
        self._records: dict[tuple[int, int], Record] = {}
        self._openings: dict[tuple[int, int], tuple[int, dict[str, Any]]] = {}
        self._spaces: dict[int, int] = {}
        self._runs = 0
        self._waiting: dict[int, tuple[tuple[str, int], ...]] = {}
        self._newest: dict[int, int] = {}
        self._settled = 0
        self._last: int | None = None

    def continues(self, trials: Sequence[FrozenTrial]) -> bool:
        """Whether these are the trials read before, and perhaps more of them."""
        n = self._settled
        return n == 0 or (len(trials) >= n and trials[n - 1].number == self._last)

    def read(self, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
        """Take in what is new; the trials that have ended since the last time."""
        ended = []
        settled = self._settled
        for i in range(settled, len(trials)):
            trial = trials[i]
            finished = trial.state.is_finished()
            before = self.trials.get(trial.number)
            if before is None or not before.state.is_finished():
                self._enter(trial)
                if finished:
                    ended.append(trial)
            if finished and i == self._settled:
                self._settled, self._last = i + 1, trial.number
        return ended

    def _enter(self, trial: FrozenTrial) -> None:
        self.trials[trial.number] = trial
        if trial.state.is_finished():
            bisect.insort(self.finished, trial.number)
        if trial.state == TrialState.COMPLETE:
            self.constrained = self.constrained or violation_of(trial) is not None
            if self.best is None or self.order(trial) < self.order(self.best):
                self.best = trial
        if trial.state.is_finished():
            self._waiting.pop(trial.number, None)
        elif branch := (trial.system_attrs.get(NOTE) or {}).get("branch"):
            self._waiting[trial.number] = tuple((name, i) for name, i in branch)
        note = note_of(trial)
        if not note:
            return
        opening = note.get("run")
        run = note["at"][0]
        if opening:
            space = opening["space"]
            known = self._openings.get((space, run))
            # Where two opened it at once, the lower number holds.
            if known is None or trial.number < known[0]:
                self._openings[space, run] = trial.number, opening
            self._newest[space] = max(run, self._newest.get(space, 0))
            self._spaces.setdefault(run, space)
            self._runs = max(self._runs, run + 1)
        # Two processes may give runs of two spaces the same number; notes of 0.1 do not name the space.
        self.record(run, note.get("space", self._spaces.get(run, 0))).enter(trial, note)

    def order(self, trial: FrozenTrial) -> tuple[float, float]:
        """What sorts completed trials: feasible before infeasible, then by value."""
        return violation_of(trial) or 0.0, self.sign * trial.value

    def record(self, run: int, space: int) -> Record:
        """What the trials say about this run of this space."""
        return self._records.setdefault((space, run), Record(self))

    def runs(self) -> int:
        """How many runs were opened."""
        return self._runs

    def opening(self, space: int) -> tuple[int, dict[str, Any]] | None:
        """The trial that opened the newest run of this space, and how."""
        newest = self._newest.get(space)
        return None if newest is None else self._openings[space, newest]

    def seed(self) -> int | None:
        """The seed of the first run."""
        first = min(self._openings.values(), key=lambda one: (one[1]["run"], one[0]), default=None)
        return None if first is None else int(first[1]["seed"])

    def waiting(self, number: int) -> Counter[tuple[tuple[str, int], ...]]:
        """How many trials are at work in each branch, this one aside."""
        return Counter(branch for other, branch in self._waiting.items() if other != number)

    def later(self, number: int) -> int:
        """How many trials after this one have ended."""
        return len(self.finished) - bisect.bisect_right(self.finished, number)
