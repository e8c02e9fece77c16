"""Refusals say what the user did and what to write instead."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import enes


def sphere(x):
    return float(x @ x)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"maxfevals": 0}, ValueError, "^maxfevals must be at least 1, got 0"),
        ({"maxiter": 0}, ValueError, "^maxiter must be at least 1, got 0"),
        ({"ftarget": float("nan")}, ValueError, "^ftarget must be a number, got NaN"),
        ({"maximize": True}, TypeError, "unknown option 'maximize': enes minimizes: return the negative of the value"),
        ({"direction": "max"}, TypeError, "enes minimizes"),
        ({"constraints": [3.0]}, ValueError, "a constraint must be scipy's LinearConstraint, NonlinearConstraint or dict"),
        ({"constraints": sphere}, ValueError, r"got <function sphere.*write NonlinearConstraint\(g, -np.inf, 0\)$"),
        ({"constraint": []}, TypeError, "unknown option 'constraint': they belong to enes.minimize.*constraints="),
        ({"jac": True}, TypeError, "unknown option 'jac': enes uses values only; leave it out"),
        ({"options": {}}, TypeError, "write options as keywords"),
        ({"tol": 1e-3}, TypeError, "give tolx, for steps in x, and tolfun"),
        ({"eval_timeout": 2}, TypeError, "'eval_timeout': timeout is for the whole run .* docs/python/failures.md"),
        ({"n_jobs": 2}, TypeError, "did you mean 'workers'"),
        ({"maxfeval": 2}, TypeError, "did you mean 'maxfevals'"),
        ({"bound": 2}, TypeError, "did you mean 'bounds'"),
        ({"xyzzy": 2}, TypeError, "the options are rng, bounds, strategy, "),
    ],
)
def test_options_from_elsewhere_are_answered_with_what_to_write(options, error, message):
    with pytest.raises(error, match=message):
        enes.minimize(sphere, [1.0, 2.0], 1.0, **options)


@pytest.mark.parametrize("name", ["callback", "disp", "executor", "vectorized", "on_error", "checkpoint", "args"])
def test_what_belongs_to_the_loop_is_not_for_the_optimizer(name):
    with pytest.raises(TypeError, match=f"unknown option '{name}': it belongs to enes.minimize"):
        enes.Optimizer([1.0], 1.0, **{name: None})


@pytest.mark.parametrize(
    ("d", "bounds", "remedy"),
    [
        (2, [[-5, -5], [5, 5]], r"write one pair \(lower, upper\) for each coordinate: \[\(-5, 5\), \(-5, 5\)\]"),
        (3, [[-5, -4, -3], [5, 4, 3]], r"\[\(-5, 5\), \(-4, 4\), \(-3, 3\)\]"),
        (5, [[-5] * 5, [5] * 5], r"\[\(-5, 5\), \(-5, 5\), \(-5, 5\), \.\.\.\]"),
        (3, [-5, 5], r"write one pair for each coordinate: \[\(-5, 5\)\] \* 3"),
    ],
)
def test_bounds_as_pycma_has_them_are_recognised(d, bounds, remedy):
    with pytest.raises(ValueError, match="as pycma has them; .*" + remedy):
        enes.minimize(sphere, [0.0] * d, 1.0, bounds=bounds)


def test_bounds_that_only_look_like_it_are_taken_as_they_are():
    assert enes.Optimizer([0.0, 1.0], 1.0, bounds=[(-1, 1), (0, 2)]).dimension == 2
    assert enes.Optimizer([0.0, 1.0], 1.0, bounds=[(0, 0), (0, 2)]).dimension == 2
    with pytest.raises(ValueError, match="every coordinate has equal bounds"):
        enes.Optimizer([1.0, 1.0], 1.0, bounds=[(1, 1), (1, 1)])
    with pytest.raises(TypeError, match=r"bounds must be pairs \(lower, upper\), one for each coordinate, got 3"):
        enes.Optimizer([1.0, 1.0], 1.0, bounds=3)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([(0, 1)] * 3, "bounds has 3, x0 has 2; make them the same length"),
        ([(0, 1), (float("nan"), 1)], "bounds of coordinate 1: the lower is nan, not a number; write None or -inf"),
        ([(0, float("nan")), (0, 1)], "bounds of coordinate 0: the upper is nan, not a number; write None or inf"),
    ],
)
def test_bounds_that_do_not_fit_are_told_with_their_numbers(bounds, message):
    with pytest.raises(ValueError, match=message):
        enes.minimize(sphere, [0.5, 0.5], 1.0, bounds=bounds)
    scipy_bounds = SimpleNamespace(lb=[low for low, _ in bounds], ub=[high for _, high in bounds])
    with pytest.raises(ValueError, match=message):
        enes.minimize(sphere, [0.5, 0.5], 1.0, bounds=scipy_bounds)


def test_a_printed_result_says_how_many_optima_there_are():
    result = enes.minimize(lambda x: float(min((x[0] - 3) ** 2 + 1, (x[0] + 3) ** 2)), bounds=[(-5, 5)], rng=2)
    often = ", ".join(str(row["found"]) for row in result.optima)
    assert len(result.optima) == 2 and f" optima: 2, found {often} times" in str(result)
    assert " optima:" not in str(enes.minimize(sphere, [1.0], 1.0, rng=1, maxiter=1))


def test_limits_of_a_run_that_continues_are_named_as_in_python(tmp_path):
    es = enes.Optimizer([1.0], 1.0, rng=1)
    es.save(tmp_path / "run")
    with pytest.raises(ValueError, match="^maxfevals must be at least 1"):
        enes.Optimizer.load(tmp_path / "run", maxfevals=0)


@pytest.mark.parametrize("use", [lambda es: es.ask(), lambda es: es.tell([0.0]), lambda es: es.mean, lambda es: es.result])
def test_an_optimizer_that_is_at_work_already_says_so(use):
    # The function that gives the starts is called while the optimizer is at work, as another thread may be.
    made = []

    def start():
        if made:
            use(made[0])
        return [1.0, 1.0]

    made.append(enes.Optimizer(start, 1.0, rng=1, maxfevals=10_000, restarts="ipop"))
    with pytest.raises(RuntimeError, match=r"at work already, in another thread .* hold a threading\.Lock around both"):
        while not made[0].stop():
            made[0].tell([0.0] * len(made[0].ask()))


def test_a_field_that_a_result_does_not_have_is_named_with_the_nearest():
    result = enes.minimize(sphere, [1.0], 1.0, rng=1, maxiter=3)
    with pytest.raises(AttributeError, match="the result has no field 'mesage'; did you mean 'message'"):
        result.mesage  # noqa: B018


def test_other_errors_of_the_user_are_left_as_they_are():
    def fun(x):
        raise RuntimeError("Already done")

    with pytest.raises(RuntimeError, match="^Already done$"):
        enes.Optimizer([1.0], 1.0, rng=1).optimize(fun)
