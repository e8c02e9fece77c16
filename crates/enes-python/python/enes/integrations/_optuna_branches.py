"""Categorical parameters: which branch of the search the next trial goes to.

A branch is one choice for each categorical parameter that a trial has. Its numbers are searched by a run of
their own. Every choice is tried once; then the branch with the largest expected improvement is next. A branch
that had few trials is not judged by its best value alone: it may gain as much as the best branch has gained
since it had as few. What a branch without trials may give is said by a Gaussian process over the branches, in
which two are the more alike the more choices they share.
"""

from __future__ import annotations

import bisect
import math
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

# The first results of the study, whose median above the best is the unit in which branches are compared.
FIRST = 16
# How uncertain the value of a branch is, in that unit: this, divided by the number of its trials. Of 0.5, 1 and 2,
# and of roots of the number, this was best on 16 branches with three numbers each.
UNKNOWN = 2.0
# A result so many units above the best counts no further, and as much as one that is infeasible.
FAR = 3.0
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
    #: Each time the best value got better: after how many trials, and to what.
    curve: list[tuple[int, float]] = field(default_factory=list)
    names: deque[frozenset[str]] = field(default_factory=lambda: deque(maxlen=ABSENT))

    def after(self, count: int) -> float:
        """The best feasible value of the first so many trials; infinite where there was none."""
        i = bisect.bisect_right(self.curve, (count, math.inf))
        return self.curve[i - 1][1] if i else math.inf


class Survey:
    """The parameters that completed trials had, and what came out in each branch."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.distributions: dict[str, Any] = {}
        self.dynamic: set[str] = set()
        self.branches: dict[Branch, Visited] = {}
        self._first: list[float] = []

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
        order = self.book.order(trial)
        if visited.best is None or order < self.book.order(visited.best):
            visited.best = trial
            if order[0] == 0:
                visited.curve.append((visited.count, order[1]))
        if order[0] == 0 and math.isfinite(order[1]) and len(self._first) < FIRST:
            self._first.append(order[1])

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

    def scores(self) -> tuple[float, float]:
        """The best value, and how far above it the first values lay, of the study or of its branches: the unit."""
        best = self.book.best
        if not self._first or best is None or not math.isfinite(best.value) or self.book.order(best)[0] > 0:
            return 0.0, 1.0
        least = self.book.order(best)[1]
        begins = [visited.curve[0][1] for visited in self.branches.values() if visited.curve]
        unit = max(float(np.median(self._first)), float(np.median([one for one in begins if math.isfinite(one)]))) - least
        return least, unit or 1.0


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
    visited = sorted(survey.branches, key=lambda one: survey.branches[one].after(survey.branches[one].count))[:VISITED]
    new = [one for one in _neighbours(visited, survey, choices) if one not in waiting]
    if len(visited) + len(new) == 1:
        return visited[0]
    gain = _expected_improvement(survey, visited, new, waiting)
    return (visited + new)[int(np.argmax(gain))]


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


def _expected_improvement(
    survey: Survey, visited: list[Branch], new: list[Branch], waiting: Mapping[Branch, int]
) -> NDArray[np.float64]:
    """The logarithm of the improvement to expect of each branch; `visited` has the best one first."""
    least, unit = survey.scores()

    def above(branch: Branch, count: int) -> float:
        return min(max((survey.branches[branch].after(count) - least) / unit, 0.0), FAR)

    first = visited[0]
    last = survey.branches[first].count
    means, spreads = [], []
    for branch in visited:
        count = survey.branches[branch].count
        # What the best branch has gained since it had half as many trials, or what this one gained of late.
        gain = max(above(first, math.ceil(count / 2)) - above(first, last), above(branch, count // 2) - above(branch, count))
        means.append(above(branch, count) - gain / 2)
        spreads.append(math.hypot(gain / 2, UNKNOWN / (count + waiting.get(branch, 0))))
    mean, spread = np.array(means), np.array(spreads)
    expected, deviation = _predicted(visited, mean, spread, new)
    return _log_improvement(np.concatenate([mean, expected]), np.concatenate([spread, deviation]))


def _predicted(
    visited: list[Branch], mean: NDArray[np.float64], spread: NDArray[np.float64], new: list[Branch]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What new branches may give, and how uncertain that is: a Gaussian process over the visited ones."""
    known, others = [dict(one) for one in visited], [dict(one) for one in new]
    between = max(float(mean.var()), 0.25)
    shared = between * SHARED
    k = shared * np.array([[_agreement(a, b) for b in known] for a in known])
    k += np.diag(np.full(len(known), between - shared) + spread**2)
    cross = shared * np.array([[_agreement(a, b) for b in known] for a in others]).reshape(-1, len(known))
    centre = float(mean.mean())
    solved = np.linalg.solve(k, np.column_stack([mean - centre, cross.T]))
    expected = centre + cross @ solved[:, 0]
    left = between - np.einsum("ij,ji->i", cross, solved[:, 1:])
    return expected, np.sqrt(np.maximum(left, 0.0))


def _agreement(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The share of the parameters, of either, for which both have the same choice."""
    names = one.keys() | other.keys()
    return sum(one.get(name) == other.get(name) for name in names) / len(names) if names else 1.0


def _log_improvement(mean: NDArray[np.float64], deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln E max(0, -z) for normal z; where it underflows an expression that keeps the order."""
    t = -mean / np.maximum(deviation, 1e-12)
    density = np.exp(-0.5 * t**2) / math.sqrt(2 * math.pi)
    below = np.array([0.5 * math.erfc(-one / math.sqrt(2)) for one in t])
    gain = deviation * (density + t * below)
    return np.where(gain > 1e-290, np.log(np.maximum(gain, 1e-300)), -0.5 * t**2 - 1e3)
