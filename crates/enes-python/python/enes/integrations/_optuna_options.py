"""What `EnesSampler` takes, and what to write instead of what it does not."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from .. import _enes
from .._hints import ELSEWHERE

# What a study decides itself, or what this sampler does without; and what should be used instead.
_REFUSED = {
    "bounds": "the ranges of the parameters are the bounds",
    "constant_liar": "trials at work are known to the search, leave it out",
    "ftarget": "call study.stop() in a callback",
    "group": "branches are searched each by itself anyway, leave it out",
    "integer": "use trial.suggest_int",
    "log_scale": "use trial.suggest_float(..., log=True)",
    "maxfevals": "pass n_trials to study.optimize",
    "maxiter": "pass n_trials to study.optimize",
    "multivariate": "parameters are searched together anyway, leave it out",
    "n_startup_trials": "the search begins with the first trial, leave it out",
    "restart_strategy": "a run that has converged starts again anyway, leave it out",
    "rng": "pass seed",
    "timeout": "pass timeout to study.optimize",
    "workers": "pass n_jobs to study.optimize",
}
_OWN = (
    "sigma0", "x0", "population", "seed", "independent_sampler", "constraints_func", "warn_independent_sampling",
    "strategy",
)  # fmt: skip


def check(given: Mapping[str, Any]) -> None:
    """Refuse what is no option of the sampler, and say what to write instead."""
    others = [name for name in _enes.OPTIONS if name not in _REFUSED and name not in _OWN]
    for name in given:
        ours = ELSEWHERE.get(name, name)
        if ours in _REFUSED:
            raise TypeError(f"{name} is not an option of EnesSampler: {_REFUSED[ours]}")
        if name not in others:
            known = [*_OWN, *others]
            near = ["seed"] if ours == "rng" else [ours] if ours in known else difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(known)}"
            raise TypeError(f"{name} is not an option of EnesSampler; {hint}")


def differences(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """Settings of a run that are others than this sampler's, in words; empty where there are none."""
    other = [name for name in mine if theirs.get(name) != mine[name]]
    return ", ".join(f"{name}={theirs.get(name)!r} (here {mine[name]!r})" for name in other)


def refuse_several_objectives(study: Any) -> None:
    if len(study.directions) > 1:
        raise ValueError(
            f"EnesSampler needs one objective, got a study with {len(study.directions)}: "
            "return their weighted sum, or use optuna.samplers.NSGAIISampler"
        )
