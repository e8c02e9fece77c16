"""The types are checked: mypy in strict mode and pyright, the package and a user's script; the stubs with stubtest.

pyright comes as basedpyright, whose wheel brings the program along; pyright's own downloads it when first run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HERE, ROOT


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """One cache for all: reading NumPy's types takes most of the time."""
    return {**os.environ, "MYPY_CACHE_DIR": str(tmp_path_factory.mktemp("mypy"))}


STUBTEST = ["mypy.stubtest", "enes._enes", "--ignore-missing-stub"]


@pytest.mark.parametrize("command", [["mypy"], pytest.param(STUBTEST, marks=pytest.mark.long)], ids=["mypy", "stubtest"])
def test_types(command, environment):
    out = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, env=environment)
    assert out.returncode == 0, out.stdout + out.stderr


def expected():
    """The lines of the user's script that are wrong."""
    lines = (HERE / "typed_user.py").read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if "# error: " in line}


@pytest.fixture
def script(tmp_path):
    return Path(shutil.copy(HERE / "typed_user.py", tmp_path / "typed_user.py"))


def test_mypy_finds_a_users_mistakes_and_nothing_else(environment, script):
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(script)]
    out = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, env=environment)
    found = {int(number) for number in re.findall(r"typed_user\.py:(\d+): error:", out.stdout)}
    assert found == expected() and len(found) == 14, out.stdout + out.stderr


def test_pyright_finds_a_users_mistakes_and_nothing_else(environment, script):
    settings = {"typeCheckingMode": "strict", "reportUnusedExpression": False, "reportUnknownMemberType": False}
    (script.parent / "pyrightconfig.json").write_text(json.dumps(settings))
    checker = shutil.which("basedpyright", path=str(Path(sys.executable).parent))
    assert checker, "basedpyright is not installed: pip install -r crates/enes-python/tests/requirements.txt"
    command = [checker, "--outputjson", "--pythonpath", sys.executable, "--project", str(script.parent)]
    out = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, env=environment)
    errors = [one for one in json.loads(out.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    found = {one["range"]["start"]["line"] + 1 for one in errors}
    assert found == expected(), "\n".join(f"{one['range']['start']['line'] + 1}: {one['message']}" for one in errors)
