"""Studies for the tests of the Optuna sampler; worker processes import them."""

from __future__ import annotations

import itertools

import numpy as np
import optuna
from optuna.trial import TrialState

from enes.integrations.optuna import EnesSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
NAMES = ("a", "b", "c")


def point(trial, names=NAMES):
    return np.array([trial.suggest_float(name, -5, 5) for name in names])


def sphere(trial):
    # The optimum is not the middle of the ranges, where the first trial is.
    return float(((point(trial) - [1, -2, 3]) ** 2).sum())


def lopsided(trial):
    # No surrogate ends the search after a few trials.
    off = point(trial) - [1, -2, 3]
    return float((np.where(off > 0, 2, 1) * off**2).sum())


def study_with(seed=1, population=6, storage=None, direction="minimize", **options):
    sampler = EnesSampler(seed=seed, population=population, **options)
    return optuna.create_study(sampler=sampler, storage=storage, direction=direction)


def anew(study, **options):
    """The same study with a sampler that knows nothing."""
    sampler = EnesSampler(**{"seed": 1, "population": 6, **options})
    return optuna.load_study(study_name=study.study_name, storage=study._storage, sampler=sampler)


def ask(study, objective=sphere):
    """A trial with its value; Optuna 5 chooses the parameters when they are suggested."""
    trial = study.ask()
    return trial, objective(trial)


def note(trial):
    return trial.system_attrs.get("enes", {})


def place(trial):
    """Run, generation and index in the search; the index of an extra draw is -1."""
    return tuple(note(trial)["at"][:3]) if "at" in note(trial) else None


def is_extra(trial):
    return "at" in note(trial) and place(trial)[2] == -1


def generation(study):
    """A whole generation, handed out and unanswered."""
    trials = []
    while not trials or not is_extra(study.trials[-1]):
        trials.append(ask(study))
    study.tell(trials.pop()[0], state=TrialState.FAIL)
    return trials


def used(study):
    """The numbers of the trials whose results the search was told."""
    closed = [numbers for trial in study.trials for numbers in note(trial).get("closed", {}).values()]
    return set(itertools.chain.from_iterable(closed))


def points(study):
    """Parameters by place in the search."""
    return {place(trial): trial.params for trial in study.trials if note(trial) and not is_extra(trial)}


def mixed(trial):
    penalty = {"good": 0.0, "bad": 1.0}[trial.suggest_categorical("kind", ["good", "bad"])]
    return sphere(trial) + penalty


def sphere_params(study):
    trial, _ = ask(study)
    return trial.params


def database(url):
    """A database that does not wait for the disk."""
    from sqlalchemy import event

    storage = optuna.storages.RDBStorage(url)
    event.listen(storage.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    storage.engine.dispose()
    return storage


def work(url, n_trials, name):
    """What each process does."""
    sampler = EnesSampler(seed=1, population=4, warn_independent_sampling=False)
    study = optuna.load_study(study_name="shared", storage=database(url), sampler=sampler)

    def objective(trial):
        trial.set_user_attr("worker", name)
        return mixed(trial)

    study.optimize(objective, n_trials)
