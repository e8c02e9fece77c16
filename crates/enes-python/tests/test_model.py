"""The surrogate: options, what can be read of it, workers, refusals."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
from objectives import advance, same, sphere

import enes

START = dict(x0=[3.0, 4.0, 5.0], sigma0=1.0, rng=1)
FIVE = dict(START, x0=[3.0, 4.0, 5.0, 6.0, 7.0])


def sizes(es, generations):
    """Points in each generation of a sphere."""
    found = []
    for _ in range(generations):
        X = es.ask()
        found.append(len(X))
        es.tell((X**2).sum(axis=1))
    return found


def test_the_status_says_the_mode_and_how_well_the_surrogate_predicts():
    es = enes.Optimizer(**START)
    assert es.model is None
    advance(es, 6)
    model = es.model
    assert model["mode"] == "surrogate" and model["response"] in {"values", "power", "ranks"}
    assert 0.0 <= model["error"] < 0.7
    assert es.result.model == model
    history = es.result.history
    assert history["surrogate_active"][-1] == 1.0 and history["surrogate_error"][-1] == model["error"]
    np.testing.assert_array_equal(enes.history(es)["surrogate_error"], history["surrogate_error"])
    again = pickle.loads(pickle.dumps(es))
    assert again.model == model
    np.testing.assert_array_equal(again.result.history["surrogate_active"], history["surrogate_active"])


@pytest.mark.parametrize("options", [{"model": "rank_only"}, {"strategy": "published"}])
def test_without_a_model_there_is_nothing_to_read(options):
    es = enes.Optimizer(**START, **options)
    advance(es, 6)
    assert es.model is None and es.result.model is None
    assert np.isnan(es.result.history["surrogate_active"]).all()
    assert np.isnan(es.result.history["surrogate_error"]).all()


def test_history_of_an_earlier_pickle_has_no_model():
    es = enes.Optimizer(**START)
    advance(es, 5)
    old = {name: column for name, column in es._core.history().items() if not name.startswith("surrogate_")}
    again = enes.Optimizer._from_core(enes._enes.Core.restore(es._core.checkpoint(), old), None)
    history = again.result.history
    np.testing.assert_array_equal(history["best"], old["best"])
    assert np.isnan(history["surrogate_error"]).all()


def test_a_model_of_the_values_needs_fewer_evaluations_than_ranks():
    solved = [enes.minimize(sphere, **START, ftarget=1e-10, model=model) for model in ("auto", "rank_only")]
    assert all(r.success for r in solved) and 4 * solved[0].nfev < solved[1].nfev


def test_ranks_alone_do_not_notice_a_transformation():
    runs = [
        enes.minimize(f, **START, model="rank_only", maxiter=30)
        for f in (sphere, lambda x: float(np.expm1(sphere(x))))
    ]
    np.testing.assert_array_equal(runs[0].x, runs[1].x)


def test_the_batch_is_the_number_of_samples_beside_the_models_point():
    assert sizes(enes.Optimizer(**FIVE, batch=1), 6)[-1] == 2
    # In few dimensions a step that follows one that kept its promise comes alone.
    assert sizes(enes.Optimizer(**START, batch=1), 6)[-1] == 1
    assert sizes(enes.Optimizer(**START, batch=11), 6)[-1] == 12
    population = enes.Optimizer(**START).population
    assert sizes(enes.Optimizer(**START), 6)[-1] == population


def test_generations_grow_with_the_workers_unless_a_batch_is_given():
    population = enes.Optimizer(**START).population
    assert sizes(enes.Optimizer(**START, workers=population + 3), 6)[-1] == population + 3
    assert sizes(enes.Optimizer(**START, workers=2), 6)[-1] == population
    assert sizes(enes.Optimizer(**FIVE, workers=20, batch=1), 6)[-1] == 2


def test_minimize_tells_the_optimizer_how_many_processes_there_are():
    grown = enes.minimize(sphere, **START, workers=8, maxfevals=60)
    es = enes.Optimizer(**START, workers=8, maxfevals=60)
    same(grown, es.optimize(sphere))
    # A callable and an executor do not say how many they are.
    plain = enes.minimize(sphere, **START, maxfevals=60)
    same(enes.minimize(sphere, **START, workers=map, maxfevals=60), plain)
    assert grown.nit < plain.nit


def test_minus_one_is_as_many_as_there_are_cores():
    cores = len(os.sched_getaffinity(0))
    found = enes.minimize(sphere, **START, workers=-1, maxfevals=40)
    same(found, enes.Optimizer(**START, workers=cores, maxfevals=40).optimize(sphere))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"model": "ranks"}, ValueError, "model must be 'auto' or 'rank_only', got 'ranks'"),
        ({"model": 3}, TypeError, "model must be a name, got 3"),
        ({"batch": 0}, ValueError, "batch"),
        ({"batch": 1.5}, TypeError, "batch must be a whole number"),
        ({"batch": 10**7}, ValueError, "batch"),
        ({"workers": 0}, ValueError, "workers"),
        ({"strategy": "published", "model": "rank_only"}, ValueError, "model"),
        ({"strategy": "published", "batch": 3}, ValueError, "batch"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(options, error, words):
    with pytest.raises(error, match=words):
        enes.Optimizer(**START, **options)
    if "workers" not in options:
        with pytest.raises(error, match=words):
            enes.minimize(sphere, **START, **options)


@pytest.mark.parametrize(("workers", "error"), [(0, ValueError), (-2, ValueError), (1.5, TypeError), (True, TypeError)])
def test_a_wrong_number_of_workers_is_refused_before_anything_runs(workers, error):
    with pytest.raises(error, match="workers must be"):
        enes.minimize(sphere, **START, workers=workers)


def test_progress_says_the_mode(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    enes.minimize(sphere, **START, maxiter=6, disp=True)
    assert "mode surrogate (fits " in capsys.readouterr().err


def test_columns_answer_to_their_former_names_with_a_warning():
    es = enes.Optimizer(**START)
    advance(es, 6)
    history = es.result.history
    with pytest.warns(DeprecationWarning, match="surrogate_active"):
        np.testing.assert_array_equal(history["model_rules"], history["surrogate_active"])
    with pytest.raises(KeyError, match="nosuch"):
        history["nosuch"]


def test_a_pickle_of_the_first_release_keeps_its_columns():
    es = enes.Optimizer(**START)
    advance(es, 6)
    former = {"surrogate_active": "model_rules", "surrogate_error": "model_error"}
    old = {former.get(name, name): column for name, column in es._core.history().items()}
    again = enes.Optimizer._from_core(enes._enes.Core.restore(es._core.checkpoint(), old), None)
    np.testing.assert_array_equal(again.result.history["surrogate_error"], old["model_error"])
