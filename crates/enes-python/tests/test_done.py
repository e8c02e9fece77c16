"""When a run is done, and what success means."""

from __future__ import annotations

import numpy as np
import pytest
from objectives import sphere

import enes


def test_a_run_that_is_done_ends_and_says_so():
    result = enes.minimize(sphere, [1.0, 1.0], 0.5, rng=1, maxfevals=5000)
    assert result.success and result.status == 0 and result.message == "5 searches ended in the same optimum"
    assert result.stop == {"same_optimum": 5.0} and result.nfev < 3 * result.restarts[0]["evaluations"]
    (optimum,) = result.optima
    assert sorted(optimum) == ["found", "fun", "nfev", "violation", "x"] and optimum["found"] == 5
    assert optimum["fun"] == result.fun and (optimum["x"] == result.x).all()


def test_the_rules_for_being_done_can_be_switched_off():
    result = enes.minimize(sphere, [1.0, 1.0], 0.5, rng=1, maxfevals=2000, same_optimum=None, unseen_optima=None)
    # The budget ended the run, and the best point is that of a search that converged.
    assert result.nfev == 2000 and result.success and result.status == 1
    assert result.message.endswith("the best point comes from a search that converged")
    assert enes.minimize(sphere, [1.0, 1.0], 0.5, rng=1, maxfevals=2000, same_optimum=2).restarts[1:] == []
    with pytest.raises(ValueError, match="^unseen_optima must .* got -1"):
        enes.minimize(sphere, [1.0, 1.0], 0.5, unseen_optima=-1)


@pytest.mark.parametrize("name", ["maxfevals", "maxiter", "same_optimum"])
def test_a_limit_of_nothing_is_refused_by_the_name_that_was_written(name):
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0: None is no limit"):
        enes.minimize(sphere, [1.0, 1.0], 0.5, **{name: 0})
    with pytest.raises(ValueError, match=f"^{name} must not be negative, got -3"):
        enes.minimize(sphere, [1.0, 1.0], 0.5, **{name: -3})
    es = enes.Optimizer([1.0, 1.0], 0.5, maxfevals=10)
    assert es.optima == [] and es.result.optima == []


def test_distinct_optima_are_listed_the_best_first():
    def wells(x):
        return float(-np.exp(-((x - 2) ** 2).sum()) - 2 * np.exp(-((x + 2) ** 2).sum()))

    listed = set()
    for seed in [*range(25), 72]:
        result = enes.minimize(wells, bounds=[(-4, 4)] * 2, rng=seed, maxfevals=20_000, same_optimum=None)
        assert result.success and result.status == 0
        assert sum(o["found"] for o in result.optima) <= len(result.restarts) + 1
        listed.add(tuple(round(o["fun"]) for o in result.optima))
    assert listed == {(-2, -1)}
