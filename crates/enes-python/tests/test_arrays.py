"""Arrays of other libraries, float32 and memory: what is shared, what is copied, and what cannot be read."""

from __future__ import annotations

import numpy as np
import pytest

import enes
from enes._arrays import as_numpy


class Foreign:
    """An array of another library: it has DLPack's two methods and nothing that NumPy knows."""

    device = (1, 0)

    def __init__(self, numbers, dtype=np.float32):
        self._numbers = np.array(numbers, dtype=dtype)

    def __dlpack__(self, **keywords):
        return self._numbers.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.device


class OnCuda(Foreign):
    device = (2, 0)


class Copied(OnCuda):
    """On another device, and willing to be copied from there, as JAX's arrays are."""

    def __array__(self, dtype=None, copy=None):
        return self._numbers


class WithGradient(Foreign):
    def __dlpack__(self, **keywords):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")


class Number(OnCuda):
    """One number that knows how to become one of Python's, from any device."""

    def __float__(self):
        return float(self._numbers)


def rows(X):
    return (X**2).sum(axis=1)


def test_memory_is_shared_and_not_copied():
    given = Foreign([1.0, 2.0], np.float64)
    assert np.shares_memory(as_numpy("x", given), given._numbers)
    assert np.shares_memory(as_numpy("x", given._numbers), given._numbers)


@pytest.mark.parametrize("wrap", [np.float32, Foreign, lambda x: Foreign(x, np.float64), Copied], ids=["float32", "dlpack32", "dlpack64", "copied"])
def test_everything_that_is_an_array_may_come_from_elsewhere(wrap):
    # Numbers that float32 has exactly, so that runs are the same bit for bit.
    def run(wrap):
        es = enes.Optimizer(wrap([1.0, 2.0, 0.5]), wrap([0.5, 0.25, 1.0]), bounds=wrap([[-4.0, 4.0]] * 3), rng=1)
        es.inject(wrap([0.5, 0.25, 0.5]), 0.5625)
        for _ in range(6):
            es.tell(wrap(np.float32(rows(es.ask()))))
        return es

    there, here = run(wrap), run(np.float64)
    np.testing.assert_array_equal(there.ask(), here.ask())


@pytest.mark.parametrize("wrap", [np.float32, Foreign])
def test_a_vectorized_objective_may_return_float32_of_another_library(wrap):
    seen = []

    def fun(X):
        seen.append(X)
        return wrap(rows(X))

    result = enes.minimize(fun, [1.0, 2.0], 0.5, rng=1, vectorized=True, maxfevals=40)
    expected = enes.minimize(lambda X: np.float32(rows(X)), [1.0, 2.0], 0.5, rng=1, vectorized=True, maxfevals=40)
    assert result.fun == expected.fun
    for X in seen:
        assert X.dtype == np.float64 and X.flags.c_contiguous and X.shape[1] == 2


@pytest.mark.parametrize("wrap", [np.float32, Foreign, Number])
def test_an_objective_may_return_one_number_of_another_library(wrap):
    result = enes.minimize(lambda x: wrap(x @ x), [1.0, 2.0], 0.5, rng=1, maxfevals=40)
    assert result.fun == enes.minimize(lambda x: np.float32(x @ x), [1.0, 2.0], 0.5, rng=1, maxfevals=40).fun


@pytest.mark.parametrize("wrap", [np.float32, Foreign, Number])
def test_single_values_of_another_library_are_told_and_injected(wrap):
    es = enes.Optimizer([1.0, 2.0], 0.5, rng=1)
    for id, x in es.ask(3):
        es.tell_one(id, wrap(1.5), wrap(0.0))
    es.inject([0.5, 0.5], wrap(0.5))
    assert es.evaluations == 3 and es.result.fun == 0.5
    whole = enes.Optimizer([1.0, 2.0], 0.5, rng=1)
    whole.tell([Foreign(x @ x) for x in whole.ask()])
    assert whole.generation == 1


def test_constraints_may_come_from_elsewhere():
    def fun(wrap):
        return lambda X: (wrap(np.float32(rows(X))), wrap(np.float32(1 - X[:, 0])))

    options = {"inequalities": 1, "rng": 1, "vectorized": True, "maxfevals": 60}
    there = enes.minimize(fun(Foreign), [1.0, 2.0], 0.5, **options)
    assert there.fun == enes.minimize(fun(np.float64), [1.0, 2.0], 0.5, **options).fun
    violated = enes.minimize(fun(Foreign), [1.0, 2.0], 0.5, rng=1, vectorized=True, maxfevals=60)
    assert violated.feasible and violated.nfev == 60


def test_a_warm_start_may_come_from_elsewhere():
    X = np.random.default_rng(1).integers(-8, 8, (40, 2)) / 4
    first, second = (
        enes.Optimizer(warm_start=(wrap(X), wrap(rows(X))), rng=1).ask() for wrap in (Foreign, np.float64)
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: enes.Optimizer(OnCuda([1.0]), 1.0), "x0"),
        (lambda: enes.Optimizer([1.0], OnCuda([1.0])), "sigma0"),
        (lambda: enes.Optimizer([1.0], 1.0, bounds=OnCuda([[0.0, 1.0]])), "bounds"),
        (lambda: enes.Optimizer([1.0], 1.0).tell(OnCuda([1.0])), "values"),
        (lambda: enes.Optimizer([1.0], 1.0).inject(OnCuda([1.0]), 1.0), "x"),
        (lambda: enes.minimize(lambda x: OnCuda(1.0), [1.0], 1.0), "what fun returns"),
        (lambda: enes.minimize(lambda X: OnCuda(rows(X)), [1.0], 1.0, vectorized=True), "what fun returns"),
    ],
)
def test_what_lies_on_an_accelerator_is_refused_with_what_to_write(call, name):
    with pytest.raises(TypeError, match=rf"^{name} must be in the processor's memory, and is on a CUDA device.*\.cpu\(\)"):
        call()


def test_what_cannot_be_exported_is_refused_with_its_own_reason():
    es = enes.Optimizer([1.0], 1.0)
    with pytest.raises(TypeError, match=r"^values cannot be read as an array: Can't export tensors.*\.detach\(\)\.float"):
        es.tell(WithGradient(es.ask()[:, 0]))


def test_nobody_changes_a_run_by_writing_into_its_arrays():
    clean, soiled = (enes.Optimizer([1.0, 2.0], 0.5, rng=1) for _ in range(2))
    for _ in range(8):
        X = clean.ask()
        clean.tell(rows(X))
        Y, values = soiled.ask(), rows(X)
        assert Y.flags.owndata or Y.base is not None
        assert Y.flags.c_contiguous and all(np.shares_memory(y, Y) for y in Y)
        Y[:] = np.nan
        soiled.tell(values)
        values[:] = np.nan
        for array in (soiled.mean, soiled.stds, soiled.covariance, soiled.result.x, soiled.result.history["mean"]):
            array[:] = np.nan
    np.testing.assert_array_equal(clean.ask(), soiled.ask())


def test_bounds_may_be_an_array_with_a_row_for_each_coordinate():
    pairs = [(-1.0, 1.0), (0.0, np.inf), (-np.inf, 3.0)]
    first, second = (enes.Optimizer([0.5] * 3, 0.5, bounds=b, rng=1).ask() for b in (pairs, np.array(pairs)))
    np.testing.assert_array_equal(first, second)
    with pytest.raises(ValueError, match="bounds of coordinate 1: the lower, 3.0, must not exceed the upper, 2.0"):
        enes.Optimizer([0.5] * 3, 0.5, bounds=np.array([[0.0, 1.0], [3.0, 2.0], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="one pair .lower, upper. for each coordinate: bounds has 4, x0 has 3"):
        enes.Optimizer([0.5] * 3, 0.5, bounds=np.zeros((4, 2)))


def test_log_scales_and_integers_may_come_from_elsewhere():
    es = enes.Optimizer([1.0, 2.0], 0.5, integer=Foreign([True, False], bool), rng=1)
    assert (es.ask()[:, 0] % 1 == 0).all()
