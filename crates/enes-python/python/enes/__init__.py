"""Black-box optimization with natural evolution strategies.

For objectives that can only be evaluated: a simulator, a fit, a controller.

>>> import enes
>>> result = enes.minimize(lambda x: ((x - 3) ** 2).sum(), [0, 0, 0], 1.0, rng=1)
>>> result.success, result.x.round(6).tolist()
(True, [3.0, 3.0, 3.0])

`minimize` runs the whole loop; `Optimizer` has ``ask``, ``tell``, ``stop`` and ``result``;
`scipy_method` goes into ``scipy.optimize.minimize``; `plot` and `history` show how a run went;
`problems` holds the functions of the paper; ``enes.integrations`` talks to Optuna and Ray.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import integrations, problems
    from ._enes import __version__
    from ._evaluate import WorkerDied
    from ._history import history
    from ._minimize import minimize
    from ._optimizer import Optimizer
    from ._plot import plot
    from ._result import OptimizeResult
    from ._scipy import scipy_method
    from ._warnings import EnesWarning

__all__ = [
    "EnesWarning",
    "OptimizeResult",
    "Optimizer",
    "WorkerDied",
    "__version__",
    "history",
    "integrations",
    "minimize",
    "plot",
    "problems",
    "scipy_method",
]

# NumPy alone takes a tenth of a second to import: everything is loaded when it is first used.
_HOMES = {
    "EnesWarning": "_warnings",
    "OptimizeResult": "_result",
    "Optimizer": "_optimizer",
    "WorkerDied": "_evaluate",
    "__version__": "_enes",
    "history": "_history",
    "minimize": "_minimize",
    "plot": "_plot",
    "scipy_method": "_scipy",
}
_MODULES = ("integrations", "problems")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
