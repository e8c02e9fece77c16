"""The Optuna sampler with whole generations, which the published strategy needs."""

from __future__ import annotations

import pytest

optuna = pytest.importorskip("optuna", minversion="4")

from optuna_studies import anew, ask, generation, is_extra, note, place, points, sphere, study_with, used  # noqa: E402


def whole(**options):
    return study_with(strategy="published", refresh_rate=1.0, **options)


def test_the_order_of_results_does_not_matter_to_whole_generations():
    forward, backward = whole(), whole()
    for study, step in ((forward, 1), (backward, -1)):
        study.optimize(sphere, n_trials=1)
        for _ in range(4):
            for trial, value in generation(study)[::step]:
                study.tell(trial, value)
    ours, theirs = points(forward), points(backward)
    assert max(generation for _, generation, _ in ours) >= 3
    assert ours == theirs


def test_a_trial_that_never_ends_does_not_hold_up_whole_generations():
    study = whole()
    study.optimize(sphere, n_trials=1)
    dead, _ = ask(study)
    study.optimize(sphere, n_trials=60)
    copies = [trial for trial in study.trials if place(trial) == place(study.trials[dead.number])]
    # It was handed out again, once, and the second result was used.
    assert len(copies) == 2 and copies[1].number in used(study)
    assert copies[0].params == copies[1].params
    assert max(place(trial)[1] for trial in study.trials[2:]) > 5


def test_results_of_extra_draws_enter_the_search_and_its_replay():
    study = whole()
    study.optimize(sphere, n_trials=1)
    at_work = [ask(study) for _ in range(9)]
    for i in range(80):
        study.tell(*at_work.pop((5 * i) % 9))
        at_work.append(ask(study))
    given = [n for trial in study.trials for numbers in note(trial).get("injected", {}).values() for n in numbers]
    assert len(given) == len(set(given)) > 10
    assert all(is_extra(study.trials[number]) for number in given)
    assert not set(given) & used(study)
    other = anew(study, strategy="published", refresh_rate=1.0)
    ask(other), ask(study)
    places = [list(s.sampler._runs.kept.values())[-1].es for s in (other, study)]
    assert places[0].generation == places[1].generation > 2
    assert (places[0].mean == places[1].mean).all() and (places[0].ask() == places[1].ask()).all()
    assert places[0].injected == places[1].injected == len(given)
