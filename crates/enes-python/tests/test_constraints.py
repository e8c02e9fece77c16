"""Constraints: a pair (value, violation) from any kind of evaluation; scipy's constraints."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from objectives import beside_a_wall, beside_a_wall_rows
from scipy import optimize
from scipy.optimize import LinearConstraint, NonlinearConstraint

import enes


@pytest.mark.parametrize("strategy", ["adaptive", "published"])
def test_the_optimum_on_the_boundary_is_found_and_feasible(strategy):
    result = enes.minimize(beside_a_wall, [3.0, 3.0], 1.0, rng=2, strategy=strategy)
    # The published strategy ends ill-conditioned on the wall, having found it: no success by scipy's rules. The adaptive one
    # does so in one of eight runs.
    assert result.success or (strategy == "published" and "tolconditioncov" in result.stop)
    assert result.feasible and result.violation == result.maxcv == 0.0
    np.testing.assert_allclose(result.x, [1.0, 0.0], atol=1e-3)  # f is flat along the wall: 1e-6 in value
    assert abs(result.fun - 1.0) < 1e-6 and result.x[0] >= 1.0


def test_every_way_to_evaluate_gives_the_same_run():
    serial = enes.minimize(beside_a_wall, [3.0, 3.0], 1.0, rng=2, maxfevals=203, batch=3)
    with ThreadPoolExecutor(2) as executor:
        threads = enes.minimize(beside_a_wall, [3.0, 3.0], 1.0, rng=2, maxfevals=203, batch=3, executor=executor)
    mapped = enes.minimize(beside_a_wall, [3.0, 3.0], 1.0, rng=2, maxfevals=203, batch=3, workers=map)
    processes = enes.minimize(beside_a_wall, [3.0, 3.0], 1.0, rng=2, maxfevals=203, batch=3, workers=2)
    rows = enes.minimize(beside_a_wall_rows, [3.0, 3.0], 1.0, rng=2, maxfevals=203, batch=3, vectorized=True)
    es = enes.Optimizer([3.0, 3.0], 1.0, rng=2, maxfevals=203, batch=3)
    while not es.stop() and es.evaluations + es.population <= 203:
        es.tell(*beside_a_wall_rows(es.ask()))
    for other in (threads, mapped, processes, rows):
        np.testing.assert_array_equal(serial.x, other.x)
        assert (serial.fun, serial.violation, serial.nfev) == (other.fun, other.violation, 203)
    np.testing.assert_array_equal(es.result.xfavorite, serial.xfavorite)


def test_without_a_feasible_point_the_least_violation_comes_back():
    result = enes.minimize(lambda x: (np.nan, 0.5 + x @ x), [1.0, 1.0], 0.5, rng=1)
    assert not result.success and not result.feasible and result.status == 2
    assert abs(result.violation - 0.5) < 1e-9 and np.isnan(result.fun)
    assert "no feasible point was found" in result.message
    history = enes.history(result)
    assert np.isnan(history["best"]).all() and history["violation"][-1] == result.violation


def test_what_is_shown_of_an_infeasible_best_is_its_violation(capsys):
    es = enes.Optimizer([1.0, 1.0], 0.5, rng=1)
    es.optimize(lambda x: (7.0, 0.5 + x @ x), disp=True, callback=lambda intermediate_result: True)
    shown = capsys.readouterr().err
    assert "infeasible, violation" in repr(es) and "infeasible, violation" in shown
    assert "e+303" not in repr(es) + shown


def test_a_plot_of_an_infeasible_run_says_so():
    pytest.importorskip("matplotlib").use("Agg")
    result = enes.minimize(lambda x: (0.0, 0.5 + x @ x), [1.0, 1.0], 0.5, rng=1, maxiter=20)
    texts = [text.get_text() for text in enes.plot(result).findobj(lambda artist: hasattr(artist, "get_text"))]
    assert any("infeasible, violation" in text for text in texts) and "no point is feasible" in texts


def test_a_target_needs_a_feasible_point():
    result = enes.minimize(lambda x: (-1.0, 1.0 - x[0]), [-5.0, 0.0], 0.5, rng=1, ftarget=0.0)
    assert result.stop == {"ftarget": 0.0} and result.x[0] >= 1.0


def test_restarts_tell_their_violation():
    result = enes.minimize(lambda x: (0.0, 1.0 + x @ x), [1.0, 1.0], 0.5, rng=1, restarts="ipop", max_restarts=1)
    assert abs(result.restarts[0]["violation"] - 1.0) < 1e-6


def test_violations_that_do_not_fit_are_refused():
    es = enes.Optimizer([1.0, 2.0], 1.0, rng=1)
    k = len(es.ask())
    with pytest.raises(ValueError, match=f"{k} values and 1 violations"):
        es.tell([0.0] * k, [0.0])
    with pytest.raises(ValueError, match="violations must have the shape"):
        es.tell([0.0] * k, [[0.0]] * k)
    assert es.evaluations == 0
    with pytest.raises(TypeError, match="or a pair \\(value, violation\\), got 3 things"):
        enes.minimize(lambda x: (1.0, 2.0, 3.0), [1.0], 1.0, rng=1)
    with pytest.raises(TypeError, match="one real number"):
        enes.minimize(lambda x: (1.0, "much"), [1.0], 1.0, rng=1)
    with pytest.raises(ValueError, match="must return the shape"):
        enes.minimize(lambda X: (X[:, 0], X[:1, 0]), [1.0, 1.0], 1.0, rng=1, vectorized=True)


def test_a_failure_under_constraints_ranks_last():
    def sometimes(x):
        if x[0] > 4:
            raise ValueError("too far")
        return beside_a_wall(x)

    result = enes.minimize(sometimes, [4.0, 3.0], 1.0, rng=1, on_error="rank_last")
    assert result.nfailed > 0 and result.feasible and abs(result.fun - 1.0) < 1e-6


def test_a_pickled_and_a_saved_run_go_on_with_their_violation(tmp_path):
    es = enes.Optimizer([-9.0, 3.0], 1.0, rng=3)
    es.tell(*beside_a_wall_rows(es.ask()))
    assert es.result.violation > 0
    es.save(tmp_path / "run")
    for again in (pickle.loads(pickle.dumps(es)), enes.Optimizer.load(tmp_path / "run")):
        assert again.result.violation == es.result.violation
        np.testing.assert_array_equal(again.ask(), es.ask())


CONSTRAINTS = {
    "dict": {"type": "ineq", "fun": lambda x: x[0] - 1},
    "arguments": {"type": "ineq", "fun": lambda x, low: x[0] - low, "args": (1.0,)},
    "list": [{"type": "ineq", "fun": lambda x: x[0] - 1}, {"type": "ineq", "fun": lambda x: x[1] + 5}],
    "linear": LinearConstraint([[1.0, 0.0]], lb=1.0),
    "nonlinear": NonlinearConstraint(lambda x: x[0] ** 3, 1.0, np.inf),
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_scipys_constraints_are_met(name):
    called = []

    def cost(x):
        called.append(x.copy())
        return x @ x

    options = {"sigma0": 0.5, "rng": 1}
    result = optimize.minimize(
        cost, [3.0, 3.0], method=enes.scipy_method, constraints=CONSTRAINTS[name], options=options
    )
    assert result.success and result.maxcv == 0.0 and abs(result.fun - 1.0) < 1e-6
    direct = enes.scipy_method(cost, [3.0, 3.0], constraints=CONSTRAINTS[name], **options)
    assert direct.fun == result.fun
    assert min(x[0] for x in called) >= 1.0  # never called outside


@pytest.mark.long
def test_an_equality_is_met_within_its_tolerance():
    equal = {"type": "eq", "fun": lambda x: x.sum() - 1}
    options = {"sigma0": 0.5, "rng": 1, "catol": 1e-3, "maxfev": 20_000}
    result = optimize.minimize(
        lambda x: x @ x, [2.0, 2.0, 2.0], method=enes.scipy_method, constraints=equal, options=options
    )
    assert result.maxcv == 0.0 and abs(result.x.sum() - 1) <= 1e-3
    assert abs(result.fun - (1 - 1e-3) ** 2 / 3) < 1e-4
    rows = {**options, "vectorized": True}
    same = enes.scipy_method(lambda X: (X**2).sum(axis=1), [2.0, 2.0, 2.0], constraints=equal, **rows)
    assert abs(same.fun - result.fun) < 1e-4


def test_a_constraint_that_is_none_is_refused():
    for wrong in ({"type": "le", "fun": len}, {"type": "eq"}, [3.0]):
        with pytest.raises(ValueError, match="a constraint"):
            enes.scipy_method(lambda x: x @ x, [1.0, 1.0], constraints=wrong)
    with pytest.raises(ValueError, match="catol"):
        enes.scipy_method(lambda x: x @ x, [1.0, 1.0], constraints=CONSTRAINTS["dict"], catol=-1.0)
