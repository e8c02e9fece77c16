"""The table of a study whose program is Python is that of its committed runs, and its program runs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest
from conftest import ROOT

HOME = ROOT / "benchmarks/many-dimensions"


def module(name):
    spec = importlib.util.spec_from_file_location(name, HOME / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_table_of_many_dimensions_is_that_of_its_runs():
    records = module("records")
    runs = [run for part in ("policies", "rotated", "large") for run in records.read(part)]
    table = (HOME / "table.md").read_text()
    assert module("tables").text(runs) == table
    assert table in (HOME / "README.md").read_text()


@pytest.mark.long
def test_many_dimensions_at_a_glance():
    pytest.importorskip("cma")
    pytest.importorskip("cmaes")
    command = [sys.executable, str(HOME / "many_dimensions.py"), "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "| rosenbrock | 80 |" in done.stdout and "Of 3 cells" in done.stdout
