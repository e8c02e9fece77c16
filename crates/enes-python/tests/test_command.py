"""The command `enes` that the wheel installs does what the binary does: output, exit codes, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import enes

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "enes")

# A worker that leaves its process number and takes a few milliseconds for each evaluation.
WORKER = """
import json, os, sys, time
open("worker.pid", "w").write(str(os.getpid()))
for line in sys.stdin:
    q = json.loads(line)
    time.sleep(0.003)
    print(json.dumps({"id": q["id"], "value": sum((v - 1) ** 2 for v in q["x"])}), flush=True)
"""
RUN = ["minimize", "--dim", "3", "--seed", "2", "--max-evaluations", "200", "--run", "run", "--quiet", "--json", "--worker"]
PROBLEM = ["minimize", "--problem", "rosenbrock", "--dim", "4", "--seed", "3", "--json", "--quiet"]


def run(*arguments, program=SCRIPT, cwd=None):
    return subprocess.run([program, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120)


def timeless(text):
    return {key: value for key, value in json.loads(text).items() if key not in ("seconds", "run")}


def test_it_has_the_version_of_the_package():
    assert run("--version").stdout == f"enes {enes.__version__}\n"


def test_a_built_in_problem_is_minimized_as_by_the_binary(command):
    ours, binary = run(*PROBLEM), run(*PROBLEM, program=command)
    assert ours.returncode == binary.returncode == 0, ours.stderr
    assert timeless(ours.stdout) == timeless(binary.stdout)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["problems"], 0),
        ([*PROBLEM, "--max-evaluations", "20"], 1),
        (["minimize", "--no-such-flag"], 2),
        (["resume", "no-such-folder"], 2),
        ([], 2),
    ],
    ids=["help", "problems", "short of the target", "wrong usage", "failure", "nothing"],
)
def test_exit_codes_and_words_are_those_of_the_binary(command, arguments, code, tmp_path):
    ours, binary = run(*arguments, cwd=tmp_path), run(*arguments, program=command, cwd=tmp_path)
    assert (ours.returncode, binary.returncode) == (code, code)
    assert ours.stderr == binary.stderr
    if code != 1:  # a result says how long it took
        assert ours.stdout == binary.stdout


def test_a_closed_pipe_is_no_failure():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([SCRIPT, "manual"], stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)], ids=lambda v: str(int(v))
)
def test_a_run_that_is_ended_resumes_as_if_nothing_had_happened(number, code, tmp_path):
    worker = ["--", sys.executable, "-c", WORKER]
    (whole := tmp_path / "whole").mkdir()
    (ended := tmp_path / "ended").mkdir()
    expected = run(*RUN, *worker, cwd=whole)
    assert expected.returncode == 0, expected.stderr

    child = subprocess.Popen([SCRIPT, *RUN, *worker], cwd=ended, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    record = ended / "run" / "evaluations.jsonl"
    patience = time.monotonic() + 60
    while not record.exists() or record.read_bytes().count(b"\n") < 20:
        assert child.poll() is None and time.monotonic() < patience
        time.sleep(0.002)
    child.send_signal(number)
    assert child.wait(60) == code
    if number != signal.SIGKILL:
        assert not is_alive(int((ended / "worker.pid").read_text())), "the worker has outlived the run"

    resumed = run("resume", "run", "--quiet", "--json", cwd=ended)
    assert resumed.returncode == 0, resumed.stderr
    assert timeless(resumed.stdout) == timeless(expected.stdout)
