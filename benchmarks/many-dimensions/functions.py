"""Functions of many coordinates, for all rows of an array at once: rotated ones, and those that can be computed in O(d).

All have their least value, 0, at a point that is not told. `make` gives the function, a start and a scale.
"""

import numpy as np


def sphere(z):
    return (z**2).sum(axis=1)


def ellipsoid(z):
    return (10.0 ** (6 * np.arange(z.shape[1]) / (z.shape[1] - 1)) * z**2).sum(axis=1)


def cigar(z):
    return z[:, 0] ** 2 + 1e6 * (z[:, 1:] ** 2).sum(axis=1)


def tablet(z):
    return 1e6 * z[:, 0] ** 2 + (z[:, 1:] ** 2).sum(axis=1)


def rosenbrock(z):
    y = z + 1
    return (100 * (y[:, 1:] - y[:, :-1] ** 2) ** 2 + (1 - y[:, :-1]) ** 2).sum(axis=1)


def ridge(z):
    """Sharp: BBOB's, f13."""
    return z[:, 0] ** 2 + 100 * np.sqrt((z[:, 1:] ** 2).sum(axis=1))


ROTATED = {"sphere": sphere, "ellipsoid": ellipsoid, "cigar": cigar, "tablet": tablet, "rosenbrock": rosenbrock,
           "sharp ridge": ridge}  # fmt: skip


def long_axis(z, rng):
    """One long axis, along none of the coordinates: of rank one."""
    v = rng.standard_normal(z.shape[1])
    along = (z @ v) ** 2 / (v @ v)
    return 1e4 * ((z**2).sum(axis=1) - along) + along


def steep_axes(z, rng):
    """Three steep directions, along none of the coordinates: of rank three."""
    v = rng.standard_normal((3, z.shape[1])) / np.sqrt(z.shape[1])
    return (z**2).sum(axis=1) + 1e4 * ((z @ v.T) ** 2).sum(axis=1)


LARGE = {"sphere": sphere, "ellipsoid, separable": ellipsoid, "rosenbrock": rosenbrock, "long axis": long_axis,
         "steep axes": steep_axes}  # fmt: skip


def make(part, name, d, seed):
    """The function of all rows, a start and a scale; the same for every method."""
    rng = np.random.default_rng(seed)
    shift, start = rng.uniform(-1, 1, d), rng.uniform(-4, 4, d)
    if part == "rotated":
        rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
        f = ROTATED[name]
        return (lambda rows: f((rows - shift) @ rotation)), start, 2.0
    f, inner = LARGE[name], int(rng.integers(2**31))
    if name in ("long axis", "steep axes"):
        # Made again for every call: three vectors of d numbers are nothing beside the rows.
        return (lambda rows: f(rows - shift, np.random.default_rng(inner))), start, 2.0
    return (lambda rows: f(rows - shift)), start, 2.0
