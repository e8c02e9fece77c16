"""The benchmark functions of the paper: rotated, shifted, seeded.

>>> import enes
>>> problem = enes.problems.get("ellipsoid", dim=5, seed=1, distance=1.0)
>>> result = enes.minimize(problem, problem.x0, 1.0, rng=1, ftarget=problem.ftarget, vectorized=True)
>>> result.success
True
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from . import _arguments, _enes

__all__ = ["Problem", "get", "names"]


class Problem:
    """One instance: call it with a point, or with rows of points.

    Attributes
    ----------
    name, dim, seed, distance
        What was asked for.
    x0 : ndarray
        A start at exactly this distance from the optimum.
    optimum : ndarray
        The optimum; for the unbounded ridges the point where the ridge's own coordinates are zero.
    ftarget : float
        The value that counts as solved.
    """

    def __init__(self, name: str, dim: int, seed: int = 0, distance: float = 1.0, rotated: bool = True) -> None:
        self.name = name
        self.dim = int(dim)
        self.seed = _arguments.seed(seed)
        self.distance = float(distance)
        self.rotated = bool(rotated)
        if self.dim < 1:
            raise ValueError(f"dim must be at least 1, got {dim}")
        self._problem = _enes.Problem(name, self.dim, self.seed, self.rotated)
        self.x0 = self._problem.start(self.distance)
        self.optimum = self._problem.optimum()
        self.ftarget = self._problem.target

    def __call__(self, x: ArrayLike) -> Any:
        """The value at a point of shape (d,), a float; or the values at rows of shape (k, d)."""
        points = _arguments.real_array("x", x)
        if points.ndim not in (1, 2) or points.shape[-1] != self.dim:
            raise ValueError(f"x must have the shape ({self.dim},) or (k, {self.dim}), got {points.shape}")
        values = self._problem.evaluate(points.reshape(-1, self.dim))
        return values if points.ndim == 2 else float(values[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return Problem, (self.name, self.dim, self.seed, self.distance, self.rotated)

    def __repr__(self) -> str:
        return f"<enes.problems.Problem {self.name}, dim {self.dim}, seed {self.seed}>"


def get(name: str, dim: int, seed: int = 0, distance: float = 1.0, *, rotated: bool = True) -> Problem:
    """An instance of a function of the paper.

    Parameters
    ----------
    name : str
        One of `names`.
    dim : int
        The number of coordinates, 1 to 2000.
    seed : int, optional
        Seed of rotation, shift and start.
    distance : float, optional
        How far `x0` lies from the optimum.
    rotated : bool, optional
        Whether the axes are rotated.

    Examples
    --------
    >>> import enes
    >>> sphere = enes.problems.get("sphere", 3, seed=1, distance=2.0)
    >>> round(sphere(sphere.x0), 12), sphere([sphere.x0, sphere.optimum]).round(12).tolist()
    (4.0, [4.0, 0.0])
    """
    return Problem(name, dim, seed, distance, rotated)


def names() -> list[str]:
    """The names of all functions.

    >>> import enes
    >>> enes.problems.names()[:3]
    ['sphere', 'schwefel', 'cigar']
    """
    return [name for name, _, _ in _enes.Problem.names()]

