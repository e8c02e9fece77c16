"""The runs of a study, one after the other for each space: the one that goes on, or the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial

from .. import _arguments
from . import _optuna_branches, _optuna_run
from ._optuna_book import Book, Record
from ._optuna_branches import Survey
from ._optuna_flight import Flight
from ._optuna_run import CannotReplay, Run
from ._optuna_space import Space, Vector

# Runs that stay in memory; others are replayed when their branch is taken up again.
_KEPT = 64


class Runs:
    """The latest runs, advanced to where the trials stand when they are asked for."""

    def __init__(self, given: dict[str, Any], x0: Mapping[str, Any], seed: int | None) -> None:
        self._given = given
        self._x0 = x0
        self._seed = seed
        #: By the trial that opened it, the one used last at the end.
        self.kept: dict[int, Run | Flight] = {}

    def current(self, space: Space, book: Book, survey: Survey, number: int) -> tuple[Run | Flight, Record]:
        """The newest run of this space; one that the trial of this number opens where there is none to go on."""
        opened = book.opening(space.key())
        if opened is not None:
            opener, opening = opened
            record = book.record(opening["run"], space.key())
            run = self.kept.get(opener)
            if run is None or run.opening != opening or not run.fits(record):
                run = _made(opener, opening, space, record)
            try:
                stopped = run.advance(record)
            except CannotReplay:
                stopped = True
            if not stopped:
                self.kept.pop(opener, None)
                self.kept = {**dict(list(self.kept.items())[1 - _KEPT :]), opener: run}
                return run, record
        opening = self._open(space, book, survey)
        record = book.record(opening["run"], space.key())
        run = _made(number, opening, space, record)
        run.advance(record)
        return run, record

    def _open(self, space: Space, book: Book, survey: Survey) -> dict[str, Any]:
        """How the next run is made: from `x0` or the best trial, with everything a replay needs."""
        first = book.runs() == 0
        visited = survey.branches.get(space.branch)
        best = visited.best if visited else None
        # While the start point is being evaluated, the first random draws say nothing against it.
        zero = book.trials.get(0)
        awaited = zero is not None and not zero.state.is_finished()
        if best is None or (first and (bool(self._x0) or awaited)):
            x0 = space.point(self._x0)
        else:
            x0 = space.point(best.params, best.distributions)
        opening = {
            **self._given,
            "given": self._given,
            "run": book.runs(),
            "space": space.key(),
            "seed": _arguments.seed(self._seed) if first else book.seed(),
            "x0": x0.tolist(),
            "start": next((one.number for one in (best, zero) if one is not None and _is_at(one, space, x0)), None),
            "known": _optuna_branches.latest(book, space.branch, best) if book.opening(space.key()) is None else [],
        }
        # Defaults may be others in the version that replays the run.
        made = _optuna_run.optimizer(opening).result
        found = {"strategy": made.strategy, "population": made.population}
        return {**opening, **found, "asynchronous": made.strategy != "published"}


def _made(opener: int, opening: dict[str, Any], space: Space, record: Record) -> Run | Flight:
    """The run that an opening describes; those of 0.1 had whole generations."""
    return (Flight if opening.get("asynchronous") else Run)(opener, opening, space, record)


def _is_at(trial: FrozenTrial, space: Space, x0: Vector) -> bool:
    """Whether the trial has, or will have, the value at the start of a run."""
    return (
        space.distributions.keys() <= trial.params.keys()
        and _optuna_branches.branch_of(trial) == space.branch
        and bool(np.allclose(space.point(trial.params, trial.distributions), x0, rtol=0, atol=1e-12))
    )
