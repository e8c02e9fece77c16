"""The whole loop in one call."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _arguments
from ._constraints import Constraints
from ._evaluate import OnError, count
from ._loop import Callback
from ._optimizer import Optimizer
from ._result import OptimizeResult

if TYPE_CHECKING:
    from ._types import Bounds, Disp, MinimizeOptions, Numbers, Restarts, Rng, Strategy, Unpack


def minimize(
    fun: Callable[..., Any],
    x0: Numbers | Callable[[], Numbers] | None = None,
    sigma0: Numbers | None = None,
    *,
    args: tuple[Any, ...] = (),
    bounds: Bounds = None,
    constraints: Any = None,
    callback: Callback | None = None,
    workers: int | Callable[..., Any] = 1,
    executor: Any = None,
    asynchronous: bool = False,
    vectorized: bool = False,
    on_error: OnError = "raise",
    disp: Disp = False,
    checkpoint: str | os.PathLike[str] | None = None,
    strategy: Strategy = "adaptive",
    population: int | Literal["auto"] | None = None,
    rng: Rng = None,
    ftarget: float | None = None,
    maxfevals: float | None = None,
    restarts: Restarts = "auto",
    warm_start: Any = None,
    **options: Unpack[MinimizeOptions],
) -> OptimizeResult:
    """Minimize an objective that can only be evaluated.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args) -> float``, x a vector; with ``vectorized=True`` ``fun(X, *args) -> (k,)``. One that knows its
        constraints returns ``(value, g, h)``, where ``inequalities=len(g)`` and ``equalities=len(h)`` declare them: g of 0
        or less and h of 0 is feasible; either may be missing. Where all that is known is by how much a point violates
        them, a tuple ``(value, violation)``, 0 or less where it is feasible. Vectorized: arrays with one row per point.
    x0 : array_like or callable, optional
        The start point; or a function without arguments that gives it, and that of every restart. None: the
        centre of the bounds.
    sigma0 : float or array_like, optional
        The initial standard deviation: one, one for each coordinate, or a covariance matrix. A third
        of the range in which you expect the optimum is a good scale. None: a quarter of the range between
        the bounds.
    args : tuple, optional
        Further arguments of `fun`.
    bounds : scipy Bounds or sequence of (lower, upper), optional
        Limits of each coordinate, None or infinite where there is none; equal ones fix it. `fun` is never
        called outside, and the result lies within.
    constraints : LinearConstraint, NonlinearConstraint, dict, or a sequence of them, optional
        scipy's constraints. Each function is called once a point; where its limits are single numbers, once at the start
        to see how many it returns. Linear ones are computed from their matrix. The result has ``feasible``,
        ``constraints``, ``multipliers`` and ``active``; ``catol`` (1e-6) is what each may be off.
    callback : callable, optional
        Called after each generation, by scipy's rules: one parameter named ``intermediate_result``
        gets an `OptimizeResult`, any other the best point so far. Raising ``StopIteration`` or
        returning True stops the run.
    workers : int or map-like callable, optional
        Processes that evaluate `fun`, -1 for one per core; or a callable such as ``pool.map``. Where the surrogate is
        active, generations fit them: a multiple of the processes, so that none is idle, unless ``batch`` says how
        large they are.
    executor : optional
        Anything with the shape of `concurrent.futures.Executor` (threads, processes,
        ``mpi4py.futures.MPIPoolExecutor``, ``enes.integrations.ray.RayExecutor``), or a
        ``dask.distributed.Client``. The result is the same whatever evaluates, as long as no evaluation fails.
    asynchronous : bool, optional
        Whether each worker gets its next point as soon as it is free, instead of waiting for the slowest point of a
        generation. Use it where evaluations take different times. Results then depend on the order in which
        evaluations end, which ``result.order`` keeps; with one worker the run is the serial one. With an `executor`
        whose size is not known, `workers` says how many points are in flight; a Dask cluster may grow and shrink.
        With the adaptive strategy only.
    vectorized : bool, optional
        Whether `fun` takes all points of a generation at once: an array of shape (k, d), one ROW per
        point (scipy's differential evolution passes columns). It is the array that ``ask`` made, float64 in C
        order, not a copy of it. The values may be an array of JAX or PyTorch (DLPack), also of float32.
    on_error : {"raise", "rank_last", "stop"}, optional
        What an exception in `fun`, a result that is no number, or a killed worker means: the exception
        is raised as it is, with the best so far in its attribute ``enes_result``; the point ranks last;
        the run ends with the best so far. NaN is a value that ranks last, in any case.
    disp : bool or "plot", optional
        Show progress: with tqdm where it is installed, else as lines on standard error; "plot" draws the figure of
        `enes.plot` while the run goes on, in a notebook or a window. Programs may listen to the logger ``enes``
        instead: INFO for beginning, restarts and end, WARNING for failed points (the first, the tenth, the
        hundredth, ...), DEBUG for every generation.
    checkpoint : path-like, optional
        Keep a checkpoint here, written at the end and about every ten seconds;
        ``enes.Optimizer.load(path).optimize(fun)`` continues from it.
    strategy, population, rng, ftarget, maxfevals, restarts, warm_start, **options
        See `enes.Optimizer`.

    Returns
    -------
    OptimizeResult
        scipy's fields (``x fun success status message nfev nit``) and pycma's two answers
        (``xbest``, ``xfavorite``), ``stds``, ``stop`` and more.

    Notes
    -----
    Ctrl-C leaves as ``KeyboardInterrupt``, with what was found in its attribute ``enes_result``.

    Examples
    --------
    >>> import enes
    >>> def rosenbrock(x):
    ...     return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    >>> result = enes.minimize(rosenbrock, [0, 0, 0], 0.5, rng=1, ftarget=1e-10)
    >>> result.success, result.x.round(3).tolist()
    (True, [1.0, 1.0, 1.0])
    """
    # Where they are processes of ours we know how many; else the option `batch` may say it.
    ours = count(workers) if not callable(workers) and executor is None and not asynchronous else 1
    if constraints is not None:
        given = Constraints(constraints, lambda: probe(x0, bounds))
        for name, value in given.options().items():
            if name in options:
                raise TypeError(f"give constraints, or {name} for what fun returns, not both")
            options[name] = value  # type: ignore[literal-required]
    else:
        given = None
    es = Optimizer(
        x0,
        sigma0,
        bounds=bounds,
        strategy=strategy,
        population=population,
        rng=rng,
        ftarget=ftarget,
        maxfevals=maxfevals,
        restarts=restarts,
        warm_start=warm_start,
        workers=ours if ours > 1 else None,
        **options,
    )
    return es.optimize(
        fun,
        args=args,
        callback=callback,
        workers=workers,
        executor=executor,
        asynchronous=asynchronous,
        vectorized=vectorized,
        on_error=on_error,
        disp=disp,
        checkpoint=checkpoint,
        constraints=given,
    )


def probe(x0: Numbers | Callable[[], Numbers] | None, bounds: Bounds) -> Any:
    """A point at which constraints can be asked how many they are: the start, or the middle of the bounds."""
    if x0 is not None:
        return _arguments.start(x0() if callable(x0) else x0)
    limits = _arguments.limits(bounds, None)
    if limits is None or not np.isfinite(limits).all():
        raise TypeError("x0 is missing: give it, or bounds from which it follows")
    return limits.mean(axis=1)
