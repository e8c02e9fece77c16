"""Ask, evaluate, tell: the optimizer that leaves the evaluation to you."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from . import _arguments, _checkpoint, _enes
from ._hints import explain_sharing, in_python_names
from ._result import OptimizeResult, best_words, summary
from ._single import Proposal, SinglePoints
from ._warnings import warn_user

if TYPE_CHECKING:
    from ._evaluate import OnError
    from ._loop import Callback
    from ._types import Bounds, ConstraintStatus, Disp, Limits, ModelStatus, Numbers, OptimizerOptions, Unpack
    from ._types import Restarts, Rng, Strategy


@explain_sharing
class Optimizer(SinglePoints):
    """An optimizer that asks for values instead of calling a function.

    Parameters
    ----------
    x0 : array_like or callable, optional
        The start point; a number is one dimension. A function without arguments is called for the start
        and for that of every restart. None: the centre of the bounds.
    sigma0 : float or array_like, optional
        The initial standard deviation: one, one for each coordinate, or a covariance matrix. A third
        of the range in which you expect the optimum is a good scale. None: a quarter of the range between
        the bounds.
    strategy : {"adaptive", "published"}, optional
        How the search distribution moves: by regression over the latest points, or as in the paper.
    population : int or "auto", optional
        Points in a generation; chosen from the dimension where not given. "auto", beyond the paper: those of the
        published strategy grow within a search, up to 16 times, while its gradients are more noise than signal.
    rng : None, int, numpy Generator, RandomState or SeedSequence, optional
        The source of the seed: the same whole number gives the same run. None: a fresh seed, which
        the result reports.
    ftarget, maxfevals : optional
        Stop at a value at least this good; after so many evaluations.
    bounds : scipy Bounds or sequence of (lower, upper), optional
        Limits of each coordinate, None or infinite where there is none; equal ones fix it. Every point
        lies within, exactly.
    restarts : {"auto", "off", "ipop", "bipop"}, optional
        Whether to start again when a search ends short of target and budget. "auto" is "bipop" where one of them, or
        a box, is given and the strategy is adaptive: growing populations, and smaller scales, until no more is worth it.
    warm_start : Optimizer, OptimizeResult, path-like or (X, y), optional
        What an earlier run has learned: the first search begins from its distribution, or from one fitted to
        points X and values y of this objective. `x0` and `sigma0` may then be left out; restarts begin
        there. ``warm_widen`` multiplies the deviations (None: not below a tenth of `sigma0`),
        ``warm_points=False`` fits to the points without using them.
    **options
        ``log_scale`` (False): search the logarithm, of all coordinates or those for which a sequence says
        True; their deviations are those of ln x. ``bound_handling``: "smooth", "reflect" or "resample".
        ``model``: "auto", in up to 40 dimensions a surrogate wherever it predicts well, or "rank_only".
        ``batch``: samples beside the surrogate's own point, where it is active; 1 for long evaluations, one at a
        time; by default one less than the population. ``workers``: how many evaluations run at the same time;
        without a ``batch`` such a generation has the multiple nearest to the population. All three: adaptive only.
        ``integer`` (False): whole numbers only, in all coordinates or those for which a sequence says True.
        ``one_hot``: categories, as in ``[[2, 3, 4]]``: of a group of coordinates one is 1, the others are 0.
        ``inequalities``, ``equalities``: how many values g of 0 or less and h of 0 each evaluation tells beside its
        own, or their names; ``linear``: scipy's LinearConstraint, or a sequence of them, which are computed and never
        told; ``catol`` (1e-6): by how much each may be violated by a point that counts as feasible.
        ``noisy`` (False): values are measurements. Some points are asked for again, steps are smaller where there is
        much noise, the last evaluations measure the mean, which is the result; no restarts, surrogate or constraints.
        ``max_restarts``: as many as a budget of evaluations or time allows, else 9. Without a target
        ``same_optimum`` (5) and ``unseen_optima`` (0.5) end a run when so many searches in a row have ended in the
        best optimum (one fewer where another search would be dear), or when no more better ones are expected among
        those not seen; None switches a rule off.
        ``maxiter``, ``timeout`` (seconds; in `minimize` and `optimize`), ``tolx`` (1e-11), ``tolfun`` (1e-11),
        ``tolfunhist`` (1e-12), ``tolstagnation`` ("auto"), ``tolconditioncov`` (1e14), ``tolfacupx`` (1e5; published
        1e3), ``tolflatfitness`` (10; published 1), ``noeffect`` (True): when to stop; None switches a rule off.
        ``learning_rate`` (1), ``refresh_rate`` (0.01), ``baseline`` ("block", "uniform", "specific", "none"),
        ``shaping`` ("paper", "logarithmic", "linear", "raw" or one utility per rank), ``algebra_threads`` (1; from
        about 200 dimensions on; they never change a run): the published strategy. Beyond the paper it has
        ``baseline="mean"``, ``baseline_factor`` (1) times the mean utility, which converges prematurely less often with
        small populations, ``drift_correction`` (False), which gives the step size back what the reuse of points takes,
        and ``learning_rate="adaptive"``, the ratio of signal to noise in the gradient, from 0.01 to 3.

    Examples
    --------
    >>> import enes
    >>> es = enes.Optimizer([1, 2], 0.5, rng=1, ftarget=1e-9)
    >>> while not es.stop():
    ...     X = es.ask()
    ...     es.tell((X**2).sum(axis=1))
    >>> es.stop()
    {'ftarget': 1e-09}
    """

    _core: _enes.Core
    _starts: Callable[[], Numbers] | None

    def __init__(
        self,
        x0: Numbers | Callable[[], Numbers] | None = None,
        sigma0: Numbers | None = None,
        *,
        strategy: Strategy = "adaptive",
        population: int | Literal["auto"] | None = None,
        rng: Rng = None,
        ftarget: float | None = None,
        maxfevals: float | None = None,
        bounds: Bounds = None,
        restarts: Restarts = "auto",
        warm_start: Any = None,
        **options: Unpack[OptimizerOptions],
    ) -> None:
        given = {"strategy": strategy, "population": population, "ftarget": ftarget, "maxfevals": maxfevals}
        chosen = _arguments.options({**given, "restarts": restarts, **options})
        self._starts = x0 if callable(x0) else None
        x0 = x0() if callable(x0) else x0
        if warm_start is not None or "warm_widen" in chosen or "warm_points" in chosen:
            from ._warm_start import learned

            x0, sigma0 = learned(warm_start, chosen, x0, sigma0, bounds is not None)
        start = None if x0 is None else _arguments.start(x0)
        limits = _arguments.limits(bounds, None if start is None else start.size)
        if limits is None:
            for name, value in {"x0": start, "sigma0": sigma0}.items():
                if value is None:
                    raise TypeError(f"{name} is missing: give it, or bounds from which it follows")
        scale = None if sigma0 is None else _arguments.scale(sigma0)
        try:
            self._core = _enes.Core(start, scale, _arguments.seed(rng), chosen, limits, warn_user)
        except ValueError as error:
            raise in_python_names(error) from None
        self._give_starts()

    def _give_starts(self) -> None:
        starts = self._starts
        if starts is not None:
            self._core.set_starts(lambda: _arguments.start(starts()))

    @overload
    def ask(self) -> NDArray[np.float64]: ...

    @overload
    def ask(self, n: int) -> list[Proposal]: ...

    def ask(self, n: int | None = None) -> NDArray[np.float64] | list[Proposal]:
        """The points to evaluate now, as rows: shape (k, d), k from 0 to the population size.

        With `n` that many single points, whatever is in flight: a list of ``(id, x)``, each to be told by `tell_one`
        in any order. It is shorter where there is a reason to stop, or where the points in flight use up the budget.

        With ``noisy=True`` rows may be points that were evaluated before, to be measured again, and before the
        run ends all of them are the mean; evaluate them like any other.
        Asking again before `tell` returns the same points. No rows at all is legal: every point of
        the generation was reused; tell it an empty list. The array, float64 in C order, is yours to keep and change.
        """
        if n is None:
            return self._core.ask()
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ValueError(f"n must be a whole number of points, at least 0, got {n!r}")
        return [Proposal(id, x) for id, x in self._core.ask_n(int(n))]

    def tell(self, values: Numbers, violations: Numbers | None = None, *, constraints: Numbers | None = None) -> None:
        """The values of the points that `ask` returned, in their order; completes the generation.

        Parameters
        ----------
        values : array_like, shape (k,)
            Any real numbers, also an array of JAX or PyTorch (DLPack). NaN and None rank last; infinities are legal.
        violations : array_like, shape (k,), optional
            By how much each point violates the constraints, 0 or less where it is feasible: a feasible point
            comes before an infeasible one, infeasible ones are ordered by violation. NaN is a failure.
        constraints : array_like, shape (k, m), optional
            The values of the constraints that ``inequalities`` and ``equalities`` declare, in this order, one row for
            each point. NaN is a failure.

        Raises
        ------
        ValueError
            The number of values, or of violations, is not that of the points. Nothing has changed then.
        RuntimeError
            Nothing was asked.
        """
        columns = [_arguments.real_array("values", values)]
        if violations is not None:
            columns.append(_arguments.real_array("violations", violations))
        if len(columns) == 2 and columns[0].ndim == 2:
            raise TypeError(
                "tell takes the values only, in the order of the points, and their violations where there are "
                "constraints: es.tell(values) or es.tell(values, violations)"
            )
        for name, column in zip(("values", "violations"), columns, strict=False):
            if column.ndim != 1:
                raise ValueError(f"{name} must have the shape (k,), got {column.shape}: one number for each point")
        if constraints is None:
            return self._core.tell(*columns)
        if violations is not None:
            raise TypeError("give violations, or the values of constraints one by one, not both")
        self._core.tell(columns[0], None, _arguments.rows(constraints, len(columns[0]), sum(self._core.declared)))

    def stop(self) -> dict[str, float]:
        """The reason to stop and its threshold, as of the last `tell`; empty while the run should continue."""
        reason = self._core.stop_reason()
        return {} if reason is None else {reason[0]: reason[1]}

    def optimize(
        self,
        fun: Callable[..., Any],
        *,
        args: tuple[Any, ...] = (),
        callback: Callback | None = None,
        workers: int | Callable[..., Any] = 1,
        executor: Any = None,
        asynchronous: bool = False,
        vectorized: bool = False,
        on_error: OnError = "raise",
        disp: Disp = False,
        checkpoint: str | os.PathLike[str] | None = None,
        constraints: Any = None,
    ) -> OptimizeResult:
        """Evaluate `fun` until there is a reason to stop; the arguments are those of `enes.minimize`.

        Continues from the present state: after `load`, after an interruption, after `tell`.
        """
        from ._loop import run

        return run(
            self, fun, args, callback, workers, executor, vectorized, on_error, disp, checkpoint, bool(asynchronous),
            constraints,
        )  # fmt: skip

    @property
    def restarts(self) -> list[dict[str, Any]]:
        """The searches that ended and were followed by another: why, what they took, what they found."""
        return self._core.restarts()

    @property
    def constraints(self) -> list[ConstraintStatus]:
        """Every constraint at the best point, linear ones last: ``name``, ``kind`` ("inequality" or "equality"),
        ``value``, ``multiplier`` (by about how much `fun` would fall if it were relaxed by one) and ``active``."""
        return self._core.constraints()

    @property
    def optima(self) -> list[dict[str, Any]]:
        """The distinct optima in which searches have converged, the best first, each with how often it was found."""
        return self._core.optima()

    @property
    def model(self) -> ModelStatus | None:
        """The surrogate in the latest generation: ``mode`` ("surrogate" where it took the step, "assisting" where
        it helped a rank-based step, else "ranks"), ``response`` (what it fits: "values" or "power") and
        ``error`` (E at points that it has not seen: 1 knows nothing, near 0 is almost exact). None where there
        is none."""
        return self._core.model()

    @property
    def trust(self) -> float | None:
        """Trust in the regression of ranks, from 0 to 1; None where the strategy has none."""
        return self._core.trust

    @property
    def noise_share(self) -> float | None:
        """Share of noise in the differences between values, from 0 to 1; None without ``noisy=True``."""
        return self._core.noise_share

    @property
    def archive(self) -> int | None:
        """Points in the archive; None where the strategy has none."""
        return self._core.archive

    @property
    def result(self) -> OptimizeResult:
        """What has been found so far."""
        return summary(self._core)

    @property
    def population(self) -> int:
        """Points in a generation."""
        return self._core.population

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._core.dimension

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean of the search distribution, within the bounds."""
        return self._core.mean

    @property
    def stds(self) -> NDArray[np.float64]:
        """The standard deviation of each coordinate: 0 for a fixed one, that of ln x on a log scale."""
        return self._core.stds

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance of the search distribution, (d, d): without fixed coordinates, ln x on a log scale.

        In more than 1000 dimensions the default strategy keeps a diagonal and a few directions: no rows then.
        """
        return self._core.covariance()

    @property
    def axis_lengths(self) -> NDArray[np.float64]:
        """The lengths of the principal axes, longest first."""
        return self._core.axis_lengths()

    @property
    def evaluations(self) -> int:
        """Values told so far."""
        return self._core.evaluations

    @property
    def generation(self) -> int:
        """Generations completed."""
        return self._core.generation

    @property
    def reused_share(self) -> float:
        """Share of the population that was reused instead of evaluated, first generation aside."""
        return self._core.reused_share

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint: the whole state, the generator included, in the command line's format.

        The file is replaced whole or not at all.
        """
        _checkpoint.write(Path(path), self._core.checkpoint())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, x0: Callable[[], Numbers] | None = None, **limits: Unpack[Limits]
    ) -> Optimizer:
        """Continue from a checkpoint, bit for bit as if the run had never stopped.

        Parameters
        ----------
        path : path-like
            A file that `save` wrote, or the run folder of the command line.
        x0 : callable, optional
            The function that gives the starts of restarts, where the run had one: a checkpoint does not
            keep it.
        **limits
            ``ftarget``, ``maxfevals``, ``maxiter`` or ``timeout`` to be changed, None for none: a run
            whose budget is spent continues with a larger one. ``algebra_threads``, which no file keeps.

        Raises
        ------
        ValueError
            The file is no checkpoint, truncated, corrupted or of another version.
        """
        core = _checkpoint.restore(Path(path))
        try:
            core.set_limits(_arguments.limits_to_change(limits))
        except ValueError as error:
            raise in_python_names(error) from None
        return cls._from_core(core, x0)

    @classmethod
    def _from_core(cls, core: _enes.Core, starts: Callable[[], Numbers] | None) -> Optimizer:
        es = cls.__new__(cls)
        es._core = core
        es._starts = starts
        es._give_starts()
        return es

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (type(self), self._core.checkpoint(), self._core.history(), self._starts)

    def __copy__(self) -> Optimizer:
        return self._from_core(self._core.copy(), self._starts)

    def __deepcopy__(self, memo: Any) -> Optimizer:
        return self._from_core(self._core.copy(), self._starts)

    def __repr__(self) -> str:
        best = self._core.best()
        value = best_words(best, ".6g")
        return (
            f"<enes.Optimizer {self._core.strategy}: {self.dimension} dimensions, population "
            f"{self.population}, {self.evaluations} evaluations, best {value}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: a table, and the best value over the evaluations."""
        from ._history import record
        from ._html import optimizer_page
        from ._overview import totals

        columns = record(self)
        return optimizer_page(self, columns, totals(self, columns))


def _unpickle(
    cls: type[Optimizer], checkpoint: bytes, history: dict[str, Any], starts: Callable[[], Numbers] | None
) -> Optimizer:
    return cls._from_core(_enes.Core.restore(checkpoint, history), starts)
