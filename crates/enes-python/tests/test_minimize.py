"""The loop: results, callbacks, budgets, failures, progress."""

from __future__ import annotations

import time
import traceback
import warnings

import numpy as np
import pytest
from objectives import fails_on_the_left, returns_nothing, returns_text, rows, shifted, sphere

import enes


def test_the_result_has_the_fields_of_scipy_and_pycma():
    result = enes.minimize(sphere, [3.0, 4.0], 1.0, rng=1)
    assert result.success and result.status == 0 and isinstance(result.message, str)
    assert result.fun == sphere(result.x) < 1e-15
    assert result.nfev > 0 and result.nit > 0
    np.testing.assert_array_equal(result.x, result.xbest)
    assert result.xfavorite.shape == result.stds.shape == (2,)
    assert list(result.stop) and result["fun"] == result.fun
    assert "success: True" in repr(result)
    result.note = "mine"
    assert result["note"] == "mine"
    with pytest.raises(AttributeError):
        result.missing
    with pytest.raises(AttributeError):
        del result.missing


def test_arguments_reach_the_objective():
    centre = np.array([1.0, -1.0])
    result = enes.minimize(shifted, [0, 0], 1.0, args=(centre, 2.0), rng=1)
    np.testing.assert_allclose(result.x, centre, atol=1e-5)


def test_a_single_argument_needs_no_tuple():
    result = enes.minimize(shifted, [0, 0], 1.0, args=3.0, rng=1)
    np.testing.assert_allclose(result.x, [3, 3], atol=1e-5)


def test_a_budget_is_met_exactly():
    calls = []
    result = enes.minimize(lambda x: calls.append(1) or sphere(x), [3, 4], 1.0, rng=1, maxfevals=123, ftarget=-1)
    assert result.nfev == len(calls) == 123
    assert (result.status, result.success) == (1, False)


def test_the_target_ends_the_run():
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, ftarget=1e-3)
    assert result.success and result.fun <= 1e-3 and result.stop == {"ftarget": 1e-3}


def test_a_run_that_converges_short_of_its_target_is_no_success():
    result = enes.minimize(lambda x: 1.0 + sphere(x), [3, 4], 1.0, rng=1, ftarget=0.5, strategy="published")
    assert not result.success and result.status == 2


@pytest.mark.parametrize("strategy", ["adaptive", "published"])
def test_a_minimum_that_is_not_zero_is_a_success(strategy):
    for seed in range(10):
        result = enes.minimize(lambda x: sphere(x) - 3, [3.0, 4.0], 1.0, rng=seed, strategy=strategy)
        assert result.success, result.message


def test_time_is_a_budget():
    result = enes.minimize(lambda x: time.sleep(0.002) or sphere(x), [3, 4], 1.0, rng=1, timeout=0.1, ftarget=-1)
    assert result.stop == {"timeout": 0.1} and "the time is up" in result.message and result.status == 1


def test_vectorized_gets_the_very_array_that_ask_made():
    es = enes.Optimizer([1.0, 2.0], 1.0, rng=1, maxiter=1)
    seen = []
    inner = es._core

    class Core:
        def __getattr__(self, name):
            return getattr(inner, name)

        def ask(self):
            seen.append(inner.ask())
            return seen[-1]

    es._core = Core()
    given = []
    es.optimize(lambda X: given.append(X) or rows(X), vectorized=True)
    assert given[0] is seen[0]
    assert given[0].dtype == np.float64 and given[0].flags.c_contiguous and given[0].shape[1] == 2


def test_vectorized_and_single_calls_agree_bit_for_bit():
    one = enes.minimize(sphere, [3, 4, 5], 1.0, rng=1)
    many = enes.minimize(rows, [3, 4, 5], 1.0, rng=1, vectorized=True)
    assert one.fun == many.fun and one.nfev == many.nfev


@pytest.mark.parametrize(
    ("fun", "kind", "message"),
    [
        (lambda X: rows(X)[:-1], ValueError, r"one ROW per point, and must return the shape \(40,\)"),
        (lambda X: (X**2).sum(axis=0), ValueError, r"it returned \(3,\)"),
        (lambda X: rows(X)[:, None], ValueError, r"it returned \(40, 1\)"),
        (lambda X: None, TypeError, "forget to return"),
        (lambda X: ["a"] * len(X), TypeError, "must return 40 numbers"),
    ],
)
def test_wrong_answers_of_a_vectorized_objective_are_explained(fun, kind, message):
    with pytest.raises(kind, match=message):
        enes.minimize(fun, [3, 4, 5], 1.0, rng=1, vectorized=True, population=40)


@pytest.mark.parametrize(
    "value", [1, np.float32(1), np.array(1.0), np.array([1.0]), [[1.0]], True, np.int64(1)], ids=repr
)
def test_one_number_in_any_form_is_a_value(value):
    assert enes.minimize(lambda x: value, [1, 2], 1.0, rng=1, maxiter=1).fun == 1.0


@pytest.mark.parametrize("value", ["1.0", None, 1j, [1.0, 2.0], {}, object(), np.array([])], ids=lambda value: type(value).__name__)
def test_anything_else_is_an_error(value):
    with pytest.raises(TypeError, match="fun (must return one real number|returned None)"):
        enes.minimize(lambda x: value, [1, 2], 1.0, rng=1)


def test_nan_ranks_last_and_infinity_is_a_value():
    result = enes.minimize(lambda x: np.nan if x[0] < 0 else sphere(x), [1, 1], 0.5, rng=1, maxfevals=2000)
    assert np.isfinite(result.fun) and result.x[0] >= 0 and result.nfailed == 0
    result = enes.minimize(lambda x: np.inf if x[0] < 0 else sphere(x), [1, 1], 0.5, rng=1, maxfevals=2000)
    assert np.isfinite(result.fun)


def test_an_objective_without_a_finite_value_stops_with_that_reason():
    result = enes.minimize(lambda x: np.nan, [1, 1], 0.5, rng=1, maxfevals=500)
    assert list(result.stop) == ["nofinitevalue"] and np.isnan(result.fun)
    np.testing.assert_array_equal(result.x, [1, 1])


def test_an_exception_leaves_as_itself_with_traceback_and_the_best_so_far():
    with pytest.raises(ZeroDivisionError, match="no value at") as caught:
        enes.minimize(fails_on_the_left, [1.0, 1.0], 0.2, rng=1)
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "fails_on_the_left"
    result = caught.value.enes_result
    assert result.nfev > 0 and result.fun == sphere(result.x) and list(result.stop) == ["error"]


def test_after_an_exception_the_run_goes_on_as_if_nothing_had_happened():
    fails = iter([False] * 70 + [True] + [False] * 10_000)

    def fun(x):
        if next(fails):
            raise OSError("the simulator is away")
        return sphere(x)

    es = enes.Optimizer([3, 4], 1.0, rng=1, maxiter=100, tolfun=None)
    with pytest.raises(OSError):
        es.optimize(fun)
    assert es.optimize(fun).fun == enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=100, tolfun=None).fun


def test_failures_rank_last_where_asked():
    result = enes.minimize(fails_on_the_left, [1.0, 1.0], 0.5, rng=1, on_error="rank_last", maxfevals=3000)
    assert result.nfailed > 0 and isinstance(result.error, ZeroDivisionError)
    assert result.x[0] >= 0 and result.fun < 1e-6


def test_a_failure_stops_the_run_where_asked():
    result = enes.minimize(fails_on_the_left, [1.0, 1.0], 0.2, rng=1, on_error="stop")
    assert result.status == 3 and not result.success and isinstance(result.error, ZeroDivisionError)
    assert "the objective failed: ZeroDivisionError" in result.message
    assert result.fun == sphere(result.x)


def test_a_run_stopped_by_a_failure_goes_on_as_if_nothing_had_happened():
    fails = iter([False] * 70 + [True] + [False] * 10_000)
    es = enes.Optimizer([3, 4], 1.0, rng=1, maxiter=100, tolfun=None)

    def fun(x):
        return None if next(fails) else sphere(x)

    assert es.optimize(fun, on_error="stop").stop == {"error": 1.0}
    assert es.stop() == {}
    assert es.optimize(fun).fun == enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=100, tolfun=None).fun


def test_a_run_without_a_value_quotes_the_last_failure():
    result = enes.minimize(fails_on_the_left, [-9, -9], 0.1, rng=1, on_error="rank_last")
    assert "the last failure: ZeroDivisionError: no value at" in result.message


@pytest.mark.parametrize("fun", [returns_text, returns_nothing])
def test_results_of_the_wrong_type_follow_the_policy(fun):
    assert enes.minimize(fun, [1, 1], 1.0, on_error="stop", rng=1).status == 3
    result = enes.minimize(fun, [1, 1], 1.0, on_error="rank_last", rng=1)
    assert list(result.stop) == ["nofinitevalue"] and isinstance(result.error, TypeError)


def test_the_policy_is_one_of_three():
    with pytest.raises(ValueError, match="on_error must be 'raise', 'rank_last' or 'stop', got 'ignore'"):
        enes.minimize(sphere, [1, 1], 1.0, on_error="ignore")


def test_a_callback_by_keyword_gets_the_result():
    seen = []

    def callback(intermediate_result):
        seen.append((intermediate_result.nit, intermediate_result.fun, intermediate_result.nfev))

    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, callback=callback, maxiter=5)
    assert [s[0] for s in seen] == [1, 2, 3, 4, 5] and seen[-1][1] == result.fun


def test_any_other_callback_gets_the_point():
    seen = []
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, callback=lambda xk: seen.append(xk), maxiter=5)
    np.testing.assert_array_equal(seen[-1], result.x)
    enes.minimize(sphere, [3, 4], 1.0, rng=1, callback=print if False else seen.append, maxiter=2)


def stop_by_exception(xk):
    raise StopIteration


@pytest.mark.parametrize("callback", [stop_by_exception, lambda xk: True, lambda xk: np.True_])
def test_a_callback_can_stop(callback):
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, callback=callback)
    assert result.nit == 1 and result.status == 99 and not result.success and list(result.stop) == ["callback"]


def test_a_callback_that_returns_something_else_does_not_stop():
    assert enes.minimize(sphere, [3, 4], 1.0, rng=1, callback=lambda xk: "go on", maxiter=3).nit == 3


def test_an_exception_in_a_callback_leaves():
    def callback(xk):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        enes.minimize(sphere, [3, 4], 1.0, rng=1, callback=callback)
    assert caught.value.enes_result.nit == 1 and caught.value.enes_result.status == 3


def test_a_checkpoint_is_kept_and_goes_on(tmp_path):
    path = tmp_path / "run.enes"
    full = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=60, tolfun=None)

    def callback(intermediate_result):
        return intermediate_result.nit == 20

    enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=60, tolfun=None, callback=callback, checkpoint=path)
    assert enes.Optimizer.load(path).generation == 20
    assert enes.Optimizer.load(path).optimize(sphere).fun == full.fun


def test_a_checkpoint_is_there_from_the_start(tmp_path):
    path = tmp_path / "run.enes"
    with pytest.raises(ZeroDivisionError):
        enes.minimize(lambda x: 1 / 0, [3, 4], 1.0, rng=1, checkpoint=path)
    assert enes.Optimizer.load(path).evaluations == 0


def test_a_spent_budget_can_be_raised(tmp_path):
    path = tmp_path / "run.enes"
    first = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=10, checkpoint=path)
    assert first.stop == {"maxiter": 10}
    es = enes.Optimizer.load(path, maxiter=30)
    assert es.stop() == {}
    assert es.optimize(sphere).fun == enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=30).fun
    with pytest.raises(TypeError, match="'population' cannot be changed in mid-run"):
        enes.Optimizer.load(path, population=3)
    with pytest.raises(ValueError, match="target"):
        enes.Optimizer.load(path, ftarget=np.nan)


def test_the_objective_may_change_its_argument():
    def rude(x):
        value = sphere(x)
        x[:] = 7.0
        return value

    assert enes.minimize(rude, [3, 4], 1.0, rng=1).fun == enes.minimize(sphere, [3, 4], 1.0, rng=1).fun


def test_progress_is_shown_with_and_without_tqdm(capsys, monkeypatch):
    enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=30, tolfun=None, disp=True)
    assert "eval" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=30, tolfun=None, disp=True)
    shown = capsys.readouterr()
    assert "generation 30" in shown.err and shown.out == ""
    enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=30)
    assert capsys.readouterr().err == ""


def test_the_history_has_a_row_for_each_generation_and_stays_small():
    result = enes.minimize(sphere, [3, 4], 1.0, rng=1, maxiter=50, model="rank_only")
    columns = enes.history(result)
    assert columns["generation"].tolist() == list(range(1, 51))
    assert columns["evaluations"][-1] == result.nfev and columns["best"][-1] == result.fun
    assert (np.diff(columns["best"]) <= 0).all() and (np.diff(columns["seconds"]) >= 0).all()
    np.testing.assert_array_equal([columns["std_0"][-1], columns["std_1"][-1]], result.stds)
    noise = np.random.default_rng(1)
    off = dict.fromkeys(["tolx", "tolfun", "tolfunhist", "tolstagnation", "tolfacupx", "tolconditioncov"])
    result = enes.minimize(
        lambda X: noise.random(len(X)), [3, 4], 1.0, rng=1, maxiter=10_000, vectorized=True, noeffect=False, **off
    )
    rows = len(enes.history(result)["generation"])
    assert 1000 <= rows <= 2048


def test_nothing_is_warned_about_in_a_plain_run():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enes.minimize(sphere, [3, 4], 1.0, rng=1)


def test_problems_are_called_with_a_point_or_rows():
    problem = enes.problems.get("rosenbrock", 4, seed=3, distance=2.0)
    assert problem(problem.optimum) < 1e-20
    assert np.linalg.norm(problem.x0 - problem.optimum) == pytest.approx(2.0)
    X = np.random.default_rng(1).normal(size=(7, 4))
    np.testing.assert_array_equal(problem(X), [problem(x) for x in X])
    np.testing.assert_array_equal(problem(np.asfortranarray(X)), problem(X))
    assert len(enes.problems.names()) == 13
    with pytest.raises(ValueError, match="rosenbrock"):
        enes.problems.get("rosenbrok", 4)
    with pytest.raises(ValueError, match="dim"):
        enes.problems.get("sphere", 0)
    with pytest.raises(ValueError, match="shape"):
        problem(np.zeros(3))


def test_the_objective_must_be_callable():
    with pytest.raises(TypeError, match="fun must be callable, got 3"):
        enes.minimize(3, [1, 2], 1.0)
    with pytest.raises(TypeError, match="callback must be callable"):
        enes.minimize(sphere, [1, 2], 1.0, callback=3)


def rastrigin(x):
    return float((x**2 + 10 * (1 - np.cos(2 * np.pi * x))).sum())


def test_a_search_that_ends_short_of_its_target_starts_again():
    result = enes.minimize(rastrigin, [2.2, -1.7], 1.0, rng=3, ftarget=1e-9, maxfevals=50_000)
    assert result.success and result.restarts
    assert all(r["stop"] and r["message"] and r["fun"] > 1e-9 for r in result.restarts)
    assert sum(r["evaluations"] for r in result.restarts) < result.nfev
    once = enes.minimize(rastrigin, [2.2, -1.7], 1.0, rng=3, ftarget=1e-9, maxfevals=50_000, restarts="off")
    assert once.restarts == [] and not once.success
    with pytest.raises(ValueError, match="restarts must be 'auto' or 'off' or 'ipop' or 'bipop'"):
        enes.minimize(rastrigin, [2.2, -1.7], 1.0, restarts="on")


def test_the_start_may_be_a_function():
    starts = []

    def start():
        starts.append(len(starts))
        return [10.0 * len(starts), 0.0]

    result = enes.minimize(sphere, start, 0.1, rng=1, ftarget=-1, max_restarts=2)
    assert starts == [0, 1, 2] and len(result.restarts) == 2


def test_what_the_start_function_raises_leaves_as_itself():
    calls = []

    def start():
        calls.append(1)
        if len(calls) > 1:
            raise LookupError("no more starts")
        return [1.0, 1.0]

    es = enes.Optimizer(start, 0.1, rng=1, ftarget=-1)
    with pytest.raises(LookupError, match="no more starts") as caught:
        es.optimize(sphere)
    assert caught.value.enes_result.fun < 1e-15
    assert list(es.stop()) == ["startrule"]
    assert enes.Optimizer._from_core(type(es._core).restore(es._core.checkpoint()), None).generation == es.generation
    with pytest.raises(TypeError, match="x0 must be an array of real numbers"):
        enes.minimize(sphere, lambda: "nowhere", 0.1)
