"""The same seed gives the same run in Python and in Rust, bit for bit; checkpoints pass both ways."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import enes


def in_rust(command, name, d, seed, *more):
    out = subprocess.run(
        [command, "minimize", "--problem", name, "--dim", str(d), "--seed", str(seed), "--json", "--quiet", *more],
        capture_output=True,
        text=True,
    )
    assert out.returncode in (0, 1), out.stderr
    return json.loads(out.stdout)


@pytest.mark.parametrize("strategy", ["adaptive", "published"])
@pytest.mark.parametrize(("name", "d"), [("sphere", 1), ("ellipsoid", 5), ("rosenbrock", 3), ("rastrigin", 2), ("cigar", 17)])
@pytest.mark.parametrize("seed", [0, 12345])
def test_a_run_is_the_same_bit_for_bit(command, strategy, name, d, seed):
    limit = 4000
    rust = in_rust(command, name, d, seed, "--max-evaluations", str(limit), "--strategy", strategy)
    problem = enes.problems.get(name, d, seed=seed, distance=1.0)
    for arguments in (dict(), dict(vectorized=True), dict(workers=map)):
        python = enes.minimize(
            problem, problem.x0, 1.0, rng=seed, ftarget=problem.ftarget, maxfevals=limit, strategy=strategy, **arguments
        )
        assert python.x.tolist() == rust["best_x"]
        assert python.xfavorite.tolist() == rust["mean"]
        assert (python.fun, python.nfev, python.nit) == (rust["value"], rust["evaluations"], rust["generations"])
        assert list(python.stop) == [rust["stop"]] and python.message == rust["stop_message"]
        assert python.success == rust["success"]


@pytest.fixture
def run_folder(command, tmp_path):
    """A run of the command line that stopped on its budget, with the worker of the guide."""
    folder = tmp_path / "run"
    arguments = ["--dim", "2", "--seed", "4", "--population", "12", "--max-evaluations", "36", "--tolfun", "0", "--run", str(folder)]
    worker = [sys.executable, str(ROOT / "docs/workers/worker.py")]
    subprocess.run([command, "minimize", *arguments, "--quiet", "--worker", "--", *worker], capture_output=True)
    return folder


def objective(x):
    return sum((v - 1.0) ** 2 for v in x.tolist())


def resume(command, folder, evaluations):
    out = subprocess.run(
        [command, "resume", str(folder), "--max-evaluations", str(evaluations), "--json", "--quiet"],
        capture_output=True,
        text=True,
    )
    assert out.returncode in (0, 1), out.stderr
    return json.loads(out.stdout)


def test_python_goes_on_where_the_command_line_stopped(command, run_folder):
    es = enes.Optimizer.load(run_folder)
    assert es.dimension == 2 and es.population == 12
    rust = resume(command, run_folder, 60)
    while es.generation < rust["generations"]:
        es.tell([objective(x) for x in es.ask()])
    assert es.mean.tolist() == rust["mean"]


def test_the_command_line_goes_on_where_python_stopped(command, run_folder, tmp_path):
    twin = tmp_path / "twin"
    shutil.copytree(run_folder, twin)
    es = enes.Optimizer.load(twin)
    es.save(twin / "checkpoint")
    assert resume(command, twin, 60)["x"] == resume(command, run_folder, 60)["x"]


def test_the_record_of_the_command_line_is_read_as_columns(run_folder):
    columns = enes.history(run_folder)
    assert columns["generation"][0] == 1 and columns["evaluations"][-1] <= 36
    assert {"mean_0", "mean_1", "std_0", "axis_1", "best"} <= set(columns)


PROBLEM = """
[[parameter]]
name = "a"
lower = 2
upper = 5
[[parameter]]
name = "b"
initial = 3
fixed = true
[[parameter]]
name = "c"
lower = 1e-3
upper = 10
log = true
"""


def test_python_goes_on_with_bounds_log_scales_and_fixed_values(command, tmp_path):
    (tmp_path / "problem.toml").write_text(PROBLEM)
    folder = tmp_path / "run"
    worker = [sys.executable, str(ROOT / "docs/workers/worker.py")]
    arguments = [str(tmp_path / "problem.toml"), "--max-evaluations", "100", "--run", str(folder), "--quiet"]
    subprocess.run([command, "minimize", *arguments, "--worker", "--", *worker], capture_output=True, check=False)
    es = enes.Optimizer.load(folder, maxfevals=200)
    rust = resume(command, folder, 200)
    while es.generation < rust["generations"]:
        X = es.ask()
        assert ((X >= [2, 3, 1e-3]) & (X <= [5, 3, 10])).all()
        es.tell([objective(x) for x in X])
    assert es.result.xfavorite.tolist() == rust["mean"]


def test_a_folder_without_a_checkpoint_is_left_to_the_command_line(run_folder):
    (run_folder / "checkpoint").unlink()
    with pytest.raises(ValueError, match="has no checkpoint yet"):
        enes.Optimizer.load(run_folder)


def test_a_folder_that_is_none_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="is not the folder of a run"):
        enes.Optimizer.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="is not the folder of a run"):
        enes.history(tmp_path)
    with pytest.raises(TypeError, match="expected a result"):
        enes.history(3)
