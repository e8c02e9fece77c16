"""A method for `scipy.optimize.minimize`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arguments, _enes
from ._minimize import minimize
from ._optimizer import Optimizer
from ._warnings import EnesWarning

RENAMED = {"maxfev": "maxfevals", "maxfun": "maxfevals", "seed": "rng", "random_state": "rng", "xatol": "tolx",
           "xtol": "tolx", "fatol": "tolfun", "ftol": "tolfun", "popsize": "population"}  # fmt: skip
LOOP = {"workers", "executor", "asynchronous", "vectorized", "on_error", "disp", "checkpoint", "rng", "sigma0"}


def scipy_method(
    fun: Callable[..., Any],
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    *,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
    sigma0: ArrayLike | None = None,
    catol: float = 1e-6,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    **options: Any,
) -> Any:
    """Minimize with enes through scipy: ``scipy.optimize.minimize(fun, x0, method=enes.scipy_method)``.

    Parameters
    ----------
    fun, x0, args, bounds, callback
        As scipy passes them.
    sigma0 : float or array_like, optional
        The initial standard deviation; by default a quarter of the range of a bounded coordinate, else
        three tenths of ``max(1, |x0|)``; on a log scale of ln x, else 1. Better: say it in ``options``.
    jac, hess, hessp
        Not used; a warning says so.
    constraints : LinearConstraint, NonlinearConstraint, dict, or a sequence of them
        As those of `enes.minimize`: each function is called once a point, linear ones are computed from their matrix.
        The result has ``maxcv``, ``constraints``, ``multipliers`` and ``active``.
    catol : float, optional
        By how much each may be violated by a point that counts as feasible.
    **options
        The options of `enes.minimize`, but for ``restarts``: one search, as scipy's local methods do, unless it is
        given. scipy's names ``maxfev``, ``seed``, ``xatol``, ``fatol``, ``tol``
        and a few more are understood. Unknown ones are ignored with a warning.

    Returns
    -------
    scipy.optimize.OptimizeResult

    Examples
    --------
    >>> from scipy.optimize import minimize, rosen
    >>> import enes
    >>> result = minimize(rosen, [0, 0], method=enes.scipy_method, options={"sigma0": 0.5, "rng": 1})
    >>> result.success, result.x.round(3).tolist()
    (True, [1.0, 1.0])
    """
    from scipy.optimize import OptimizeResult

    for name, value in {"jac": jac, "hess": hess, "hessp": hessp}.items():
        if value is not None and value is not False:
            warnings.warn(f"enes evaluates only fun: {name} is not used", EnesWarning, stacklevel=3)
    start = _arguments.start(x0)
    if sigma0 is None:
        log = np.broadcast_to(np.asarray(options.get("log_scale", False), dtype=bool), start.shape)
        sigma0 = default_scale(start, _arguments.limits(bounds, start.size), log)
    options = {"restarts": "off", **translate(options)}
    several = not isinstance(constraints, dict) and np.iterable(constraints)
    if several:
        constraints = list(constraints)
    if constraints is not None and constraints != []:
        options |= {"constraints": constraints, "catol": catol}
    result = minimize(fun, start, sigma0, args=args, bounds=bounds, callback=callback, **options)
    return OptimizeResult(result)


def default_scale(
    start: NDArray[np.float64], limits: NDArray[np.float64] | None, log: NDArray[np.bool_]
) -> NDArray[np.float64]:
    scale = np.where(log, 1.0, 0.3 * np.maximum(1.0, np.abs(start)))
    if limits is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            lower, upper = np.where(log, np.log(limits.T), limits.T)
            width = upper - lower
        scale = np.where(np.isfinite(width), 0.25 * width, scale)
    return scale


def refuse_by_name(name: str, ours: str, value: Any) -> None:
    """A value that would be refused is refused by the name that the user wrote."""
    try:
        Optimizer([0.0], 1.0, **{ours: value})
    except (TypeError, ValueError) as error:
        said = str(error)
        raise type(error)(name + said[len(ours) :] if said.startswith(ours) else said) from None


def translate(options: dict[str, Any]) -> dict[str, Any]:
    """scipy's words in ours; those that would be ignored are named in a warning."""
    known: dict[str, Any] = {}
    for name, value in options.items():
        ours = RENAMED.get(name, name)
        if name == "tol":
            if value is not None:
                known.setdefault("tolx", value)
                known.setdefault("tolfun", value)
        elif ours in _enes.OPTIONS or ours in LOOP:
            if ours not in (name, "rng"):  # a generator would be drawn from
                refuse_by_name(name, ours, value)
            known[ours] = value
        elif name != "return_all":
            warnings.warn(f"option {name!r} is not one of enes: it is ignored", EnesWarning, stacklevel=4)
    return known
