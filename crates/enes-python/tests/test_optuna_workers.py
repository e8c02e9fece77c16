"""The Optuna sampler among workers: one search for all, and results that come late count."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading

import pytest

optuna = pytest.importorskip("optuna", minversion="4")

from optuna.trial import TrialState  # noqa: E402
from optuna_studies import (  # noqa: E402
    NAMES,
    ask,
    generation,
    is_extra,
    note,
    place,
    points,
    sphere,
    sphere_params,
    study_with,
    used,
    work,
)

from enes.integrations.optuna import EnesSampler  # noqa: E402


# Late results


def test_the_order_of_results_does_not_matter():
    forward, backward = study_with(), study_with()
    for study, step in ((forward, 1), (backward, -1)):
        study.optimize(sphere, n_trials=1)
        for _ in range(4):
            for trial, value in generation(study)[::step]:
                study.tell(trial, value)
    ours, theirs = points(forward), points(backward)
    assert max(generation for _, generation, _ in ours) >= 3
    assert ours == theirs


def test_a_result_that_comes_very_late_counts():
    late, prompt = study_with(), study_with()
    prompt.optimize(sphere, n_trials=30)
    late.optimize(sphere, n_trials=1)
    trials = generation(late)
    for trial, value in trials[:-1]:
        late.tell(trial, value)
    # Two more trials start, and one of them ends, before the late one does.
    (extra, value), _ = ask(late), ask(late)
    late.tell(extra, value)
    late.tell(*trials[-1])
    late.optimize(sphere, n_trials=30)
    assert {trial.number for trial, _ in trials} <= used(late)
    ours, theirs = points(late), points(prompt)
    common = ours.keys() & theirs.keys()
    assert max(generation for _, generation, _ in common) >= 2
    assert all(ours[at] == theirs[at] for at in common)


def test_a_trial_that_never_ends_does_not_hold_up_the_search():
    study = study_with()
    study.optimize(sphere, n_trials=1)
    dead, _ = ask(study)
    study.optimize(sphere, n_trials=60)
    copies = [trial for trial in study.trials if place(trial) == place(study.trials[dead.number])]
    # It was handed out again, once, and the second result was used.
    assert len(copies) == 2 and copies[1].number in used(study)
    assert copies[0].params == copies[1].params
    assert max(place(trial)[1] for trial in study.trials[2:]) > 5


def test_a_dead_worker_is_found_out_among_others_at_work():
    study = study_with()
    study.optimize(sphere, n_trials=1)
    ask(study)
    at_work = [ask(study) for _ in range(3)]
    for _ in range(60):
        study.tell(*at_work.pop(0))
        at_work.append(ask(study))
    assert max(place(trial)[1] for trial in study.trials[2:]) > 3


def test_of_two_results_for_a_point_the_late_one_changes_nothing():
    study = study_with()
    study.optimize(sphere, n_trials=1)
    dead, value = ask(study)
    study.optimize(sphere, n_trials=20)
    # Another value than the first time: the objective may be noisy.
    study.tell(dead, value + 1000)
    study.optimize(sphere, n_trials=20)
    other = optuna.create_study(sampler=EnesSampler(seed=1, population=6))
    other.add_trials(study.trials)
    fresh, cached = sphere_params(other), sphere_params(study)
    assert fresh == cached


@pytest.mark.parametrize("model", ["rank_only", "auto"])
@pytest.mark.parametrize("how", ["fail", "prune", "nan"])
def test_trials_without_a_value_rank_last_and_the_search_goes_on(how, model):
    def objective(trial):
        value = sphere(trial)
        if trial.number and trial.params["a"] < 0:
            if how == "fail":
                raise ArithmeticError("diverged")
            if how == "prune":
                raise optuna.TrialPruned
            return float("nan")
        return value

    study = study_with(model=model)
    study.optimize(objective, n_trials=120, catch=(ArithmeticError,))
    states = [trial.state for trial in study.trials]
    assert TrialState.COMPLETE in states and (TrialState.PRUNED if how == "prune" else TrialState.FAIL) in states
    # The search leaves them behind: none of the last trials is one, of the first half of them are. The model of the
    # values, which sees a step at the edge, tries it again.
    completed = states[-20:].count(TrialState.COMPLETE)
    assert study.best_value < 2 and completed >= {"rank_only": 20, "auto": 14}[model]
    # No point is tried twice: a failure is a result.
    places = [place(trial) for trial in study.trials if note(trial)]
    assert len(places) == len(set(places))


def test_a_failure_waits_for_the_other_trial_with_the_same_point():
    study = study_with()
    study.optimize(sphere, n_trials=1)
    slow, value = ask(study)
    while place(study.trials[-1]) != place(study.trials[slow.number]) or study.trials[-1].number == slow.number:
        again, _ = ask(study)
        if place(study.trials[-1]) == place(study.trials[slow.number]):
            study.tell(again, state=TrialState.FAIL)
        else:
            study.tell(again, sphere(again))
    ask(study)
    study.tell(slow, value)
    study.optimize(sphere, n_trials=3)
    assert slow.number in used(study) and again.number not in used(study)


@pytest.mark.parametrize("suggested", [NAMES, NAMES[:1]], ids=["complete", "cut short"])
def test_a_trial_that_optuna_tries_again_answers_for_its_point(suggested):
    study = study_with()
    study.optimize(sphere, n_trials=1)
    dead, value = ask(study)
    study.tell(dead, state=TrialState.FAIL)
    failed = study.trials[-1]
    # What RetryFailedTrialCallback does when a heartbeat is missing.
    attrs = {"failed_trial": failed.number, "retry_history": [failed.number], **failed.system_attrs}
    study.add_trial(
        optuna.create_trial(
            state=TrialState.WAITING,
            params={name: failed.params[name] for name in suggested},
            distributions={name: failed.distributions[name] for name in suggested},
            system_attrs=attrs,
        )
    )
    again, value_again = ask(study)
    assert again.number == failed.number + 1
    assert again.params == failed.params and value_again == value
    study.tell(again, value)
    study.optimize(sphere, n_trials=20)
    assert again.number in used(study) and failed.number not in used(study)


def test_results_of_extra_draws_enter_the_search_and_its_replay():
    study = study_with()
    study.optimize(sphere, n_trials=1)
    at_work = [ask(study) for _ in range(9)]
    for i in range(80):
        study.tell(*at_work.pop((5 * i) % 9))
        at_work.append(ask(study))
    given = [n for trial in study.trials for numbers in note(trial).get("injected", {}).values() for n in numbers]
    assert len(given) == len(set(given)) > 10
    assert all(is_extra(study.trials[number]) for number in given)
    assert not set(given) & used(study)
    # A worker that comes anew replays the record to the same place.
    anew = optuna.load_study(study_name=study.study_name, storage=study._storage, sampler=EnesSampler(seed=1, population=6))
    ask(anew), ask(study)
    places = [list(s.sampler._runs.values())[-1].es for s in (anew, study)]
    assert places[0].generation == places[1].generation > 2
    assert (places[0].mean == places[1].mean).all() and (places[0].ask() == places[1].ask()).all()
    assert places[0].injected == places[1].injected == len(given)


# Workers


@pytest.mark.parametrize("n_jobs", [2, 12])
def test_threads_share_one_search(n_jobs):
    study = study_with(population=5)
    study.optimize(sphere, n_trials=80, n_jobs=n_jobs)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 80
    assert len([trial for trial in study.trials if "run" in note(trial)]) == 1
    places = [place(trial) for trial in study.trials if note(trial) and not is_extra(trial)]
    assert max(generation for _, generation, _ in places) >= 2
    assert len(used(study)) >= 10


def test_threads_never_take_the_same_point():
    study = study_with(population=20)
    study.optimize(sphere, n_trials=1)
    # All wait for each other: twelve trials have their points before the first result.
    barrier = threading.Barrier(12)

    def objective(trial):
        value = sphere(trial)
        barrier.wait(timeout=30)
        return value

    study.optimize(objective, n_trials=12, n_jobs=12)
    assert len({place(trial) for trial in study.trials[1:]}) == 12


def test_a_random_draw_that_finishes_before_the_start_point_does_not_replace_it():
    study = study_with()
    ask(study)
    study.tell(*ask(study))
    ask(study)
    assert note(study.trials[2])["run"]["x0"] == [0.5, 0.5, 0.5]


def test_samplers_on_one_storage_share_one_search_and_see_each_others_results():
    one = study_with(seed=1)
    two = optuna.load_study(study_name=one.study_name, storage=one._storage, sampler=EnesSampler(seed=2, population=6))
    # The first of all is the start point; the second opens the run, with its own seed.
    alone = study_with(seed=2)
    alone.optimize(sphere, n_trials=40)
    for study in itertools.islice(itertools.cycle((one, two)), 40):
        study.optimize(sphere, n_trials=1)
    assert [trial.params for trial in one.trials] == [trial.params for trial in alone.trials]


def worker(url, n_trials, name):
    program = "import sys, optuna_studies; optuna_studies.work(sys.argv[1], int(sys.argv[2]), sys.argv[3])"
    command = [sys.executable, "-c", program, url, str(n_trials), name]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def finish(*processes):
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors


def shared_study(folder, name):
    url = f"sqlite:///{folder / name}"
    return url, optuna.create_study(study_name="shared", storage=url)


@pytest.mark.long
def test_two_processes_share_one_search_in_a_database(tmp_path):
    url, study = shared_study(tmp_path, "two.db")
    work(url, 4, "first")
    finish(worker(url, 13, "left"), worker(url, 13, "right"))
    trials = study.get_trials()
    assert [trial.state for trial in trials] == [TrialState.COMPLETE] * 30
    # A run for each of the two branches at most, whoever opened it.
    openings = {(note(trial)["run"]["space"], note(trial)["run"]["run"]) for trial in trials if "run" in note(trial)}
    assert 1 <= len(openings) == len({space for space, _ in openings}) <= 2
    # A place in the search is one point, whoever evaluates it.
    marks = {}
    for trial in trials:
        if place(trial) and not is_extra(trial):
            marks.setdefault((note(trial)["space"], place(trial)), set()).add(note(trial)["at"][3])
    assert all(len(found) == 1 for found in marks.values())
    assert {trials[number].user_attrs["worker"] for number in used(study)} == {"first", "left", "right"}


@pytest.mark.long
def test_a_new_process_goes_on_as_if_nothing_had_happened(tmp_path):
    whole_url, whole = shared_study(tmp_path, "whole.db")
    parts_url, parts = shared_study(tmp_path, "parts.db")
    work(whole_url, 16, "whole")
    work(parts_url, 11, "before")
    finish(worker(parts_url, 5, "after"))
    assert [trial.params for trial in whole.trials] == [trial.params for trial in parts.trials]
    assert [trial.user_attrs["worker"] for trial in parts.trials] == ["before"] * 11 + ["after"] * 5
