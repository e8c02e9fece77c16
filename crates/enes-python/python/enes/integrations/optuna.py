"""A sampler for Optuna: the search of `enes.Optimizer` in `study.optimize`."""

from __future__ import annotations

import threading
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
from optuna.storages import InMemoryStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from .. import _arguments
from .._warnings import EnesWarning
from . import _optuna_book, _optuna_branches, _optuna_options, _optuna_run, _optuna_space
from ._optuna_book import NOTE, Book
from ._optuna_branches import Branch, Survey
from ._optuna_runs import Runs
from ._optuna_space import Space, Vector

if TYPE_CHECKING:
    from .._types import SamplerOptions, Strategy, Unpack

__all__ = ["EnesSampler"]

# Attempts to get a place in the search that no other process takes at the same moment.
_MOST_TRIES = 5

class EnesSampler(BaseSampler):  # type: ignore[misc]
    """An Optuna sampler that searches with `enes.Optimizer`.

    Floats and ints, uniform, logarithmic or with steps, are searched together, those of each branch by a run
    of their own. A branch is a choice for every categorical parameter; conditional parameters belong to the
    branches whose trials suggest them. One objective, minimized or maximized.

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
        For parameters that the search does not know yet; default random.
    constraints_func : callable, optional
        ``constraints_func(trial) -> sequence of float``, after each trial that completed: 0 or less is feasible.
        Feasible trials come before infeasible ones, those by the sum of what exceeds 0. Constraints that the
        objective sets with Optuna 5's ``trial.set_constraint`` count alike.
    warn_independent_sampling : bool, optional
        Warn (`enes.EnesWarning`) once for each parameter that goes to `independent_sampler` although trials
        were complete.
    strategy : str, optional
        As for `enes.Optimizer`, whose default it has.
    **options
        Other options of `enes.Optimizer`, but for those that stop it at a target or a budget.

    Notes
    -----
    *The first trial* is the start point: `x0`, or the middle of the ranges. Which parameters there are
    is known when it has finished; trials that start before then are drawn by `independent_sampler`.
    Enqueued trials run as they are; the search does not move with them but may start there.

    *Categorical parameters.* Every choice is tried once; then branches are ordered by their best trials, and the one in
    place p gets 1/p² of the effort of the first, in units of its number of parameters and three more trials. Branches
    without trials have a place in this order, too, by how branches with the same choices do. A new branch begins with
    the numbers of the best trial.

    *Ranges* are bounds of the search (`enes.Optimizer`, ``bound_handling``), and no points heap up on them. A range that is
    another in every trial is searched by the place within it.

    *Workers.* The state of the search follows from the trials in the storage. Threads, processes and
    machines that share a study share one search, and a program that starts again continues where
    the study is. Where workers are set up differently, the one that opened the run decides.

    *Nobody waits.* Running trials are points in flight (`enes.Optimizer.ask` with a number): each trial gets a point
    of its own, results count as they come, however late, and a worker that died holds up nothing. Pruned and failed
    trials rank last. With ``strategy="published"``, which needs whole generations, a trial that finds all points of
    the generation taken gets one whose worker is overdue, or an extra draw whose result is injected.

    *Starting again.* When the search converges, or when the parameters change, a new run starts at the
    best trial with `sigma0`, its random numbers from the seed and the number of the run.

    A suggestion reads the trials that began or ended since the last one. Its time does not grow with their
    number, but for Optuna's own.

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

    _books: list[tuple[Book, Survey]]
    _runs: Runs
    _planned: dict[int, dict[str, Any]]

    def __init__(
        self,
        sigma0: float | None = None,
        *,
        x0: Mapping[str, Any] | None = None,
        population: int | None = None,
        seed: int | None = None,
        independent_sampler: BaseSampler | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        warn_independent_sampling: bool = True,
        strategy: Strategy | None = None,
        **options: Unpack[SamplerOptions],
    ) -> None:
        _optuna_options.check(options)
        if sigma0 is not None and not 0 < sigma0 < np.inf:
            raise ValueError(f"sigma0 must be positive and finite, got {sigma0}: it is a fraction of each range")
        if x0 is not None and not isinstance(x0, Mapping):
            raise TypeError(f"x0 must map parameter names to values, got {x0!r}: for example {{'x': 0.5}}")
        if constraints_func is not None and not callable(constraints_func):
            raise TypeError(f"constraints_func must be a function of a trial, got {constraints_func!r:.100}")
        self._x0 = dict(x0 or {})
        self._given: dict[str, Any] = {
            "sigma0": 1 / 6 if sigma0 is None else float(sigma0),
            "population": population,
            "strategy": strategy,
            "options": {name: np.asarray(value).tolist() for name, value in options.items()},
        }
        self._seed = None if seed is None else _arguments.seed(seed)
        self._independent = independent_sampler
        self._constraints = constraints_func
        self._warn = warn_independent_sampling
        self._warned: set[str] = set()
        self._lock = threading.Lock()
        self._forget()
        if population is not None or "shaping" not in options:
            # What the optimizer refuses, it refuses here rather than in the middle of a study.
            made = _optuna_run.optimizer({**self._given, "x0": [0.5], "seed": 0, "run": 0})
            self._given["population"] = population and made.population

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, Any]:
        """The parameters of completed trials, but for those whose ranges change: these are placed when suggested."""
        _optuna_options.refuse_several_objectives(study)
        with self._lock:
            _, survey = self._read(study)
            found = sorted(survey.distributions.items())
            return {name: one for name, one in found if name not in survey.dynamic and not one.single()}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, Any]
    ) -> dict[str, Any]:
        """The choices and numbers of the next point, noted in the trial's system attributes."""
        _optuna_options.refuse_several_objectives(study)
        # One thread at a time reads, chooses and writes: two never choose the same point.
        with self._lock:
            book, survey = self._read(study)
            if not survey.distributions:
                return {}
            before = trial.system_attrs.get(NOTE)
            branch = self._branch(survey, book, trial, search_space, before)
            params = {name: search_space[name].choices[i] for name, i in branch if name in search_space}
            numbers = {
                name: search_space.get(name, one)
                for name, one in survey.numbers(branch).items()
                if name in search_space or name in survey.dynamic
            }
            note: dict[str, Any] = {"branch": branch} if branch else {}
            if branch in survey.branches and numbers:
                space = Space(numbers, survey.dynamic & numbers.keys(), branch)
                params |= space.params(self._point(study, trial, space, note, book, survey))
            else:
                params |= self._start(search_space, book) if branch not in survey.branches else {}
                self._write(study, trial, note)
            self._planned[trial.number] = params
            while len(self._planned) > 256:
                del self._planned[next(iter(self._planned))]
        return params

    def _point(
        self, study: optuna.Study, trial: FrozenTrial, space: Space, note: dict[str, Any], book: Book, survey: Survey
    ) -> Vector:
        """The point of the trial, its note being completed and written."""
        before = trial.system_attrs.get(NOTE)
        for _ in range(_MOST_TRIES):
            run, record = self._runs.current(space, book, survey, trial.number)
            self._compare(run.opening)
            if before and "at" in before:
                # Optuna tries a trial again, with the note of the first attempt.
                return run.held(trial.number, record)
            if before or _is_fixed(trial):
                return run.peek(record, trial.number)
            at, point = run.choose(record, trial.number)
            note |= {"at": at, "space": space.key(), "closed": run.closed(record)}
            note |= {
                "injected": run.injected(record),
                "run": run.opening if run.opener == trial.number else {},
                "places": space.places(point),
            }
            self._write(study, trial, {name: one for name, one in note.items() if one or name == "closed"})
            if isinstance(study._storage, InMemoryStorage):
                return point
            # Another process may have taken the place at the same moment.
            book, survey = self._read(study)
            if run.is_mine(record, trial.number):
                break
        return point

    def _write(self, study: optuna.Study, trial: FrozenTrial, note: dict[str, Any]) -> None:
        """Keep the note, once; an enqueued trial has none, since its result is not that of a point."""
        if note and not trial.system_attrs.get(NOTE) and not _is_fixed(trial):
            study._storage.set_trial_system_attr(trial._trial_id, NOTE, note)

    def _branch(
        self, survey: Survey, book: Book, trial: FrozenTrial, search_space: dict[str, Any], before: Any
    ) -> Branch:
        """The branch that the trial was given before, else the one to go to next."""
        if before:
            return tuple((name, i) for name, i in before.get("branch", ()))
        rng = np.random.default_rng([self._seed or 0, trial.number])
        return _optuna_branches.choose(survey, book.waiting(trial.number), search_space, rng)

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: Any
    ) -> Any:
        """A parameter that is not in the search yet: where the search starts, else `independent_sampler`."""
        _optuna_options.refuse_several_objectives(study)
        planned = self._place(study, trial, param_name, param_distribution)
        if planned is not None:
            return planned
        sampler = self._independent or RandomSampler(self._draw_seed(trial.number, param_name))
        if self._warn and param_name not in self._warned and _knew_the_space(study, trial):
            self._warned.add(param_name)
            warnings.warn(
                f"parameter {param_name!r} is drawn by {type(sampler).__name__}: no completed trial with the same "
                "choices had it; to expect this, pass warn_independent_sampling=False",
                EnesWarning,
                stacklevel=2,
            )
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def _place(self, study: optuna.Study, trial: FrozenTrial, name: str, distribution: Any) -> Any:
        """Where the search wants this parameter, None where it has no wish.

        A range that changes gets its place from the note. A planned value that the range no longer holds
        becomes the nearest that it does. The first trial of a study, and the first of a branch with a parameter
        that is new, take `x0`, else the middle.
        """
        first = trial.number == 0
        if not _optuna_space.is_numerical(distribution):
            start = self._x0.get(name) if first else None
            return start if start is not None and start in distribution.choices else None
        note = trial.system_attrs.get(NOTE) or {}
        if name in note.get("places", {}):
            return _optuna_space.value(distribution, float(_optuna_space.fold(np.array(note["places"][name]))))
        planned = self._planned.get(trial.number, {}).get(name)
        if isinstance(planned, (int, float)):
            return _optuna_space.value(distribution, _optuna_space.unit(distribution, planned))
        if not first and not ("branch" in note and "at" not in note):
            return None
        alone = Space({name: distribution})
        return alone.params(alone.point(self._x0))[name]

    def _start(self, search_space: dict[str, Any], book: Book) -> dict[str, Any]:
        """Where a branch begins: the numbers of `x0`, of the best trial, else the middle of their ranges."""
        space = Space({name: one for name, one in search_space.items() if _optuna_space.is_numerical(one)})
        return space.params(space.point({**(book.best.params if book.best else {}), **self._x0}))

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """Passed on to `independent_sampler`."""
        if self._independent is not None:
            self._independent.before_trial(study, trial)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Asks `constraints_func`, and passes on to `independent_sampler`: the search reads results when it is asked."""
        if self._constraints is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            _optuna_book.store_constraints(study, trial, self._constraints)
        if self._independent is not None:
            self._independent.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Reseed `independent_sampler`. The search needs none: its points are shared, not drawn by each worker."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def _read(self, study: optuna.Study) -> tuple[Book, Survey]:
        """What the study's trials say; only new ones are read."""
        if self._storage is not study._storage or self._study_id != study._study_id:
            self._forget(study._storage, study._study_id)
        trials = study.get_trials(deepcopy=False)
        # More than one only where a pruner splits the study into brackets.
        for i, (book, survey) in enumerate(self._books):
            if book.continues(trials):
                self._books.append(self._books.pop(i))
                break
        else:
            book = Book(-1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0)
            survey = Survey(book)
            self._books = [*self._books[-7:], (book, survey)]
        survey.enter(book.read(trials))
        return book, survey

    def _compare(self, opening: dict[str, Any]) -> None:
        """Say once that the run continues with other settings than this sampler's."""
        shown = _optuna_options.differences(self._given, opening["given"])
        if shown and "given" not in self._warned:
            self._warned.add("given")
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
        self._books = []
        self._runs = Runs(self._given, self._x0, self._seed)
        self._planned = {}

    def __getstate__(self) -> dict[str, Any]:
        own = ("_x0", "_given", "_seed", "_independent", "_constraints", "_warn", "_warned")
        return {name: self.__dict__[name] for name in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._forget()


def _is_fixed(trial: FrozenTrial) -> bool:
    """Whether it was enqueued, and decides on parameters itself."""
    return "fixed_params" in trial.system_attrs


def _knew_the_space(study: optuna.Study, trial: FrozenTrial) -> bool:
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return any(one.datetime_complete < trial.datetime_start for one in complete)
