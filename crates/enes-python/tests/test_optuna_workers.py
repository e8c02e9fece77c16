"""The Optuna sampler among workers: one search for all, and results that come late count."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading

import numpy as np
import pytest

optuna = pytest.importorskip("optuna", minversion="4")

from optuna.trial import TrialState  # noqa: E402
from optuna_studies import (  # noqa: E402
    NAMES,
    anew,
    ask,
    generation,
    is_extra,
    lopsided,
    note,
    place,
    point,
    points,
    sphere,
    sphere_params,
    study_with,
    used,
    work,
)

from enes.integrations import _optuna_run  # noqa: E402
from enes.integrations.optuna import EnesSampler  # noqa: E402


# Running trials are points in flight


def shuffled(study, workers, trials, order=1, objective=sphere):
    """A study with so many trials at work at any time, which end in an order drawn from a seed."""
    rng, at_work, asked = np.random.default_rng(order), [], 0
    while asked < trials or at_work:
        while len(at_work) < workers and asked < trials:
            trial, asked = study.ask(), asked + 1
            at_work.append((trial, objective(trial)))
        study.tell(*at_work.pop(int(rng.integers(len(at_work)))))
    return study


def params(study):
    return [tuple(trial.params.values()) for trial in study.trials]


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_no_point_is_proposed_twice_and_every_result_counts(workers):
    study = shuffled(study_with(population=None), workers, 100, objective=lopsided)
    searched = [trial for trial in study.trials if note(trial)]
    assert len(searched) >= 100 - workers - 1
    assert len(set(params(study)[workers:])) == 100 - workers
    # A second search begins with the best trial of the first, whose result it is told, too.
    notes = [note(trial) for trial in searched]
    told = [(one["at"][0], n) for one in notes for numbers in one.get("closed", {}).values() for n in numbers]
    assert len(told) == len(set(told)) >= 100 - 3 * workers
    assert study.best_value < 1e-3


def ellipsoid(trial):
    x = point(trial, "abcde") - [1.0, -0.5, 0.8, -1.2, 0.3]
    return float(10.0 ** (6 * np.arange(5) / 4) @ x**2)


@pytest.mark.parametrize("workers", [1, 2, 4, 8])
def test_an_ellipsoid_is_solved_in_200_trials_by_any_number_of_workers(workers):
    # CmaEsSampler is at 6e2 to 1.2e3 in the median (benchmarks/python/optuna-workers.json): a millionth of that, in each study.
    for seed in range(5 if workers == 8 else 3):
        study = shuffled(study_with(seed, population=None), workers, 200, order=seed, objective=ellipsoid)
        assert len(set(params(study))) == 200
        assert study.best_value < 1e-4, (seed, study.best_value)
        assert workers > 1 or study.best_value < 1e-15


def test_one_after_the_other_is_the_serial_run():
    study = study_with(population=None)
    study.optimize(sphere, n_trials=15)
    opening = next(note(trial)["run"] for trial in study.trials if "run" in note(trial))
    es = _optuna_run.optimizer(opening)
    points = []
    while len(points) < 15:
        generation = es.ask()
        points.extend(generation)
        es.tell([float(((10 * x - 5 - [1, -2, 3]) ** 2).sum()) for x in generation])
    # The first trial is the start of the run: nobody evaluates it again.
    assert note(study.trials[1])["closed"] == {"0": [0]}
    assert np.allclose(params(study), 10 * np.array(points[:15]) - 5, rtol=0, atol=1e-9)


def test_a_new_sampler_repeats_the_record_to_the_same_place():
    study = shuffled(study_with(), 9, 80, objective=lopsided)
    other = anew(study)
    (_, first), (_, second) = ask(study, lopsided), ask(other, lopsided)
    assert first != second  # two trials, two points
    runs = [list(s.sampler._runs.kept.values())[-1] for s in (study, other)]
    ask(study, lopsided)
    assert runs[0].es.evaluations == runs[1].es.evaluations > 60
    assert (runs[0].es.mean == runs[1].es.mean).all() and runs[0].es.generation == runs[1].es.generation > 5


def test_a_result_that_comes_very_late_counts():
    study = study_with()
    study.optimize(lopsided, n_trials=1)
    late = ask(study, lopsided)
    study.optimize(lopsided, n_trials=30)
    assert late[0].number not in used(study)
    study.tell(*late)
    study.optimize(lopsided, n_trials=2)
    assert late[0].number in used(study)


def test_trials_that_never_end_do_not_hold_up_the_search():
    study = study_with()
    study.optimize(sphere, n_trials=1)
    dead = [ask(study) for _ in range(3)]
    study.optimize(sphere, n_trials=60)
    assert study.best_value < 1e-2
    assert not {trial.number for trial, _ in dead} & used(study) and len(used(study)) >= 55
    assert len(set(params(study))) == 64


def test_whole_numbers_are_not_at_work_twice():
    def objective(trial):
        return float((trial.suggest_int("n", 0, 60) - 17) ** 2 + (trial.suggest_int("m", 0, 60) - 40) ** 2)

    study = optuna.create_study(sampler=EnesSampler(seed=1))
    study.optimize(objective, n_trials=1)
    at_work = []
    for _ in range(60):
        while len(at_work) < 5:
            trial = study.ask()
            at_work.append((trial, objective(trial)))
        running = [tuple(trial.params.values()) for trial, _ in at_work]
        assert len(set(running)) == 5
        study.tell(*at_work.pop(0))


def test_of_two_trials_that_asked_at_the_same_moment_the_lower_number_holds_the_point():
    one = study_with()
    one.optimize(sphere, n_trials=8)
    two = anew(one)
    both = [ask(one), ask(two)]
    # As if the second had read the record before the first had written.
    first = one.trials[both[0][0].number]
    storage, second = one._storage, both[1][0]
    storage.set_trial_system_attr(second._trial_id, "enes", {**note(first)})
    for trial, value in both[::-1]:
        one.tell(trial, value)
    third = anew(one)
    third.optimize(sphere, n_trials=10)
    assert both[0][0].number in used(third) and both[1][0].number not in used(third)
    assert len([trial for trial in third.trials if "run" in note(trial)]) == 1


def test_a_process_that_finds_its_place_taken_asks_again(tmp_path, monkeypatch):
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(tmp_path / "log")))
    study = study_with(storage=storage)
    study.optimize(sphere, n_trials=8)
    rival = study.ask()
    read, reads = EnesSampler._read, []

    def read_late(self, its):
        # The rival, of a lower number, writes its note between what the other one reads and what that one writes.
        if len(reads) == 2:
            storage.set_trial_system_attr(rival._trial_id, "enes", note(study.trials[-1]))
        reads.append(its)
        return read(self, its)

    monkeypatch.setattr(EnesSampler, "_read", read_late)
    trial, value = ask(study)
    assert len(reads) == 4  # for the space, for the point, for its place and for the next one
    first, second = (place(study.trials[number]) for number in (rival.number, trial.number))
    assert second == (first[0], first[1] + 1, 0)
    monkeypatch.undo()
    study.tell(rival, 1.0)
    study.tell(trial, value)
    study.optimize(sphere, n_trials=2)
    assert {rival.number, trial.number} <= used(study)
    other = anew(study)
    assert sphere_params(other) != sphere_params(study)
    assert len([trial for trial in study.trials if "run" in note(trial)]) == 1


def test_the_start_of_a_run_is_not_evaluated_again_whether_it_has_a_value_or_not():
    for awaited in (False, True):
        study = study_with(population=None)
        first = ask(study)
        if not awaited:
            study.tell(*first)
        else:
            study.tell(*ask(study))  # a random draw ends before: the run starts at the awaited point all the same
        study.optimize(sphere, n_trials=3)
        if awaited:
            assert 0 not in used(study)
            study.tell(*first)
        study.optimize(sphere, n_trials=20)
        assert 0 in used(study) and len(set(params(study))) == len(study.trials)
        assert next(note(one)["run"] for one in study.trials if "run" in note(one))["start"] == 0


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


# Workers


@pytest.mark.parametrize("n_jobs", [2, 12])
def test_threads_share_one_search(n_jobs):
    study = study_with(population=5)
    study.optimize(lopsided, n_trials=80, n_jobs=n_jobs)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 80
    assert len([trial for trial in study.trials if "run" in note(trial)]) == 1
    places = [place(trial) for trial in study.trials if note(trial)]
    assert len(places) == len(set(places)) >= 80 - n_jobs - 1
    assert len(used(study)) >= 80 - 3 * n_jobs


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
