"""The Optuna sampler: quality, ranges, what lies outside the search, runs, refusals."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

optuna = pytest.importorskip("optuna", minversion="4")

from optuna.distributions import FloatDistribution, IntDistribution  # noqa: E402
from optuna_studies import NAMES, ask, lopsided, mixed, note, point, sphere, sphere_params, study_with, used  # noqa: E402

import enes  # noqa: E402
from enes.integrations import _optuna_space as space  # noqa: E402
from enes.integrations.optuna import EnesSampler  # noqa: E402


# Quality


def test_it_beats_random_sampling_for_every_seed():
    best = []
    for seed in range(8):
        ours, random = study_with(seed, None), optuna.create_study(sampler=optuna.samplers.RandomSampler(seed))
        ours.optimize(sphere, n_trials=200)
        random.optimize(sphere, n_trials=200)
        # Level 1/256: with no difference between the two, all eight would come out so once in 256 times.
        assert ours.best_value < random.best_value
        best.append(ours.best_value)
    # Seeds 100 to 129: median 6e-8, nine in ten below 4e-3; random sampling has a median of 0.5.
    assert np.median(best) < 1e-2


def test_maximizing_is_minimizing_the_negative():
    down, up = study_with(), study_with(direction="maximize")
    down.optimize(sphere, n_trials=40)
    up.optimize(lambda trial: -sphere(trial), n_trials=40)
    assert [trial.params for trial in down.trials] == [trial.params for trial in up.trials]


def test_the_same_seed_gives_the_same_trials_and_another_seed_others():
    def trials(seed):
        study = study_with(seed)
        study.optimize(sphere, n_trials=30)
        return [trial.params for trial in study.trials]

    assert trials(3) == trials(3)
    assert trials(3) != trials(4)


def test_the_first_trial_is_the_start_point():
    study = study_with(x0={"a": 2.0})
    study.optimize(sphere, n_trials=1)
    assert study.trials[0].params == pytest.approx({"a": 2.0, "b": 0.0, "c": 0.0})


# Ranges


def test_every_kind_of_parameter_stays_in_its_range_and_on_its_steps():
    kinds = {
        "float": FloatDistribution(-1, 2),
        "log": FloatDistribution(1e-4, 1e2, log=True),
        "step": FloatDistribution(0, 1, step=0.1),
        "int": IntDistribution(-3, 4),
        "int_log": IntDistribution(1, 1000, log=True),
        "int_step": IntDistribution(2, 20, step=3),
        "single": IntDistribution(7, 7),
    }
    study = study_with()
    for _ in range(250):
        trial = study.ask(kinds)
        # The optimum is the upper corner: half of all points would lie beyond it.
        study.tell(trial, -sum(space.unit(kinds[name], trial.params[name]) for name in kinds if name != "single"))
    for trial in study.trials:
        for name, kind in kinds.items():
            assert kind._contains(kind.to_internal_repr(trial.params[name])), (name, trial.params[name])
            assert isinstance(trial.params[name], int) == isinstance(kind, IntDistribution)
    assert study.best_params["int"] == 4 and study.best_params["int_step"] == 20
    assert study.best_params["float"] > 1.9 and study.best_params["log"] > 50
    # A coordinate can rest on its bound.
    assert study.best_params["float"] == 2


@pytest.mark.parametrize(
    "kind",
    [
        FloatDistribution(-2, 5),
        FloatDistribution(1e-5, 1, log=True),
        FloatDistribution(-1e308, 1e308),
        FloatDistribution(0, 1, step=0.25),
        IntDistribution(-5, 5),
        IntDistribution(1, 100, log=True),
        IntDistribution(0, 10, step=5),
    ],
    ids=str,
)
def test_a_parameter_and_its_coordinate_name_each_other(kind):
    for u in np.linspace(0, 1, 101):
        value = space.value(kind, u)
        assert kind.low <= value <= kind.high
        assert space.value(kind, space.unit(kind, value)) == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert space.value(kind, 0) == pytest.approx(kind.low) and space.value(kind, 1) == pytest.approx(kind.high)


def test_the_first_and_the_last_of_the_whole_numbers_are_as_likely_as_the_others():
    values = [space.value(IntDistribution(1, 3), (i + 0.5) / 300) for i in range(300)]
    assert [values.count(n) for n in (1, 2, 3)] == [100, 100, 100]


def test_reflection_keeps_what_lies_inside_and_mirrors_what_lies_outside():
    inside = np.linspace(0, 1, 9)
    np.testing.assert_allclose(space.fold(inside), inside)
    np.testing.assert_allclose(space.fold(np.array([-0.2, 1.3, 2.1, -3.4])), [0.2, 0.7, 0.1, 0.6], atol=1e-12)


# Parameters outside the search


def test_categorical_parameters_are_searched_without_a_warning(recwarn):
    study = study_with()
    study.optimize(mixed, n_trials=60)
    assert not [one for one in recwarn if issubclass(one.category, enes.EnesWarning)]
    chosen = [trial.params["kind"] for trial in study.trials]
    # Both were tried; random draws would have 30 of each.
    assert set(chosen[:3]) == {"good", "bad"} and chosen.count("good") >= 45
    assert study.best_params["kind"] == "good" and study.best_value < 0.1


def test_the_given_independent_sampler_draws_what_the_search_does_not_know_yet():
    drawn = []

    class Mine(optuna.samplers.RandomSampler):
        def sample_independent(self, study, trial, param_name, param_distribution):
            drawn.append(param_name)
            return "good"

    study = study_with(independent_sampler=Mine(), warn_independent_sampling=False)
    study.optimize(mixed, n_trials=5)
    assert drawn == ["kind"]


def test_a_parameter_that_appears_late_is_drawn_at_first_with_one_warning():
    study = study_with()
    study.optimize(sphere, n_trials=5)
    with pytest.warns(enes.EnesWarning, match="parameter 'w' is drawn by RandomSampler: no completed trial") as caught:
        study.optimize(lambda trial: sphere(trial) + trial.suggest_float("w", 0, 1), n_trials=20)
    assert len(caught) == 1 and study.best_params["w"] < 0.5


def test_a_study_of_categorical_parameters_only_works():
    study = study_with(warn_independent_sampling=False)
    study.optimize(lambda trial: trial.suggest_categorical("n", [3, 1, 2]), n_trials=20)
    assert study.best_value == 1


def test_a_parameter_that_disappears_for_good_starts_a_new_run_at_the_best_trial():
    study = study_with(warn_independent_sampling=False)
    study.optimize(lopsided, n_trials=40)
    best = np.array([study.best_params[name] for name in "ab"])
    study.optimize(lambda trial: float(((point(trial, "ab") - [1, -2]) ** 2).sum()) + 100, n_trials=12)
    openings = [note(trial)["run"] for trial in study.trials if "run" in note(trial)]
    # Ten trials without it: until then it may be one that only some trials have.
    assert len(openings) == 2 and "run" in note(study.trials[50])
    assert np.array(openings[1]["x0"]) * 10 - 5 == pytest.approx(best)


# Runs


def test_a_pickled_sampler_goes_on_as_the_original():
    study, other = study_with(), study_with()
    study.optimize(sphere, n_trials=20)
    other.optimize(sphere, n_trials=20)
    other.sampler = pickle.loads(pickle.dumps(other.sampler))
    assert sphere_params(study) == sphere_params(other)


def test_a_search_that_has_converged_starts_again_at_the_best_trial():
    # One good trial on a plain: there is nothing left to find.
    study = study_with(x0={"a": 2})
    study.optimize(lambda trial: 0 * sphere(trial) + (1 if trial.number != 3 else 0), n_trials=300)
    openings = [note(trial)["run"] for trial in study.trials if "run" in note(trial)]
    assert [opening["run"] for opening in openings] == list(range(len(openings)))
    assert len(openings) > 1
    best = [study.trials[3].params[name] for name in NAMES]
    assert np.array(openings[1]["x0"]) * 10 - 5 == pytest.approx(best)


def test_a_record_that_does_not_fit_opens_a_new_run():
    study = study_with()
    study.optimize(lopsided, n_trials=30)
    copied = study_with()
    copied.optimize(lambda trial: 100.0 + sphere(trial), n_trials=1)
    # Copied behind another trial, all numbers are off by one.
    copied.add_trials(study.trials)
    trial, _ = ask(copied)
    opening = note(copied.trials[trial.number])["run"]
    assert opening["run"] == 1


def test_other_settings_for_a_run_under_way_are_named():
    study = study_with(population=6)
    study.optimize(sphere, n_trials=3)
    study.sampler = EnesSampler(seed=1, population=9)
    with pytest.warns(enes.EnesWarning, match=r"opened with population=6 \(here 9\) and keeps these settings"):
        study.optimize(sphere, n_trials=3)


def test_enqueued_trials_run_as_they_are_and_the_search_starts_at_the_best():
    study = study_with()
    study.enqueue_trial({"a": 1.0, "b": -2.0, "c": 2.5})
    study.optimize(sphere, n_trials=2)
    assert study.trials[0].params == {"a": 1.0, "b": -2.0, "c": 2.5}
    assert np.array(note(study.trials[1])["run"]["x0"]) * 10 - 5 == pytest.approx([1, -2, 2.5])
    study.enqueue_trial({"a": 4.0})
    study.optimize(sphere, n_trials=20)
    assert study.trials[2].params["a"] == 4.0 and not note(study.trials[2])


def test_pruners_that_split_a_study_into_brackets_work():
    def objective(trial):
        value = sphere(trial)
        for step in range(4):
            trial.report(value + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study = optuna.create_study(
        sampler=EnesSampler(seed=1, population=5),
        pruner=optuna.pruners.HyperbandPruner(min_resource=1, max_resource=4, reduction_factor=2),
    )
    study.optimize(objective, n_trials=60)
    assert len(study.trials) == 60 and len(used(study)) > 20


# Refusals


def test_several_objectives_are_refused():
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=EnesSampler())
    refusal = "needs one objective, got a study with 2: return their weighted sum"
    with pytest.raises(ValueError, match=refusal):
        study.optimize(lambda trial: (trial.suggest_float("a", 0, 1), 0.0), n_trials=1)
    with pytest.raises(ValueError, match=refusal):
        study.sampler.sample_independent(study, study.trials[0], "a", FloatDistribution(0, 1))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sigma0": 0}, ValueError, "sigma0 must be positive and finite, got 0"),
        ({"x0": [0.5]}, TypeError, "x0 must map parameter names to values"),
        ({"ftarget": 1.0}, TypeError, r"ftarget is not an option of EnesSampler: call study.stop\(\)"),
        ({"tolxx": 1.0}, TypeError, r"tolxx is not an option of EnesSampler; did you mean 'tolx'\?"),
        ({"maxfev": 9}, TypeError, "maxfev is not an option of EnesSampler: pass n_trials to study.optimize"),
        ({"popsize": 9}, TypeError, r"popsize is not an option of EnesSampler; did you mean 'population'\?"),
        ({"random_state": 9}, TypeError, "random_state is not an option of EnesSampler: pass seed"),
        ({"n_startup_trials": 9}, TypeError, "the search begins with the first trial, leave it out"),
        ({"xyzzy": 9}, TypeError, "the options are sigma0, x0, population, seed, .*tolx"),
        ({"constraints_func": 1}, TypeError, "constraints_func must be a function of a trial, got 1"),
        ({"population": 0}, ValueError, "population"),
        ({"strategy": "none such"}, (TypeError, ValueError), "strategy"),
        ({"seed": -1}, ValueError, "-1"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        EnesSampler(**arguments)


def test_without_optuna_the_remedy_is_named():
    program = "import sys; sys.modules['optuna'] = None; import enes.integrations.optuna"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "ImportError: enes.integrations.optuna needs Optuna 4 or later" in done.stderr
    assert "pip install 'enes-opt[optuna]'" in done.stderr
