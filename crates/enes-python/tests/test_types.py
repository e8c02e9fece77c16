"""The types are checked: mypy in strict mode, and the stubs against the module with stubtest."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """One cache for all: reading NumPy's types takes most of the time."""
    return {**os.environ, "MYPY_CACHE_DIR": str(tmp_path_factory.mktemp("mypy"))}


STUBTEST = ["mypy.stubtest", "enes._enes", "--ignore-missing-stub"]


@pytest.mark.parametrize("command", [["mypy"], pytest.param(STUBTEST, marks=pytest.mark.long)], ids=["mypy", "stubtest"])
def test_types(command, environment):
    out = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, env=environment)
    assert out.returncode == 0, out.stdout + out.stderr


def test_users_see_the_types(environment, tmp_path):
    script = tmp_path / "user.py"
    script.write_text(
        "import enes\nfrom numpy.typing import NDArray\nimport numpy as np\n"
        "es = enes.Optimizer([1.0, 2.0], 0.5, rng=1)\nX: NDArray[np.float64] = es.ask()\nes.tell([1.0])\n"
        "result: enes.OptimizeResult = enes.minimize(lambda x: 0.0, [1.0], 1.0, on_error='rank_last')\n"
        "enes.minimize(lambda x: 0.0, [1.0], 1.0, on_error='ignore')  # a type error\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(script)]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert "user.py:8" in out.stdout and out.stdout.count("error:") == 1, out.stdout
