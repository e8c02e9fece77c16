"""Optuna's own tests of samplers, as they come with Optuna: basic, relative, for one objective only."""

from __future__ import annotations

import pytest

pytest.importorskip("optuna", minversion="5")

from optuna.testing.pytest_samplers import (  # noqa: E402
    BasicSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from enes.integrations.optuna import EnesSampler  # noqa: E402


class TestEnesSampler(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return lambda: EnesSampler(seed=1, warn_independent_sampling=False)


def test_all_of_them_ran(request):
    ours = [item for item in request.session.items if item.cls is TestEnesSampler]
    assert len(ours) in (0, 111), "another version of Optuna has other tests: say here how many"
