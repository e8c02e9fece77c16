"""Asynchronous runs on real clusters, started here: Dask that grows, shrinks and dies, Ray, MPI; a driver that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from objectives import sphere, uneven

import enes

# Which result comes first decides how soon a search is done: with a target that is never met the budget ends every run.
RUN = dict(x0=[3.0, 4.0, 1.0], sigma0=1.0, rng=1, ftarget=-1.0, maxfevals=150, asynchronous=True)


def each_once(result, count=150):
    ids = result.order[:, 0].tolist()
    assert result.nfev == count == len(set(ids)) == len(ids)


# Dask ---------------------------------------------------------------------------------------------


@pytest.fixture()
def cluster(tmp_path):
    from dask.distributed import LocalCluster

    options = dict(threads_per_worker=1, processes=True, dashboard_address=None, local_directory=tmp_path)
    with LocalCluster(n_workers=1, **options) as cluster:
        yield cluster


def test_a_dask_cluster_grows_shrinks_and_loses_a_worker(cluster, monkeypatch):
    from dask.distributed import Client

    # Where workers start quickly, the thirty evaluations until one is killed are over before the size is looked at again.
    monkeypatch.setattr("enes._crew.LOOK", 0.0)
    with Client(cluster) as client:
        flying, killed = [], []
        steps = {20: 3, 90: 1}

        def change(intermediate_result):
            flying.append(intermediate_result.nfev)
            for at in [at for at in steps if intermediate_result.nfev >= at]:
                cluster.scale(steps.pop(at))
                if not killed:
                    client.wait_for_workers(3, timeout=60)
            if intermediate_result.nfev >= 50 and not killed:
                pids = client.run(os.getpid)
                killed.append(min(pids.values()))
                os.kill(killed[0], signal.SIGKILL)

        result = enes.minimize(uneven, executor=client, callback=change, **RUN)
        each_once(result)
        assert killed and result.fun < 1e-3 and result.nfailed == 0
        # The cluster was seen to grow: more than one point was in flight.
        assert max(asked - i for i, (_, asked) in enumerate(result.order)) >= 3


def started(arguments, ready, **options):
    """A process, once a line of its output says that it is ready."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    for line in process.stdout:
        if ready in line:
            # Nobody reads the rest: a full pipe would stop it.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, line
    raise AssertionError(f"{arguments} ended")


@pytest.mark.long
def test_a_dask_scheduler_and_workers_of_their_own_one_of_which_is_killed(tmp_path):
    """As by hand on several machines: `dask scheduler` and `dask worker` are processes that know an address only."""
    from dask.distributed import Client

    python = [sys.executable, "-m", "dask"]
    processes = []
    try:
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        scheduler, line = started([*python, "scheduler", *options], "Scheduler at:", cwd=tmp_path)
        processes.append(scheduler)
        address = line.split()[-1]
        worker = [*python, "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        for i in range(2):
            folder = tmp_path / str(i)
            folder.mkdir()
            processes.append(started(worker, "Registered to:", cwd=folder)[0])
        with Client(address) as client:
            client.wait_for_workers(2, timeout=60)
            killed, joined = [], []

            def change(intermediate_result):
                if intermediate_result.nfev >= 50 and not killed:
                    killed.append(processes[1].pid)
                    processes[1].kill()
                if intermediate_result.nfev >= 90 and not joined:
                    joined.append(started(worker, "Registered to:", cwd=tmp_path)[0])
                    processes.extend(joined)

            result = enes.minimize(uneven, executor=client, callback=change, **RUN)
            each_once(result)
            assert killed and joined and result.fun < 1e-3 and result.nfailed == 0
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


# Ray ----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_ray():
    import ray

    from enes.integrations.ray import RayExecutor

    environment = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment, configure_logging=False)
    try:
        executor = RayExecutor()
        assert executor.num_workers == 2
        killed = []

        def kill(intermediate_result):
            if intermediate_result.nfev >= 40 and not killed:
                killed.append(executor.submit(os.getpid).result())
                os.kill(killed[0], signal.SIGKILL)

        result = enes.minimize(uneven, executor=executor, callback=kill, **RUN)
        each_once(result)
        assert killed and result.fun < 1e-3
    finally:
        ray.shutdown()


# MPI ----------------------------------------------------------------------------------------------

MPI = """
import sys
sys.path.insert(0, {here!r})
import enes
from mpi4py.futures import MPIPoolExecutor
from test_asynchronous_clusters import RUN, uneven
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        result = enes.minimize(uneven, executor=executor, workers=2, **RUN)
    print(result.nfev, len(set(result.order[:, 0].tolist())), result.fun < 1e-3)
"""


def test_mpi(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(MPI.format(here=str(Path(__file__).parent)))
    mpiexec = Path(sys.executable).with_name("mpiexec")
    command = [mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["150", "150", "True"]


# The driver dies ----------------------------------------------------------------------------------

DRIVER = """
import sys
sys.path.insert(0, {here!r})
import enes, enes._loop
from concurrent.futures import ThreadPoolExecutor
from test_asynchronous_clusters import RUN, uneven
enes._loop.CHECKPOINT_SECONDS = 0.0
def tell(intermediate_result):
    print(intermediate_result.nfev, flush=True)
enes.minimize(uneven, executor=ThreadPoolExecutor(4), callback=tell, checkpoint={path!r}, **RUN)
"""


def test_a_driver_that_is_killed_continues_with_what_was_in_flight(tmp_path):
    path = tmp_path / "run"
    script = DRIVER.format(here=str(Path(__file__).parent), path=str(path))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as driver:
        for line in driver.stdout:
            if int(line) >= 60:
                break
        driver.kill()
    es = enes.Optimizer.load(path)
    # The checkpoint is of the end of a generation: the other workers were busy then, but for those that ended together.
    assert 50 <= es.evaluations < 150 and 1 <= len(es.in_flight) <= 3
    before, flying = es.evaluations, {p.id for p in es.in_flight}
    result = es.optimize(sphere, asynchronous=True)
    assert result.nfev == 150 and len(result.order) == 150 - before
    assert set(result.order[: len(flying), 0].tolist()) == flying
