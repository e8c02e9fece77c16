"""Injection, and starts from what an earlier run has learned."""

from __future__ import annotations

import json

import numpy as np
import pytest

import enes

STRATEGIES = ["adaptive", "published"]

#: With a surrogate there is little to save.
RANKS = {"adaptive": {"model": "rank_only"}, "published": {}}


def ellipsoid(x, at=0.0):
    return float((10.0 ** np.arange(len(x)) * (x - at) ** 2).sum())


def first(strategy, **options):
    es = enes.Optimizer(np.ones(4), 0.5, strategy=strategy, rng=1, ftarget=1e-10, restarts="off", **options)
    X, y = [], []
    while not es.stop():
        points = es.ask()
        values = [ellipsoid(x) for x in points]
        es.tell(values)
        X.extend(points)
        y.extend(values)
    return es, np.array(X), np.array(y)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_injected_point_counts_for_the_best_and_not_as_an_evaluation(strategy):
    es = enes.Optimizer([1, 2], 0.5, strategy=strategy, rng=1, ftarget=1e-3)
    X = es.ask()
    es.inject([0.1, 0.1], 0.02)
    assert np.array_equal(es.ask(), X)
    es.tell((X**2).sum(axis=1))
    assert (es.result.fun, es.injected, es.evaluations) == (0.02, 1, len(X))
    es.inject([0, 0], np.nan)
    assert es.injected == 2 and not es.stop()
    es.inject([0, 0], 0)
    assert es.stop() == {"ftarget": 1e-3} and es.result.success


def test_what_cannot_be_injected_is_refused():
    es = enes.Optimizer(bounds=[(0, 1), (0, 1)], rng=1)
    with pytest.raises(ValueError, match="coordinate 1 of the injected point, 2, lies outside its bounds"):
        es.inject([0.5, 2], 1.0)
    with pytest.raises(ValueError, match="has 1 coordinates, the search 2"):
        es.inject([0.5], 1.0)
    with pytest.raises(ValueError, match="must be finite, got NaN"):
        es.inject([0.5, np.nan], 1.0)
    with pytest.raises(ValueError, match="one after the other"):
        es.inject([[0.5, 0.5]], 1.0)
    with pytest.raises(TypeError, match="value must be"):
        es.inject([0.5, 0.5], None)
    assert es.injected == 0


def test_an_injection_survives_a_pickle():
    import pickle

    es = enes.Optimizer([1, 2, 3], 0.5, rng=1)
    es.tell((es.ask() ** 2).sum(axis=1))
    es.inject([0, 0, 0], 0.0)
    again = pickle.loads(pickle.dumps(es))
    assert np.array_equal(es.ask(), again.ask()) and again.injected == 1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_source_saves_evaluations(strategy, tmp_path):
    es, X, y = first(strategy, **RANKS[strategy])
    es.save(tmp_path / "checkpoint")
    np.savetxt(tmp_path / "table.csv", np.column_stack([X, y]), delimiter=",")
    header = "a,value,b,c,d"
    np.savetxt(tmp_path / "named.csv", np.insert(X, 1, y, axis=1), delimiter=",", header=header, comments="")
    folder = tmp_path / "run"
    folder.mkdir()
    lines = [json.dumps({"id": i, "x": x.tolist(), "value": v}) for i, (x, v) in enumerate(zip(X, y))]
    (folder / "evaluations.jsonl").write_text("\n".join(lines) + '\n{"id": 1, "x"')
    sources = [es, es.result, enes.history(es), (X, y), folder]
    sources += [tmp_path / "checkpoint", str(tmp_path / "table.csv"), tmp_path / "named.csv"]
    cold = enes.minimize(ellipsoid, np.ones(4), 0.5, args=(0.05,), strategy=strategy, rng=2, ftarget=1e-10, **RANKS[strategy])
    for source in sources:
        options = {"strategy": strategy, "rng": 2, "ftarget": 1e-10, "warm_points": False, **RANKS[strategy]}
        warm = enes.minimize(ellipsoid, np.ones(4), 0.5, args=(0.05,), warm_start=source, **options)
        assert warm.success and warm.nfev < cold.nfev, source
        start = enes.Optimizer(warm_start=source, **options)
        assert np.allclose(start.mean, 0, atol=0.05), source


def test_a_run_and_its_checkpoint_are_the_same_start(tmp_path):
    es, _, _ = first("adaptive")
    es.save(tmp_path / "checkpoint")
    starts = [enes.Optimizer(warm_start=source, rng=3) for source in (es, tmp_path / "checkpoint", es.result)]
    assert np.array_equal(starts[0].ask(), starts[1].ask())
    assert np.allclose(starts[0].mean, starts[2].mean)
    assert np.allclose(starts[0].stds / starts[0].stds[0], es.stds / es.stds[0])


def test_points_enter_unless_told_otherwise():
    _, X, y = first("adaptive")
    assert enes.Optimizer(np.ones(4), 0.5, warm_start=(X, y)).archive > 0
    assert enes.Optimizer(np.ones(4), 0.5, warm_start=(X, y), warm_points=False).archive == 0


def test_the_scale_is_multiplied():
    es, _, _ = first("adaptive")
    wide = enes.Optimizer(np.ones(4), 0.5, warm_start=es, warm_widen=3.0)
    assert np.allclose(wide.stds, 3 * es.stds)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (3, "warm_start must be a result"),
        ({"a": 1}, "neither a result nor the columns"),
        (([[1, 2, 3, 4]], [1, 2]), "shapes"),
        (([[1, 2, 3, 4]], [np.nan]), "no value that is a number"),
        (([[1, 2]], [1.0]), "has 2 coordinates, there are 4"),
    ],
)
def test_what_holds_nothing_is_named(source, words):
    with pytest.raises((TypeError, ValueError), match=words):
        enes.Optimizer(np.ones(4), 0.5, warm_start=source)


def test_lines_that_cannot_be_read_have_numbers(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,value\n1,2\nx,3\n")
    with pytest.raises(ValueError, match="line 3"):
        enes.Optimizer([1], 0.5, warm_start=table)
    table.write_text('{"x": [1], "value": 2}\n{"y": 3}\n')
    with pytest.raises(ValueError, match="line 2: needs x and value"):
        enes.Optimizer([1], 0.5, warm_start=table)
    with pytest.raises(ValueError, match="no evaluations.jsonl"):
        enes.Optimizer([1], 0.5, warm_start=tmp_path)


def test_one_point_needs_a_scale():
    with pytest.raises(TypeError, match="give sigma0"):
        enes.Optimizer(warm_start=([[1.0, 2.0]], [3.0]))
    es = enes.Optimizer(sigma0=0.5, warm_start=([[1.0, 2.0]], [3.0]))
    assert np.allclose(es.mean, [1, 2])


def test_many_dimensions_have_deviations_and_no_covariance():
    d = 1500
    es = enes.Optimizer(np.ones(d), 0.3, rng=1, maxfevals=300)
    while not es.stop():
        x = es.ask()
        es.tell(np.sum(x**2, axis=1))
    assert es.covariance.shape == (0, d) and es.stds.shape == (d,)
    again = enes.Optimizer(warm_start=es, rng=1)
    np.testing.assert_array_equal(again.mean, es.mean)
    result = enes.minimize(lambda x: x @ x, np.ones(d), 0.3, rng=1, maxfevals=300)
    assert result.covariance.shape == (0, d)
    np.testing.assert_array_equal(enes.Optimizer(warm_start=result, sigma0=0.3).mean, result.xfavorite)
