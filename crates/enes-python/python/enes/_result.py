"""What a run returns: scipy's fields and pycma's two answers."""

from __future__ import annotations

import difflib
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._history import Columns, History

if TYPE_CHECKING:
    from . import _enes
    from ._types import ConstraintStatus, ModelStatus, Strategy

Vector = NDArray[np.float64]
HIDDEN = {"covariance", "history", "optima"}
CONSTRAINED = {"constraints", "multipliers", "active"}
SPENT = {"maxfevals", "maxiter", "timeout"}


class OptimizeResult(dict[str, Any]):
    """The result of a run: a dictionary whose entries are attributes too, as in scipy.

    Attributes
    ----------
    x, fun : ndarray, float
        The best point that was evaluated and its value. Where no value was a number: the mean and NaN. With
        ``noisy=True``: the final mean and the average of its measurements.
    standard_error : float or None
        How far off `fun` may be: its standard error with ``noisy=True``, else None.
    violation, maxcv, feasible : float, float, bool
        By how much `x` violates the constraints: the largest of their violations; scipy's name for it; whether none is
        beyond ``catol``.
    constraints : list of dict
        Every constraint at `x`: ``name``, ``kind``, ``value``, ``multiplier`` and ``active``, as `Optimizer.constraints`.
    multipliers : ndarray
        Their multipliers, in the same order: by about how much `fun` would fall if each were relaxed by one.
    active : list of str
        The names of those that hold `x` where it is.
    success : bool
        Whether the target was reached or, where none was given, the best point comes from a search that
        converged, whatever ended the run; feasible in any case.
    status : int
        Which limit ended the run: 0 none, it is done, 1 a budget is spent, 2 stopped short of the target or for a numerical reason,
        3 the objective failed, 4 interrupted, 99 the callback asked to stop, -1 the run has not stopped.
    message : str
        Why the run stopped, as a sentence with its numbers.
    nfev, nit : int
        Evaluations of the objective and generations.
    xbest, fbest, xfavorite : ndarray, float, ndarray
        pycma's two answers: the best point seen and its value, which under noise is the luckiest; and the
        final mean of the search that found it, which is better under noise.
    stds : ndarray
        The final standard deviation of each coordinate: 0 for a fixed one, that of ln x on a log scale.
    stop : dict
        The reason to stop and its threshold, as pycma's ``stop()``.
    nfailed : int
        Evaluations that failed and ranked last.
    order : ndarray
        Of an asynchronous run alone: ids in the order in which they came back, each with how many were asked by then.
    error : Exception or None
        The last failure.
    population, strategy, seed, reused_share, seconds
        How the run was made; the seed repeats it.
    model : dict or None
        The surrogate of the last generation: mode, response and error, as `Optimizer.model`.
    restarts : list of dict
        The searches that ended before the last one began: why, what they took, what they found.
    optima : list of dict
        The distinct optima in which searches have converged, the best first: ``x``, ``fun``, ``violation``,
        ``found`` (how many searches ended there) and ``nfev`` (when the first one did); empty with ``noisy=True``.
    covariance : ndarray
        The final covariance of the search that found the best point: without fixed coordinates, of ln x on a
        log scale; of its deviations alone where another search followed it. In more than 1000 dimensions it has
        no rows: `stds` is what there is.
    history : dict of ndarray
        One entry per generation; see `enes.history`.
    """

    x: Vector
    fun: float
    standard_error: float | None
    violation: float
    maxcv: float
    feasible: bool
    constraints: list[ConstraintStatus]
    multipliers: Vector
    active: list[str]
    success: bool
    status: int
    message: str
    nfev: int
    nit: int
    xbest: Vector
    fbest: float
    xfavorite: Vector
    stds: Vector
    stop: dict[str, float]
    nfailed: int
    order: NDArray[np.int64]
    error: Exception | None
    population: int
    strategy: Strategy
    seed: int
    reused_share: float
    seconds: float
    model: ModelStatus | None
    restarts: list[dict[str, Any]]
    optima: list[dict[str, Any]]
    covariance: Vector
    history: Columns

    if not TYPE_CHECKING:
        # Not for type checkers: to them a name that is no field is an error.
        def __getattr__(self, name):
            try:
                return self[name]
            except KeyError:
                near = difflib.get_close_matches(name, self, 1)
                hint = f"; did you mean {near[0]!r}?" if near and not name.startswith("_") else ""
                raise AttributeError(f"the result has no field {name!r}{hint}") from None

        def __setattr__(self, name, value):
            self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *self])

    def __repr__(self) -> str:
        shown = [(name, value) for name, value in self.items() if name not in HIDDEN and not (name in CONSTRAINED and not self["constraints"])]
        if self.get("optima"):
            shown.append(("optima", optima_words(self["optima"])))
        if not shown:
            return f"{type(self).__name__}()"
        width = max(len(name) for name, _ in shown)
        with np.printoptions(precision=6, threshold=12, edgeitems=4, linewidth=100 - width):
            lines = []
            for name, value in shown:
                text = value if name == "optima" else repr(value) if isinstance(value, str) else str(value)
                lines.append(f"{name:>{width}}: " + text.replace("\n", "\n" + " " * (width + 2)))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: a table, and the best value over the evaluations."""
        if "nfev" not in self or "nit" not in self or "fun" not in self:
            return f"<pre>{escape(repr(self))}</pre>"
        from ._html import result_page
        from ._overview import totals

        return result_page(self, totals(self, {}))


def summary(
    core: _enes.Core, stop: tuple[str, float, str] | None = None, with_history: bool = True
) -> OptimizeResult:
    """The result as of now; `stop` where the loop, not the optimizer, has the reason."""
    reason = stop or core.stop_reason()
    best = core.best()
    mean, stds = core.best_search()
    xbest, fbest = best[:2] if best else (mean.copy(), np.nan)
    violation, feasible = core.violation() or (np.nan, False)
    constraints = core.constraints()
    x, fun, standard_error = core.recommendation() or (mean.copy(), np.nan, None)
    name, threshold, message = reason or ("", 0.0, "the run has not stopped")
    status = status_of(name, core.success)
    if violation > 0 and not feasible:
        message += f"; no feasible point was found, the least violation is {violation:.6g}"
    elif name in SPENT and core.success:
        message += "; the best point comes from a search that converged"
    result = OptimizeResult(
        x=x,
        fun=fun,
        standard_error=standard_error,
        violation=violation,
        maxcv=violation,
        feasible=feasible,
        constraints=constraints,
        multipliers=np.array([c["multiplier"] for c in constraints], dtype=np.float64),
        active=[c["name"] for c in constraints if c["active"]],
        success=core.success,
        status=status,
        message=message,
        nfev=core.evaluations,
        nit=core.generation,
        xbest=xbest,
        fbest=fbest,
        xfavorite=mean,
        stds=stds,
        stop={name: threshold} if name else {},
        nfailed=0,
        error=None,
        population=core.population,
        strategy=core.strategy,
        seed=core.seed,
        reused_share=core.reused_share,
        seconds=core.seconds,
        model=core.model(),
        restarts=core.restarts(),
        optima=core.optima(),
    )
    if with_history:
        result["covariance"] = core.learned()[1]
        result["history"] = History(core.history())
    return result


def best_words(best: tuple[Any, float, float, int] | None, form: str) -> str:
    """A best value in words: an infeasible point has none that counts."""
    if best is None:
        return "none"
    return f"infeasible, violation {best[2]:.3g}" if best[2] > 0 else format(best[1], form)


def optima_words(optima: list[dict[str, Any]]) -> str:
    """How many optima there are, and how often each was found, the best first."""
    most = 6
    counts = [str(row["found"]) for row in optima[:most]] + ["..."] * (len(optima) > most)
    often = "once" if counts == ["1"] else f"{', '.join(counts)} times"
    return f"{len(optima)}, found {often}"


def status_of(name: str, success: bool) -> int:
    """scipy's number for a reason to stop."""
    if not name:
        return -1
    if name in SPENT:
        return 1
    return {"error": 3, "interrupt": 4, "callback": 99}.get(name, 0 if success else 2)
