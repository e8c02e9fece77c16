"""The examples run, draw their picture and stay short."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

EXAMPLES = Path(__file__).parents[3] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("[a-z]*.py"))
QUICK = ["tune_pid", "epidemic"]


def test_there_are_examples():
    assert len(SCRIPTS) >= 4


@pytest.mark.parametrize(
    "script",
    # Those that take a second or two by default, all of them once a day.
    [
        pytest.param(script, marks=[] if script.stem in QUICK else [pytest.mark.long], id=script.stem)
        for script in SCRIPTS
    ],
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
    assert picture.stat().st_size < 50_000
    page = (EXAMPLES / "README.md").read_text()
    assert f"({picture.name})" in page and f"{script.name}" in page


@pytest.mark.long
def test_the_comparison_runs_every_tool_on_every_task_and_continues(tmp_path):
    for module in ("cma", "optuna", "sklearn"):
        pytest.importorskip(module)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(EXAMPLES / "comparison/compare.py"), "--quick", "--out", str(tmp_path)]
    first = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)
    assert first.returncode == 0, first.stderr
    results = (tmp_path / "results.json").read_text()
    again = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=environment)
    assert again.returncode == 0 and (tmp_path / "results.json").read_text() == results, again.stderr
    for task in json.loads(results)["tasks"].values():
        assert len(task["runs"]) == 5
        for runs in task["runs"].values():
            assert len(runs) == 1 and 1 <= runs[0]["spent"] <= task["budget"]
            assert (runs[0]["evaluations"] is not None) == (runs[0]["best"] <= task["enough"])
    assert (tmp_path / "comparison.png").read_bytes().startswith(b"\x89PNG")


def test_the_table_of_the_comparison_is_that_of_its_runs():
    page = (EXAMPLES / "README.md").read_text()
    table = (EXAMPLES / "comparison/table.md").read_text()
    assert table in page
    tasks = json.loads((EXAMPLES / "comparison/results.json").read_text())["tasks"]
    rows = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in table.splitlines()[2:]}
    assert set(rows) == set(tasks)
    for name, task in tasks.items():
        for cell, runs in zip(rows[name], task["runs"].values(), strict=True):
            counts = sorted(task["budget"] if run["evaluations"] is None else run["evaluations"] for run in runs)
            assert f"{counts[len(counts) // 2]}" in cell, (name, cell)
