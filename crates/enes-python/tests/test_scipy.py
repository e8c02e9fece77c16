"""scipy.optimize.minimize(method=enes.scipy_method)."""

from __future__ import annotations

import numpy as np
import pytest
from objectives import shifted, sphere
from scipy import optimize

import enes


def test_scipy_calls_us_and_gets_its_own_result():
    result = optimize.minimize(optimize.rosen, [0.0, 0.0], method=enes.scipy_method, options={"sigma0": 0.5, "rng": 1})
    assert type(result) is optimize.OptimizeResult
    np.testing.assert_allclose(result.x, 1.0, atol=1e-4)
    assert result.success and {"x", "fun", "nfev", "nit", "status", "message"} <= set(result)


def test_the_result_is_that_of_minimize():
    options = {"sigma0": 1.0, "rng": 3, "maxfev": 300}
    ours = enes.minimize(sphere, [3.0, 4.0], 1.0, rng=3, maxfevals=300, restarts="off")
    assert optimize.minimize(sphere, [3.0, 4.0], method=enes.scipy_method, options=options).fun == ours.fun


def test_one_search_unless_restarts_are_given():
    options = {"sigma0": 0.5, "rng": 1, "maxfev": 5000}
    once = optimize.minimize(sphere, [1.0, 1.0], method=enes.scipy_method, options=options)
    assert once.success and once.status == 0 and once.restarts == [] and once.nfev < 500
    box = optimize.minimize(sphere, [1.0, 1.0], bounds=[(-2, 2)] * 2, method=enes.scipy_method, options={"rng": 1})
    assert box.success and box.restarts == []
    again = optimize.minimize(
        sphere, [1.0, 1.0], method=enes.scipy_method, options={**options, "restarts": "auto"}
    )
    assert again.message == "5 searches ended in the same optimum" and again.optima[0]["found"] == 5


@pytest.mark.parametrize("name", ["maxfev", "maxfun", "maxfevals", "maxiter"])
def test_a_budget_of_nothing_is_refused_by_the_name_that_was_written(name):
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0"):
        optimize.minimize(sphere, [1.0, 1.0], method=enes.scipy_method, options={name: 0})
    with pytest.raises(ValueError, match=f"^{name} must not be negative, got -3"):
        optimize.minimize(sphere, [1.0, 1.0], method=enes.scipy_method, options={name: -3})
    with pytest.raises(TypeError, match=f"^{name} must be a whole number or None, got 2.5"):
        optimize.minimize(sphere, [1.0, 1.0], method=enes.scipy_method, options={name: 2.5})


def test_arguments_and_callbacks_are_passed_on():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result.nit)
        if len(seen) == 4:
            raise StopIteration

    result = optimize.minimize(
        shifted, [0.0, 0.0], args=(np.ones(2),), method=enes.scipy_method, callback=callback, options={"rng": 1}
    )
    assert seen == [1, 2, 3, 4] and result.status == 99


def test_a_tolerance_is_ours_too():
    loose = optimize.minimize(optimize.rosen, [3.0, 4.0], method=enes.scipy_method, tol=1e-3, options={"rng": 1})
    tight = optimize.minimize(optimize.rosen, [3.0, 4.0], method=enes.scipy_method, options={"rng": 1})
    assert loose.nfev < tight.nfev


def test_what_is_ignored_is_warned_about():
    with pytest.warns(enes.EnesWarning, match="jac is not used"):
        optimize.minimize(optimize.rosen, [0.0, 0.0], jac=optimize.rosen_der, method=enes.scipy_method, options={"rng": 1})
    with pytest.warns(enes.EnesWarning, match="option 'gtol' is not one of enes"):
        optimize.minimize(sphere, [0.0, 0.0], method=enes.scipy_method, options={"gtol": 1, "rng": 1, "maxiter": 3})


@pytest.mark.parametrize("bounds", [[(None, None), (-np.inf, np.inf)], optimize.Bounds(-np.inf, np.inf)])
def test_bounds_that_bound_nothing_are_none(bounds):
    result = optimize.minimize(sphere, [3.0, 4.0], bounds=bounds, method=enes.scipy_method, options={"rng": 1})
    assert result.success
