"""Objectives with noise: the mean is the result, whoever evaluates."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import enes


def sphere(x):
    return float((np.asarray(x) ** 2).sum())


def measured(rng):
    return lambda x: sphere(x) + rng.normal()


def by_point(x):
    """Noise that depends on the point alone, so that it does not matter who evaluates."""
    return sphere(x) + np.random.default_rng(abs(hash(x.tobytes())) % 2**32).normal()


@pytest.mark.parametrize("strategy", ["adaptive", "published"])
def test_the_result_is_the_mean_and_its_measured_value(strategy):
    fun = measured(np.random.default_rng(1))
    result = enes.minimize(fun, [3.0] * 4, 1.0, rng=1, maxfevals=5000, noisy=True, strategy=strategy)
    np.testing.assert_array_equal(result.x, result.xfavorite)
    assert result.nfev == 5000
    # At least 50 measurements of deviation 1; 4 standard errors: a chance of 1 in 16,000.
    assert 0.05 < result.standard_error < 0.2
    assert abs(result.fun - sphere(result.x)) < 4 * result.standard_error
    assert result.fbest < result.fun - 1 and result.restarts == []
    assert len(result.history["generation"]) == len(set(result.history["generation"])) == result.nit


def test_without_noise_there_is_no_standard_error():
    result = enes.minimize(sphere, [3.0] * 3, 1.0, rng=1)
    assert result.standard_error is None and result.fbest == result.fun
    assert enes.Optimizer([0.0], 1.0).noise_share is None


def test_executors_change_nothing():
    options = {"rng": 3, "maxfevals": 1000, "noisy": True}
    serial = enes.minimize(by_point, [3.0] * 3, 1.0, **options)
    with ThreadPoolExecutor(3) as pool:
        threads = enes.minimize(by_point, [3.0] * 3, 1.0, executor=pool, **options)
    rows = enes.minimize(lambda X: [by_point(x) for x in X], [3.0] * 3, 1.0, vectorized=True, **options)
    for other in (threads, rows):
        np.testing.assert_array_equal(serial.x, other.x)
        assert (serial.fun, serial.standard_error) == (other.fun, other.standard_error)


def test_a_pickle_continues_bit_for_bit():
    es = enes.Optimizer([3.0] * 3, 1.0, rng=4, maxfevals=1500, noisy=True)
    while not es.stop():
        es = pickle.loads(pickle.dumps(es))
        other = pickle.loads(pickle.dumps(es))
        X = es.ask()
        np.testing.assert_array_equal(X, other.ask())
        values = [by_point(x) + 0.1 * i for i, x in enumerate(X)]
        es.tell(values)
        other.tell(values)
        np.testing.assert_array_equal(es.mean, other.mean)
    assert es.noise_share > 0 and es.evaluations == 1500


def test_a_target_is_judged_by_the_mean():
    fun = measured(np.random.default_rng(5))
    result = enes.minimize(fun, [1.0] * 3, 1.0, rng=5, ftarget=-1.0, maxfevals=3000, noisy=True)
    assert not result.success and result.fbest < -1


def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="restarts cannot be used with noisy"):
        enes.Optimizer([0.0], 1.0, noisy=True, restarts="bipop")
    with pytest.raises(TypeError, match="noisy must be True or False"):
        enes.Optimizer([0.0], 1.0, noisy="very")


def test_what_noise_excludes_is_refused():
    with pytest.raises(ValueError, match="batch must be left out with noisy, got 2"):
        enes.Optimizer([0.0], 1.0, noisy=True, batch=2)
    with pytest.raises(ValueError, match="add a penalty"):
        enes.minimize(lambda x: (sphere(x), 0.0), [3.0] * 3, 1.0, noisy=True, maxfevals=100)
    es = enes.Optimizer([3.0] * 3, 1.0, noisy=True)
    n = len(es.ask())
    with pytest.raises(ValueError, match="add a penalty"):
        es.tell(np.zeros(n), np.zeros(n))
    assert es.evaluations == 0


def test_values_with_noise_are_not_modelled():
    es = enes.Optimizer([3.0] * 5, 1.0, noisy=True, model="auto", workers=50)
    assert es.model is None
    assert es.population == enes.Optimizer([3.0] * 5, 1.0, model="rank_only").population
