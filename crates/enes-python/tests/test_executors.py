"""Evaluations in threads and processes: the same result, and an answer to every failure."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from objectives import (
    KillsItsWorkerHere,
    KillsItsWorkerOnce,
    fails_on_the_left,
    returns_text,
    same,
    shifted,
    slow,
    sphere,
    where,
)

import enes

# With a batch the number of workers is no part of the run, however many there are.
START = dict(x0=[3.0, 4.0], sigma0=1.0, rng=1, maxiter=40, batch=3)


@pytest.fixture(scope="module")
def serial():
    return enes.minimize(sphere, **START)


@pytest.mark.parametrize("workers", [2, -1, 3])
def test_processes_give_the_same_result(serial, workers):
    same(enes.minimize(sphere, workers=workers, **START), serial)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_forked_and_spawned_processes_give_the_same_result(serial, method):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as executor:
        same(enes.minimize(sphere, executor=executor, **START), serial)


def test_threads_give_the_same_result(serial):
    with ThreadPoolExecutor(3) as executor:
        same(enes.minimize(sphere, executor=executor, **START), serial)


def test_maps_give_the_same_result(serial):
    same(enes.minimize(sphere, workers=map, **START), serial)
    with multiprocessing.Pool(2) as pool:
        same(enes.minimize(sphere, workers=pool.map, **START), serial)
        same(enes.minimize(sphere, workers=pool.imap, **START), serial)


def test_the_objective_really_runs_elsewhere():
    pids = set()
    result = enes.minimize(where, workers=2, callback=lambda xk: None, **START)
    pids.add(result.fun)
    assert os.getpid() not in pids


def test_arguments_travel_to_the_workers():
    result = enes.minimize(shifted, [0.0, 0.0], 1.0, args=(np.ones(2),), workers=2, rng=1, maxfevals=3000)
    np.testing.assert_allclose(result.x, 1.0, atol=1e-4)


def test_an_executor_is_left_running():
    with ThreadPoolExecutor(2) as executor:
        enes.minimize(sphere, executor=executor, **START)
        assert executor.submit(int, 3).result() == 3


def test_no_process_is_left_behind():
    enes.minimize(sphere, workers=2, **START)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("where", [dict(workers=2), "executor"])
def test_an_objective_that_cannot_be_pickled_fails_before_the_start(where):
    with ProcessPoolExecutor(1) as executor:
        where = dict(executor=executor) if where == "executor" else where
        with pytest.raises(TypeError, match="must be picklable .* top level of a module .*ThreadPoolExecutor"):
            enes.minimize(lambda x: sphere(x), **where, **START)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (dict(workers=0), ValueError, "workers must be at least 1, or -1"),
        (dict(workers=2.0), TypeError, "workers must be a whole number or a map-like callable"),
        (dict(workers=True), TypeError, "workers must be"),
        (dict(executor=3), TypeError, "executor must have the shape of"),
        (dict(workers=2, vectorized=True), ValueError, "leave out workers and executor"),
        (dict(workers=2, executor=ThreadPoolExecutor(1)), ValueError, "workers or executor, not both"),
        (dict(workers=lambda f, xs: [1.0]), ValueError, "workers returned 1 values for"),
    ],
)
def test_wrong_workers_are_explained(arguments, kind, message):
    with pytest.raises(kind, match=message):
        enes.minimize(sphere, **arguments, **START)


POOLS = {
    "processes": lambda: (dict(workers=2), None),
    "threads": lambda: (dict(executor=(e := ThreadPoolExecutor(2))), e),
    "executor": lambda: (dict(executor=(e := ProcessPoolExecutor(2))), e),
    "map": lambda: (dict(workers=map), None),
}


@pytest.fixture(params=POOLS)
def pool(request):
    arguments, executor = POOLS[request.param]()
    yield arguments
    if executor is not None:
        executor.shutdown()


def test_an_exception_in_a_worker_leaves_as_itself(pool):
    with pytest.raises(ZeroDivisionError, match="no value at") as caught:
        enes.minimize(fails_on_the_left, [1.0, 1.0], 0.2, rng=1, **pool)
    assert caught.value.enes_result.nfev > 0


def test_failures_in_workers_rank_last_alike(pool):
    # A batch, since without one the number of workers is part of the run.
    options = {"rng": 1, "on_error": "rank_last", "maxiter": 40, "batch": 3}
    expected = enes.minimize(fails_on_the_left, [1.0, 1.0], 0.5, **options)
    result = enes.minimize(fails_on_the_left, [1.0, 1.0], 0.5, **options, **pool)
    same(result, expected)
    assert result.nfailed == expected.nfailed > 0


def test_a_failure_in_a_worker_stops_where_asked(pool):
    result = enes.minimize(fails_on_the_left, [1.0, 1.0], 0.5, rng=1, on_error="stop", **pool)
    assert result.status == 3 and isinstance(result.error, ZeroDivisionError)


def test_results_of_the_wrong_type_are_named_from_workers_too(pool):
    with pytest.raises(TypeError, match="fun must return one real number, got 'a value'"):
        enes.minimize(returns_text, **pool, **START)


def test_a_worker_that_is_killed_once_costs_nothing(serial, tmp_path):
    result = enes.minimize(KillsItsWorkerOnce(tmp_path / "flag"), workers=2, **START)
    same(result, serial)
    assert result.nfailed == 0


def test_a_worker_killed_from_outside_costs_nothing():
    expected = enes.minimize(sphere, [3.0, 4.0], 1.0, rng=1, maxiter=5)
    killed = []

    def kill_one(xk):
        children = multiprocessing.active_children()
        if children and not killed:
            os.kill(children[0].pid, signal.SIGKILL)
            killed.append(children[0].pid)

    result = enes.minimize(slow, [3.0, 4.0], 1.0, rng=1, maxiter=5, workers=2, callback=kill_one)
    same(result, expected)
    assert killed


def test_a_point_that_always_kills_its_worker_has_failed():
    result = enes.minimize(
        KillsItsWorkerHere(), [0.3, 1.0], 0.3, rng=1, population=12, maxiter=2, workers=2, on_error="rank_last"
    )
    assert result.nfailed > 0 and result.x[0] >= 0
    assert "a worker process died at the point" in str(result.error)
    with pytest.raises(RuntimeError, match="a worker process died at the point"):
        enes.minimize(KillsItsWorkerHere(), [0.3, 1.0], 0.3, rng=1, population=12, maxiter=2, workers=2)


UNGUARDED = """
import multiprocessing
import enes
multiprocessing.set_start_method("spawn")
def fun(x):
    return float((x**2).sum())
enes.minimize(fun, [3.0, 4.0], 1.0, rng=1, maxiter=3, workers=2, on_error="rank_last")
"""


def test_workers_that_cannot_start_are_told_from_workers_that_die(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    out = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert out.returncode == 1
    assert "worker processes cannot start" in out.stderr.splitlines()[-1]


def test_a_broken_executor_of_the_users_own_ends_the_run_with_the_best_so_far(tmp_path):
    with ProcessPoolExecutor(2) as executor:
        with pytest.raises(BrokenExecutor) as caught:
            enes.minimize(
                KillsItsWorkerOnce(tmp_path / "flag"), executor=executor, on_error="rank_last", **START
            )
    assert hasattr(caught.value, "enes_result")


SCRIPT = """
import os, sys, time, signal, threading
sys.path.insert(0, {here!r})
import enes
from objectives import slow, sphere
def main():
    pid = os.getpid()
    threading.Timer(1.0, lambda: os.kill(pid, signal.SIGINT)).start()
    try:
        enes.minimize(slow, [3.0, 4.0], 1.0, rng=1, population=200, {extra})
    except KeyboardInterrupt as interrupt:
        result = interrupt.enes_result
        print(result.nfev, result.nit, result.fun == sphere(result.x), list(result.stop))
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("extra", ["", "workers=2", "executor=__import__('concurrent.futures').futures.ThreadPoolExecutor(2)"])
def test_a_real_ctrl_c_within_a_generation_leaves_with_the_best_so_far(tmp_path, extra):
    """200 points of 20 ms make four seconds a generation: the signal comes within the first."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(here=os.path.dirname(__file__), extra=extra))
    began = time.monotonic()
    out = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert out.returncode == 0, out.stderr
    evaluations, generations, consistent, stop = out.stdout.split(maxsplit=3)
    assert 0 < int(evaluations) < 200 and generations == "0" and consistent == "True"
    assert stop.strip() == "['interrupt']"
    assert time.monotonic() - began < 20 and "Traceback" not in out.stderr


class Demanding(Exception):
    """It can be pickled, but not unpickled: that would take two arguments."""

    def __init__(self, words, number):
        super().__init__(words)
        self.number = number


def demanding(x):
    raise Demanding("too low", 2)


def unpicklable(x):
    error = ValueError("holds a function")
    error.inner = lambda: None
    raise error


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(("fun", "words"), [(demanding, "Demanding: too low"), (unpicklable, "ValueError: holds a fun")])
def test_exceptions_that_cannot_travel_say_what_they_were(fun, words, asynchronous):
    with pytest.raises(RuntimeError, match=words):
        enes.minimize(fun, workers=2, asynchronous=asynchronous, **START)
    result = enes.minimize(fun, workers=2, asynchronous=asynchronous, on_error="rank_last", maxfevals=40, **START)
    assert not result.success
