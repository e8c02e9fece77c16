"""The types of what users pass: a wrong name or choice is an error before the program runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

Strategy = Literal["adaptive", "published"]
Restarts = Literal["auto", "off", "ipop", "bipop"]
Model = Literal["auto", "rank_only"]
BoundHandling = Literal["smooth", "reflect", "resample"]
Baseline = Literal["none", "uniform", "specific", "block", "mean"]
Shaping = Literal["paper", "logarithmic", "linear", "raw"]
Rng = int | np.integer[Any] | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None
Disp = bool | Literal["plot"]


class HasDLPack(Protocol):
    """An array of JAX, PyTorch or another library that shares its memory by DLPack."""

    def __dlpack__(self, *args: Any, **keywords: Any) -> Any: ...
    def __dlpack_device__(self) -> Any: ...


#: Numbers in any array.
Numbers = ArrayLike | HasDLPack


class HasBounds(Protocol):
    """scipy's `Bounds`, or what looks like it."""

    @property
    def lb(self) -> Any: ...
    @property
    def ub(self) -> Any: ...


Bounds = HasBounds | Sequence[Sequence[float | None]] | NDArray[Any] | HasDLPack | None


class ModelStatus(TypedDict):
    """The surrogate of a generation."""

    mode: Literal["surrogate", "assisting", "ranks"]
    response: Literal["values", "power"]
    error: float


class ConstraintStatus(TypedDict):
    """A constraint at the best point."""

    name: str
    kind: Literal["inequality", "equality"]
    value: float
    multiplier: float
    active: bool


class Rules(TypedDict, total=False):
    """Options that say when to stop; None switches a rule off."""

    tolx: float | None
    tolfun: float | None
    tolfunhist: float | None
    tolstagnation: int | Literal["auto"] | None
    tolconditioncov: float | None
    tolfacupx: float | None
    tolflatfitness: int | None
    noeffect: bool


class Search(TypedDict, total=False):
    """Options of the strategies."""

    model: Model
    batch: int | None
    learning_rate: float | Literal["adaptive"]
    refresh_rate: float
    drift_correction: bool
    baseline: Baseline
    baseline_factor: float
    shaping: Shaping | ArrayLike
    algebra_threads: int
    bound_handling: BoundHandling
    noisy: bool
    max_restarts: int | None


class MinimizeOptions(Rules, Search, total=False):
    """The further options of `enes.minimize`."""

    maxiter: float | None
    timeout: float | None
    log_scale: bool | Sequence[bool] | NDArray[np.bool_]
    integer: bool | Sequence[bool] | NDArray[np.bool_]
    one_hot: Sequence[Sequence[int]] | NDArray[np.integer[Any]]
    warm_widen: float | None
    warm_points: bool
    inequalities: int | Sequence[str]
    equalities: int | Sequence[str]
    catol: float | None


class OptimizerOptions(MinimizeOptions, total=False):
    """The further options of `enes.Optimizer`."""

    workers: int | None
    linear: Any


class Limits(TypedDict, total=False):
    """What may change when a run continues."""

    ftarget: float | None
    maxfevals: float | None
    maxiter: float | None
    timeout: float | None
    algebra_threads: int


class SamplerOptions(Rules, Search, total=False):
    """The further options of `enes.integrations.optuna.EnesSampler`."""

    restarts: Restarts


if TYPE_CHECKING:
    # In the standard library from Python 3.11 on; only type checkers read it.
    from typing_extensions import Unpack as Unpack
