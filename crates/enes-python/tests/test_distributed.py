"""Real clusters, started here: Dask with worker processes, Ray, MPI. A worker is killed in mid-run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from objectives import KillsItsWorkerHere, fails_on_the_left, same, sphere

import enes

START = dict(x0=[3.0, 4.0], sigma0=1.0, rng=1, maxiter=10)


@pytest.fixture(scope="module")
def serial():
    return enes.minimize(sphere, **START)


class KillOne:
    """A callback that kills one worker process in the middle of the run."""

    def __init__(self, pids):
        self.pids = pids
        self.killed = None

    def __call__(self, intermediate_result):
        if intermediate_result.nit == 3:
            self.killed = sorted(self.pids())[0]
            os.kill(self.killed, signal.SIGKILL)


# Dask ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    from dask.distributed import Client, LocalCluster

    folder = tmp_path_factory.mktemp("dask")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=folder
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_dask_gives_the_same_result(client, serial):
    same(enes.minimize(sphere, executor=client, **START), serial)


def test_dask_through_its_executor_gives_the_same_result(client, serial):
    same(enes.minimize(sphere, executor=client.get_executor(pure=False), **START), serial)


def test_dask_evaluates_a_lambda_and_equal_points_twice(client):
    """A cluster serializes by value; and a noisy objective must not be answered from a cache."""
    result = enes.minimize(lambda x: float(x @ x), executor=client, **START)
    assert result.fun < 9.0
    futures = [client.submit(os.urandom, 8, pure=False) for _ in range(2)]
    assert futures[0].result() != futures[1].result()


def test_a_killed_dask_worker_costs_nothing(client, serial):
    kill = KillOne(lambda: client.run(os.getpid).values())
    same(enes.minimize(sphere, executor=client, callback=kill, **START), serial)
    client.wait_for_workers(2, timeout=60)
    assert kill.killed not in client.run(os.getpid).values()


def test_an_exception_on_dask_leaves_as_itself(client):
    with pytest.raises(ZeroDivisionError, match="no value at") as caught:
        enes.minimize(fails_on_the_left, [1.0, 1.0], 0.2, rng=1, executor=client)
    assert caught.value.enes_result.nfev > 0


def test_failures_on_dask_rank_last(client):
    arguments = dict(x0=[1.0, 1.0], sigma0=0.5, rng=1, on_error="rank_last", maxiter=10)
    expected = enes.minimize(fails_on_the_left, **arguments)
    same(enes.minimize(fails_on_the_left, executor=client, **arguments), expected)


# Ray ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def executor(tmp_path_factory):
    import ray

    from enes.integrations.ray import RayExecutor

    with pytest.raises(RuntimeError, match=r"call ray.init\(\) first"):
        RayExecutor()
    environment = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment, configure_logging=False)
    yield RayExecutor()
    ray.shutdown()


@pytest.mark.long
def test_ray_gives_the_same_result(executor, serial):
    same(enes.minimize(sphere, executor=executor, **START), serial)


@pytest.mark.long
def test_a_killed_ray_worker_costs_nothing(executor, serial):
    kill = KillOne(lambda: [executor.submit(os.getpid).result()])
    same(enes.minimize(sphere, executor=executor, callback=kill, **START), serial)
    assert kill.killed


@pytest.mark.long
def test_a_point_that_kills_its_ray_worker_ranks_last():
    from enes.integrations.ray import RayExecutor

    result = enes.minimize(
        KillsItsWorkerHere(),
        [0.3, 1.0],
        0.3,
        rng=1,
        population=6,
        maxiter=1,
        executor=RayExecutor(max_retries=0),
        on_error="rank_last",
    )
    assert result.nfailed > 0 and result.x[0] >= 0


@pytest.mark.long
def test_an_exception_on_ray_is_still_the_objectives_own(executor):
    with pytest.raises(ZeroDivisionError, match="no value at") as caught:
        enes.minimize(fails_on_the_left, [1.0, 1.0], 0.2, rng=1, executor=executor)
    assert caught.value.enes_result.nfev > 0


# MPI ----------------------------------------------------------------------------------------------

MPI = """
import sys
sys.path.insert(0, {here!r})
import enes
from mpi4py.futures import MPIPoolExecutor
from objectives import sphere
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        result = enes.minimize(sphere, [3.0, 4.0], 1.0, rng=1, maxiter=10, executor=executor)
        print(executor.num_workers, result.fun.hex())
"""


def test_mpi_gives_the_same_result(tmp_path, serial):
    script = tmp_path / "script.py"
    script.write_text(MPI.format(here=str(Path(__file__).parent)))
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", script]
    out = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert out.returncode == 0, out.stderr
    assert out.stdout.split() == ["2", serial.fun.hex()]
