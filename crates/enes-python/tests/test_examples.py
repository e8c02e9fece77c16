"""The examples run, draw their picture and stay short."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

EXAMPLES = Path(__file__).parents[3] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


def test_there_are_examples():
    assert len(SCRIPTS) >= 4


@pytest.mark.parametrize(
    "script",
    # One by default, all of them once a day.
    [pytest.param(script, marks=[] if script.stem == "tune_pid" else [pytest.mark.long], id=script.stem) for script in SCRIPTS],
)
def test_an_example_runs_and_draws_its_picture(script, tmp_path):
    if "sklearn" in script.read_text():
        pytest.importorskip("sklearn")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(script), "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "an example says what it found"
    assert [file.name for file in tmp_path.iterdir()] == [f"{script.stem}.png"]
    assert (tmp_path / f"{script.stem}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_is_short(script):
    lines = script.read_text().splitlines()
    assert len(lines) <= 100
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_is_shown_with_a_small_picture(script):
    picture = script.with_suffix(".png")
    assert picture.stat().st_size < 150_000
    page = (EXAMPLES / "README.md").read_text()
    assert f"({picture.name})" in page and f"{script.name}" in page
