"""Before a run that is likely to disappoint there is a warning, and before others there is none."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import enes


def test_the_published_strategy_says_how_large_its_generations_are():
    with pytest.warns(enes.EnesWarning, match="published strategy has 8136 points in 201 dimensions") as caught:
        enes.Optimizer(np.zeros(201), 1.0, strategy="published")
    assert Path(caught[0].filename) == Path(__file__)
    with pytest.warns(enes.EnesWarning, match="a budget of 100 evaluations does not complete one") as caught:
        enes.minimize(lambda x: float(x @ x), np.zeros(201), 1.0, strategy="published", maxfevals=100)
    assert Path(caught[0].filename) == Path(__file__)


def test_a_large_generation_is_warned_of_before_it_is_there():
    # As an error the warning leaves before anything is allocated: this would be 8 GB.
    with warnings.catch_warnings():
        warnings.simplefilter("error", enes.EnesWarning)
        with pytest.raises(enes.EnesWarning, match="a generation is 10000 points; the optimizer itself holds about"):
            enes.Optimizer(np.zeros(20_000), 1.0, population=10_000)


@pytest.mark.parametrize("d", [2, 40, 300, 1200])
def test_ordinary_runs_are_not_warned_of(d):
    enes.Optimizer(np.zeros(d), 1.0)  # a warning is an error in these tests
