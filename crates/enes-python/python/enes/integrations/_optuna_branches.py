"""Categorical parameters: which branch of the search the next trial goes to.

A branch is one choice for each categorical parameter that a trial has. Its numbers are searched by a run of
their own. Every choice is tried once. Then branches are ordered by their best trials, and the one in place p gets 1/p²
of the effort of the first, effort being counted in d + 3 trials for d numbers. So none starves, the first has six
tenths of the effort at least, and only the order of the values matters. Branches without trials have a place in this
order, too: that of the least rank which a Gaussian process finds plausible, in which two are the more alike the more
choices they share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import CategoricalDistribution
from optuna.trial import FrozenTrial, TrialState

from ._optuna_book import Book, violation_of
from ._optuna_space import is_numerical

#: Pairs of a parameter's name and the number of its choice, by name.
Branch = tuple[tuple[str, int], ...]

# A branch in place p of the order gets p to the minus this of the first one's effort. Of 1.2, 1.5, 2 and 3 this was best
# after 50 and 100 trials on 90 random problems (benchmarks/optuna/family.py, problems 0 to 89).
DECLINE = 2.0
# Trials beyond its dimension that a branch needs as one unit of effort: what a model with a slope takes, and some more.
BEYOND = 3
# Deviations below its expected rank at which a branch without trials takes its place.
HOPE = 2.0
# A parameter that none of so many latest trials of its branch suggested is no longer searched.
ABSENT = 10
# Trials that a run learns from when it opens.
LEARNED = 20
# Branches that are compared, of visited and of new ones.
VISITED, NEW = 64, 256
# What two branches share where they share every choice but are not the same: of the variance between branches.
SHARED = 0.6


@dataclass
class Visited:
    """What the trials of one branch gave."""

    count: int = 0
    best: FrozenTrial | None = None
    names: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=ABSENT))


class Survey:
    """The parameters that completed trials had, and what came out in each branch."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.distributions: dict[str, Any] = {}
        self.dynamic: set[str] = set()
        self.branches: dict[Branch, Visited] = {}

    def enter(self, trials: Iterable[FrozenTrial]) -> None:
        """Take in trials that have ended."""
        for trial in trials:
            if trial.state == TrialState.COMPLETE:
                self._enter(trial)

    def _enter(self, trial: FrozenTrial) -> None:
        for name, one in trial.distributions.items():
            known = self.distributions.get(name)
            # Optuna itself refuses another kind, other choices, or a logarithm that comes and goes.
            if known is not None and known != one and is_numerical(known) and is_numerical(one):
                self.dynamic.add(name)
            if known is None or not one.single():
                self.distributions[name] = one
        visited = self.branches.setdefault(branch_of(trial), Visited())
        visited.count += 1
        visited.names.append(frozenset(name for name, one in trial.distributions.items() if is_numerical(one)))
        if visited.best is None or self.book.order(trial) < self.book.order(visited.best):
            visited.best = trial

    def numbers(self, branch: Branch) -> dict[str, Any]:
        """The numerical parameters that the search moves in this branch."""
        visited = self.branches.get(branch)
        names = frozenset().union(*visited.names) if visited else frozenset()
        return {name: self.distributions[name] for name in sorted(names)}

    def choices(self) -> dict[str, int]:
        """How many choices each categorical parameter has."""
        return {
            name: len(one.choices)
            for name, one in sorted(self.distributions.items())
            if isinstance(one, CategoricalDistribution) and not one.single()
        }

    def ranked(self) -> list[Branch]:
        """The branches, the one with the best trial first."""
        return sorted(self.branches, key=lambda one: self.book.order(self.branches[one].best))


def branch_of(trial: FrozenTrial) -> Branch:
    """The choices of a trial."""
    pairs = [
        (name, int(one.to_internal_repr(trial.params[name])))
        for name, one in trial.distributions.items()
        if isinstance(one, CategoricalDistribution) and not one.single()
    ]
    return tuple(sorted(pairs))


def latest(book: Book, branch: Branch, start: FrozenTrial | None) -> list[int]:
    """The latest trials of a branch, for its first run to learn from; but for the one where that starts."""
    found: list[int] = []
    for number in reversed(book.finished):
        trial = book.trials[number]
        if trial.state == TrialState.COMPLETE and trial is not start and branch_of(trial) == branch:
            if not violation_of(trial):
                found.append(number)
        if len(found) == LEARNED:
            break
    return found[::-1]


def choose(survey: Survey, waiting: Mapping[Branch, int], names: Iterable[str], rng: np.random.Generator) -> Branch:
    """The branch of the next trial; `waiting` counts the trials at work in each, `names` may be chosen."""
    free = set(names)
    choices = {name: n for name, n in survey.choices().items() if name in free}
    untried = _untried(survey, waiting, choices, rng)
    if untried is not None:
        return untried
    visited = survey.ranked()[:VISITED]
    new = [one for one in _neighbours(visited, survey, choices) if one not in waiting]
    sizes = [len(survey.numbers(one)) for one in visited]
    counts = [survey.branches[one].count + waiting.get(one, 0) for one in visited]
    # A branch without numbers has nothing to search: its one trial is enough, unless there is nothing else.
    idle = [size == 0 for size in sizes] + [False] * len(new)
    if all(idle):
        return visited[int(np.argmin(counts))]
    effort = (np.array(counts + [0] * len(new)) + 1) / (np.array(sizes + [sizes[0]] * len(new)) + BEYOND)
    due = np.where(idle, np.inf, effort * _places(visited, new) ** DECLINE)
    return (visited + new)[int(np.argmin(due))]


def _places(visited: list[Branch], new: list[Branch]) -> NDArray[np.float64]:
    """The place of each branch in the order, the first being 1; `visited` is in order."""
    rank = np.arange(len(visited), dtype=np.float64)
    expected, deviation = _predicted(visited, rank, new)
    hoped = np.concatenate([rank, expected - HOPE * deviation])
    places = np.empty(len(hoped))
    places[np.argsort(hoped, kind="stable")] = np.arange(1, len(hoped) + 1)
    return places


def _untried(
    survey: Survey, waiting: Mapping[Branch, int], choices: Mapping[str, int], rng: np.random.Generator
) -> Branch | None:
    """A branch with choices that no trial had, all parameters at once; the rest as in the best trial."""
    tried = {pair for branch in (*survey.branches, *waiting) for pair in branch}
    best = survey.book.best
    start = dict(branch_of(best)) if best is not None else {}
    branch, found = {}, False
    for name, n in choices.items():
        missing = [i for i in range(n) if (name, i) not in tried]
        if missing:
            branch[name], found = missing[int(rng.integers(len(missing)))], True
        elif name in start:
            branch[name] = start[name]
    return tuple(sorted(branch.items())) if found else None


def _neighbours(visited: list[Branch], survey: Survey, choices: Mapping[str, int]) -> list[Branch]:
    """Branches that no trial was in and that differ from a visited one in one choice, the best ones' first."""
    known = [set(one) for one in survey.branches] if len(survey.branches) <= NEW else []
    found: dict[Branch, None] = {}
    for branch in visited:
        for name, chosen in branch:
            for i in range(choices.get(name, 0)):
                other = tuple((n, i if n == name else c) for n, c in branch)
                # Trials that had these choices but for some parameters have no use for those.
                if i != chosen and other not in survey.branches and not any(one <= set(other) for one in known):
                    found[other] = None
        if len(found) >= NEW:
            break
    return list(found)[:NEW]


def _predicted(
    visited: list[Branch], rank: NDArray[np.float64], new: list[Branch]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ranks that new branches may have, and how uncertain that is: a Gaussian process over the visited ones."""
    known, others = [dict(one) for one in visited], [dict(one) for one in new]
    # The variance of the ranks 0 to n - 1; where there is one, of two.
    between = (max(len(known), 2) ** 2 - 1) / 12
    k = between * (SHARED * np.array([[_agreement(a, b) for b in known] for a in known]) + (1 - SHARED) * np.eye(len(known)))
    cross = between * SHARED * np.array([[_agreement(a, b) for b in known] for a in others]).reshape(-1, len(known))
    centre = float(rank.mean())
    solved = np.linalg.solve(k, np.column_stack([rank - centre, cross.T]))
    expected = centre + cross @ solved[:, 0]
    left = between - np.einsum("ij,ji->i", cross, solved[:, 1:])
    return expected, np.sqrt(np.maximum(left, 0.0))


def _agreement(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The share of the parameters, of either, for which both have the same choice."""
    names = one.keys() | other.keys()
    return sum(one.get(name) == other.get(name) for name in names) / len(names) if names else 1.0
