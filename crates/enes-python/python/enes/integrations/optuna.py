"""A sampler for Optuna: the search of `enes.Optimizer` in `study.optimize`.

>>> import optuna
>>> from enes.integrations.optuna import EnesSampler
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> def objective(trial):
...     x = trial.suggest_float("x", -10, 10)
...     y = trial.suggest_float("y", 1e-3, 1e3, log=True)
...     return (x - 2) ** 2 + (y - 3) ** 2
>>> study = optuna.create_study(sampler=EnesSampler(seed=1))
>>> study.optimize(objective, n_trials=200)
>>> study.best_value < 1e-2
True
"""

from __future__ import annotations

import threading
import warnings
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

try:
    import optuna

    if int(optuna.__version__.split(".")[0]) < 4:
        raise ImportError(f"Optuna {optuna.__version__} is installed")
except ImportError as error:
    raise ImportError(
        f"enes.integrations.optuna needs Optuna 4 or later ({error}): pip install 'enes-opt[optuna]'"
    ) from error

from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from .. import _arguments
from .._warnings import EnesWarning
from . import _optuna_run, _optuna_space
from ._optuna_flight import Flight
from ._optuna_run import NOTE, CannotReplay, Record, Run
from ._optuna_space import Space

__all__ = ["EnesSampler"]

# What a study decides itself, and what should be used instead.
_REFUSED = {
    "bounds": "the ranges of the parameters are the bounds",
    "ftarget": "call study.stop() in a callback",
    "maxfevals": "pass n_trials to study.optimize",
    "maxiter": "pass n_trials to study.optimize",
    "rng": "pass seed",
    "timeout": "pass timeout to study.optimize",
}


# Attempts to get a place that no other process takes at the same moment.
_MOST_TRIES = 5


class EnesSampler(BaseSampler):  # type: ignore[misc]
    """An Optuna sampler that searches with `enes.Optimizer`.

    For float and int parameters, uniform, logarithmic or with steps, that every trial suggests with the
    same range. The others (categorical, conditional, of changing range) go to `independent_sampler`.
    One objective, minimized or maximized.

    Parameters
    ----------
    sigma0 : float, optional
        The initial standard deviation as a fraction of each parameter's range, on a logarithmic scale
        where the parameter has one. Default 1/6.
    x0 : mapping, optional
        Where the search starts: values by parameter name, the middle of the range for those left out.
        Default: the best trial of the study so far; the middle while the first trial is running.
    population : int, optional
        Points in a generation; chosen from the number of parameters where not given.
    seed : int, optional
        The same seed gives the same trials where they run one after the other. None: a fresh seed.
    independent_sampler : optuna BaseSampler, optional
        For the parameters outside the search; default random.
    warn_independent_sampling : bool, optional
        Warn (`enes.EnesWarning`) once for each parameter that goes to `independent_sampler`.
    strategy : str, optional
        As for `enes.Optimizer`, whose default it has.
    **options
        Other options of `enes.Optimizer`, but for those that stop it at a target or a budget.

    Notes
    -----
    *The first trial* is the start point: `x0`, or the middle of the ranges. Which parameters there are
    is known when it has finished; trials that start before then are drawn by `independent_sampler`.
    Enqueued trials run as they are; the search does not move with them but may start there.

    *Bounds.* Points outside the ranges are drawn again; ``bound_handling`` chooses otherwise. With
    ``strategy="published"`` the search moves freely and is reflected into the ranges.

    *Workers.* The state of the search follows from the trials in the storage. Threads, processes and
    machines that share a study share one search, and a program that starts again continues where
    the study is. Where workers are set up differently, the one that opened the run decides.

    *Nobody waits.* Running trials are points in flight (`enes.Optimizer.ask` with a number): each trial gets a point
    of its own, results count as they come, however late, and a worker that died holds up nothing. Pruned and failed
    trials rank last. With ``strategy="published"``, which needs whole generations, a trial that finds all points of
    the generation taken gets one whose worker is overdue, or an extra draw whose result is injected.

    *Starting again.* When the search converges, or when the parameters change, a new run starts at the
    best trial with `sigma0`, its random numbers from the seed and the number of the run.

    Each trial costs O(n + d²) time for n trials in the study, d parameters and, once per generation, the
    optimizer's own.

    Examples
    --------
    >>> import optuna
    >>> from enes.integrations.optuna import EnesSampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(direction="maximize", sampler=EnesSampler(seed=1))
    >>> study.optimize(lambda trial: -abs(trial.suggest_int("n", 1, 100) - 42), n_trials=60)
    >>> study.best_params
    {'n': 42}
    """

    _storage: Any
    _study_id: int | None
    _intersection: IntersectionSearchSpace
    _runs: dict[int, Run | Flight]

    def __init__(
        self,
        sigma0: float | None = None,
        *,
        x0: Mapping[str, Any] | None = None,
        population: int | None = None,
        seed: int | None = None,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        strategy: str | None = None,
        **options: Any,
    ) -> None:
        for name, remedy in _REFUSED.items():
            if name in options:
                raise TypeError(f"{name} is not an option of EnesSampler: {remedy}")
        if sigma0 is not None and not 0 < sigma0 < np.inf:
            raise ValueError(f"sigma0 must be positive and finite, got {sigma0}: it is a fraction of each range")
        if x0 is not None and not isinstance(x0, Mapping):
            raise TypeError(f"x0 must map parameter names to values, got {x0!r}: for example {{'x': 0.5}}")
        _arguments.options(options)
        self._x0 = dict(x0 or {})
        self._given: dict[str, Any] = {
            "sigma0": 1 / 6 if sigma0 is None else float(sigma0),
            "population": population,
            "strategy": strategy,
            "options": {name: np.asarray(value).tolist() for name, value in options.items()},
        }
        self._seed = None if seed is None else _arguments.seed(seed)
        self._independent = independent_sampler
        self._warn = warn_independent_sampling
        self._warned: set[str] = set()
        self._lock = threading.Lock()
        self._forget()
        if population is not None or "shaping" not in options:
            # What the optimizer refuses, it refuses here rather than in the middle of a study.
            made = _optuna_run.optimizer({**self._given, "x0": [0.5], "seed": 0, "run": 0})
            self._given["population"] = population and made.population

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, Any]:
        """The float and int parameters that all completed trials have in common."""
        if len(study.directions) > 1:
            raise ValueError(
                f"EnesSampler needs one objective, got a study with {len(study.directions)}: "
                "return their weighted sum, or use optuna.samplers.NSGAIISampler"
            )
        with self._lock:
            if self._storage is not study._storage or self._study_id != study._study_id:
                self._forget(study._storage, study._study_id)
            common = self._intersection.calculate(study)
        return {name: one for name, one in common.items() if _optuna_space.is_numerical(one)}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, Any]
    ) -> dict[str, Any]:
        """The parameters of the next point, noted in the trial's system attributes."""
        if not search_space:
            return {}
        space = Space(search_space)
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        # One thread at a time reads, chooses and writes: two never choose the same point.
        with self._lock:
            trials = study.get_trials(deepcopy=False)
            run, record = self._current(space, trials, sign, trial.number)
            if NOTE in trial.system_attrs:
                # Optuna tries a trial again, with the note of the first attempt.
                return space.params(run.held(trial.number, record))
            if "fixed_params" in trial.system_attrs:
                # An enqueued trial decides on parameters itself: its result is not that of the point.
                return space.params(run.peek(record, trial.number))
            for _ in range(_MOST_TRIES):
                point = self._take(run, record, study, trial)
                # Another process may have taken the place at the same moment.
                trials = study.get_trials(deepcopy=False)
                if run.is_mine(Record(run.number, trials, sign), trial.number):
                    break
                run, record = self._current(space, trials, sign, trial.number)
        return space.params(point)

    def _take(self, run: Run | Flight, record: Record, study: optuna.Study, trial: FrozenTrial) -> Any:
        """A point for the trial, noted in its system attributes."""
        at, point = run.choose(record, trial.number)
        note: dict[str, Any] = {"at": at, "closed": run.closed(record)}
        if injected := run.injected(record):
            note["injected"] = injected
        if run.opener == trial.number:
            note["run"] = run.opening
        study._storage.set_trial_system_attr(trial._trial_id, NOTE, note)
        return point

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        """A parameter outside the search: the start point in the first trial, else `independent_sampler`."""
        if trial.number == 0 and _optuna_space.is_numerical(param_distribution):
            alone = Space({param_name: param_distribution})
            return alone.params(alone.point(self._x0))[param_name]
        sampler = self._independent or RandomSampler(self._draw_seed(trial.number, param_name))
        if self._warn and param_name not in self._warned and _knew_the_space(study, trial):
            self._warned.add(param_name)
            warnings.warn(
                f"parameter {param_name!r} is drawn by {type(sampler).__name__}: the search moves float and int "
                "parameters that every trial suggests with the same range; to expect this, pass "
                "warn_independent_sampling=False",
                EnesWarning,
                stacklevel=2,
            )
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Passed on to `independent_sampler`."""
        if self._independent is not None:
            self._independent.before_trial(study, trial)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Passed on to `independent_sampler`: the search reads results when it is asked."""
        if self._independent is not None:
            self._independent.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Reseed `independent_sampler`. The search needs none: its points are shared, not drawn by each worker."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def _current(
        self, space: Space, trials: Sequence[FrozenTrial], sign: float, number: int
    ) -> tuple[Run | Flight, Record]:
        """The newest run, advanced to where the trials stand; a new one where there is none to continue."""
        opened = _optuna_run.latest_opening(trials)
        if opened is not None and opened[1]["space"] == space.key():
            opener, opening = opened
            record = Record(opening["run"], trials, sign)
            run = self._runs.get(opener)
            if run is None or run.opening != opening or not run.fits(record):
                run = _made(opener, opening, space)
            try:
                stopped = run.advance(record)
            except CannotReplay:
                stopped = True
            if not stopped:
                # More than one only where a pruner splits the study into brackets.
                self._runs = {**dict(list(self._runs.items())[-7:]), opener: run}
                self._compare(opening)
                return run, record
        opening = self._open(space, trials, sign, opened[1] if opened else None)
        run, record = _made(number, opening, space), Record(opening["run"], trials, sign)
        run.advance(record)
        return run, record

    def _open(
        self, space: Space, trials: Sequence[FrozenTrial], sign: float, before: dict[str, Any] | None
    ) -> dict[str, Any]:
        """How the next run is made: from `x0` or the best trial, with everything a replay needs."""
        complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
        # While the start point is being evaluated, the first random draws say nothing against it.
        awaited = any(trial.number == 0 and not trial.state.is_finished() for trial in trials)
        from_x0 = before is None and (bool(self._x0) or awaited)
        start = self._x0 if from_x0 or not complete else min(complete, key=lambda one: sign * one.value).params
        opening = {
            **self._given,
            "given": self._given,
            "run": before["run"] + 1 if before else 0,
            "space": space.key(),
            "seed": before["seed"] if before else _arguments.seed(self._seed),
            "x0": space.point(start).tolist(),
        }
        # Defaults may be others in the version that replays the run.
        made = _optuna_run.optimizer(opening).result
        found = {"strategy": made.strategy, "population": made.population}
        return {**opening, **found, "asynchronous": made.strategy != "published"}

    def _compare(self, opening: dict[str, Any]) -> None:
        """Say once that the run continues with other settings than this sampler's."""
        theirs = opening["given"]
        other = [name for name, mine in self._given.items() if theirs.get(name) != mine]
        if other and "given" not in self._warned:
            self._warned.add("given")
            shown = ", ".join(f"{name}={theirs.get(name)!r} (here {self._given[name]!r})" for name in other)
            warnings.warn(
                f"the study's run was opened with {shown} and keeps these settings until it starts again; "
                "for other settings, begin a new study",
                EnesWarning,
                stacklevel=2,
            )

    def _draw_seed(self, number: int, name: str) -> int | None:
        """A seed for one draw: the same after a restart, another for each trial and parameter."""
        if self._seed is None:
            return None
        words = [self._seed, number, zlib.crc32(name.encode())]
        return int(np.random.SeedSequence(words).generate_state(1)[0])

    def _forget(self, storage: Any = None, study_id: int | None = None) -> None:
        """What was read from the study before; everything can be read again."""
        self._storage, self._study_id = storage, study_id
        self._intersection = IntersectionSearchSpace()
        self._runs = {}

    def __getstate__(self) -> dict[str, Any]:
        own = ("_x0", "_given", "_seed", "_independent", "_warn", "_warned")
        return {name: self.__dict__[name] for name in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._forget()


def _made(opener: int, opening: dict[str, Any], space: Space) -> Run | Flight:
    """The run that an opening describes; those of 0.1 had whole generations."""
    return (Flight if opening.get("asynchronous") else Run)(opener, opening, space)


def _knew_the_space(study: optuna.Study, trial: FrozenTrial) -> bool:
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return any(one.datetime_complete < trial.datetime_start for one in complete)
