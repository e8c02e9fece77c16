"""Bounds, log scales and fixed coordinates."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

import enes

WAYS = [
    {"bound_handling": handling, "strategy": strategy, **more}
    for handling in ("smooth", "reflect", "resample")
    for strategy, more in (
        ("adaptive", {}),
        ("published", {"population": 12, "refresh_rate": 1.0 if handling == "resample" else 0.01}),
    )
]


@st.composite
def boxes(draw):
    """Bounds, log scales and a start within."""
    bounds, logs, x0 = [(0.0, 1.0)], [False], [0.3]
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["both", "lower", "upper", "none", "fixed", "log"]))
        lower = draw(st.floats(-100, 100))
        width = 10 ** draw(st.floats(-6, 3))
        share = draw(st.floats(0, 1))
        if kind == "log":
            lower, width = width, width * 10
        upper = lower if kind == "fixed" else lower + width
        bounds.append((lower if kind not in ("upper", "none") else None, upper if kind not in ("lower", "none") else None))
        logs.append(kind == "log")
        x0.append(min(max(lower + share * (upper - lower), lower), upper))
    return bounds, logs, x0


def assert_inside(bounds, points):
    for (lower, upper), column in zip(bounds, np.atleast_2d(points).T, strict=True):
        assert lower is None or (column >= lower).all(), (lower, column)
        assert upper is None or (column <= upper).all(), (upper, column)


@settings(max_examples=25, deadline=None)
@given(boxes(), st.sampled_from(WAYS), st.floats(0.01, 3), st.integers(0, 1000))
def test_nothing_ever_lies_outside(box, way, sigma0, seed):
    bounds, logs, x0 = box

    def fun(X):
        assert_inside(bounds, X)
        return (X**2).sum(axis=1)

    result = enes.minimize(
        fun, x0, sigma0, bounds=bounds, log_scale=logs, rng=seed, maxfevals=300, vectorized=True, **way
    )
    assert_inside(bounds, result.x)
    assert_inside(bounds, result.xfavorite)
    assert_inside(bounds, result.history["mean"])
    assert fun(result.x[None])[0] == result.fun
    assert result.stds.shape == result.x.shape == (len(bounds),)


@pytest.mark.parametrize("bounds", [[(0, 1), (0, 5)], optimize.Bounds([0, 0], [1, 5]), np.array([[0, 1], [0, 5]])])
def test_the_box_alone_says_where_to_look(bounds):
    es = enes.Optimizer(bounds=bounds, rng=1)
    assert es.mean.tolist() == [0.5, 2.5]
    assert np.allclose(es.stds, [0.25, 1.25], rtol=1e-12)
    result = enes.minimize(lambda x: ((x - 2) ** 2).sum(), bounds=bounds, rng=1)
    assert np.allclose(result.x, [1, 2], atol=1e-4)


def test_scipy_passes_bounds_on():
    options = {"rng": 1, "log_scale": [True, False]}
    result = optimize.minimize(
        lambda x: np.log(x[0] / 1e-3) ** 2 + x[1], [0.1, 2.0], bounds=[(1e-6, 1), (1, None)],
        method=enes.scipy_method, options=options,
    )  # fmt: skip
    assert np.allclose(result.x, [1e-3, 1], rtol=1e-3) and result.x[1] >= 1


def test_bounds_far_away_change_nothing():
    plain = enes.minimize(lambda x: x @ x, [0.3, 0.4], 0.1, rng=1)
    bounded = enes.minimize(lambda x: x @ x, [0.3, 0.4], 0.1, rng=1, bounds=[(-9, 9), (-9, None)])
    assert plain.x.tolist() == bounded.x.tolist() and plain.nfev == bounded.nfev


def test_a_fixed_coordinate_spends_no_dimension():
    es = enes.Optimizer([0.4, 7, 0.6], [0.1, 0, 0.2], bounds=[(0, 1), (7, 7), (0, 1)], rng=1)
    assert es.dimension == 3 and es.covariance.shape == (2, 2) and es.axis_lengths.shape == (2,)
    assert (es.ask()[:, 1] == 7).all() and es.stds[1] == 0
    result = es.optimize(lambda x: (x**2).sum())
    assert result.x[1] == 7 and result.history["axes"].shape[1] == 2 and result.history["mean"].shape[1] == 3


@pytest.mark.parametrize("way", WAYS)
def test_pickles_and_checkpoints_keep_the_space(way, tmp_path):
    es = enes.Optimizer([0.1, 3], 0.5, bounds=[(0, 1), (3, 3.5)], log_scale=[False, True], rng=1, **way)
    for _ in range(3):
        es.tell(es.ask().sum(axis=1))
    es.save(tmp_path / "checkpoint")
    asked = es.ask().tolist()
    assert pickle.loads(pickle.dumps(es)).ask().tolist() == asked
    assert enes.Optimizer.load(tmp_path / "checkpoint").ask().tolist() == asked


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({}, TypeError, "x0 is missing"),
        ({"x0": [1, 2]}, TypeError, "sigma0 is missing"),
        ({"bounds": [(None, None)]}, TypeError, "x0 is missing"),
        ({"bounds": [(0, 1), (0, None)]}, ValueError, "x0 is missing, and coordinate 1"),
        ({"x0": [0, 0], "bounds": [(0, 1), (0, None)]}, ValueError, "sigma0 is missing, and coordinate 1"),
        ({"x0": [2, 0], "bounds": [(0, 1), (0, 1)]}, ValueError, r"x0\[0\] = 2 lies outside its bounds \[0, 1\]"),
        ({"x0": [0, 0], "bounds": [(0, 1)]}, ValueError, "bounds has 1, x0 has 2"),
        ({"x0": [0, 0], "bounds": optimize.Bounds([0] * 3, [1] * 3)}, ValueError, "bounds has 3, x0 has 2"),
        ({"bounds": [(1, 0)]}, ValueError, "coordinate 0: the lower, 1.0, must not exceed the upper, 0.0"),
        ({"bounds": [(0, float("nan"))]}, ValueError, "coordinate 0"),
        ({"bounds": [("a", 1)]}, TypeError, "bounds must be an array of real numbers"),
        ({"bounds": [(1, 1)]}, ValueError, "nothing is left to search"),
        ({"bounds": [(0, 1)], "log_scale": True}, ValueError, "on a log scale bounds must be above 0"),
        ({"bounds": [(1, 2)], "log_scale": [True, False]}, ValueError, "log_scale has 2 entries"),
        ({"bounds": [(1, 2)], "log_scale": "yes"}, TypeError, "log_scale must be True, False"),
        ({"bounds": [(1, 2)], "bound_handling": "clip"}, ValueError, "'smooth' or 'reflect' or 'resample'"),
        (
            {"bounds": [(1, 2)], "bound_handling": "resample", "strategy": "published"},
            ValueError,
            "set refresh_rate to 1",
        ),
    ],
)
def test_what_cannot_be_used_is_named(arguments, kind, message):
    with pytest.raises(kind, match=message):
        enes.Optimizer(**arguments)


def test_a_start_outside_ends_the_run():
    starts = iter([[0.5], [1.5]])
    result = enes.minimize(lambda x: x @ x, lambda: next(starts), 0.1, bounds=[(0, 1)], ftarget=-1.0, rng=1)
    assert "lies outside" in result.message and result.x[0] >= 0
