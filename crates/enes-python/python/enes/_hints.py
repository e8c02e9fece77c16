"""What people write who come from elsewhere, and what to write here instead."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

#: The same thing by another name.
ELSEWHERE = {
    "seed": "rng",
    "random_state": "rng",
    "popsize": "population",
    "pop_size": "population",
    "maxfev": "maxfevals",
    "maxfun": "maxfevals",
    "max_evaluations": "maxfevals",
    "max_time": "timeout",
    "target": "ftarget",
    "sigma": "sigma0",
    "verbose": "disp",
    "integrality": "integer",
    "categorical": "one_hot",
    "categories": "one_hot",
    "n_jobs": "workers",
    "processes": "workers",
    "method": "strategy",
    "algorithm": "strategy",
}

#: Another thing, or one that belongs elsewhere.
REMEDIES = {
    "maximize": "enes minimizes: return the negative of the value, as in enes.minimize(lambda x: -f(x), ...)",
    "constraints": (
        "they belong to enes.minimize(fun, ..., constraints=...); an Optimizer is told how many there are, "
        "inequalities=2, equalities=1, and their values: es.tell(values, constraints=rows)"
    ),
    "options": "write options as keywords, as in enes.minimize(fun, x0, sigma0, maxfevals=1000)",
    "inopts": "write options as keywords, as in enes.minimize(fun, x0, sigma0, maxfevals=1000)",
    "tol": "give tolx, for steps in x, and tolfun, for differences of values",
    **dict.fromkeys(
        ("eval_timeout", "evaluation_timeout", "fun_timeout", "trial_timeout", "timeout_per_evaluation", "max_eval_time"),
        "timeout is for the whole run and interrupts no evaluation; limit one in fun, by subprocess.run(..., timeout=...) or "
        "an alarm, with on_error='rank_last': docs/python/failures.md, Time limits",
    ),
    **dict.fromkeys(("jac", "hess", "hessp", "gradient"), "enes uses values only; leave it out"),
    **dict.fromkeys(
        ("callback", "disp", "executor", "vectorized", "on_error", "checkpoint", "args"),
        "it belongs to enes.minimize(fun, ...) and to Optimizer.optimize(fun, ...)",
    ),
}
REMEDIES["minimize"] = REMEDIES["maximise"] = REMEDIES["direction"] = REMEDIES["maximize"]
REMEDIES["verb_disp"] = REMEDIES["disp"]
REMEDIES["constraint"] = REMEDIES["constraints"]

#: How the library's settings are called in Python.
PYTHON_NAMES = {"max_evaluations": "maxfevals", "max_generations": "maxiter", "max_time": "timeout", "target": "ftarget"}


def unknown_option(name: str, options: Iterable[str]) -> TypeError:
    """The refusal of a name that is no option: what it is here, else the nearest, else all there are."""
    known = ["rng", "bounds", *options]
    if name in REMEDIES:
        return TypeError(f"unknown option {name!r}: {REMEDIES[name]}")
    near = [ELSEWHERE[name]] if name in ELSEWHERE else difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; the options are {', '.join(known)}"
    return TypeError(f"unknown option {name!r}{hint}")


def in_python_names(error: ValueError) -> ValueError:
    """The library's refusal of a setting, which it names at the beginning, by its name in Python."""
    field = re.match(r"\w+", str(error))
    name = field.group() if field else ""
    return ValueError(PYTHON_NAMES.get(name, name) + str(error)[len(name) :])


SHARED = (
    "this optimizer is at work already, in another thread or around the function that gives the starts: let one thread "
    "ask and tell, or hold a threading.Lock around both; evaluations may run in as many threads as you like"
)
Class = TypeVar("Class", bound=type)


def explain_sharing(cls: Class) -> Class:
    """Say in every public method of the class, and in its properties, what `Already borrowed` means."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, property) and member.fget is not None:
            setattr(cls, name, property(_explained(member.fget), doc=member.__doc__))
        elif callable(member):
            setattr(cls, name, _explained(member))
    return cls


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return method(*args, **keywords)
        except RuntimeError as error:
            if str(error) not in ("Already borrowed", "Already mutably borrowed"):
                raise
            raise RuntimeError(SHARED) from None

    return call
