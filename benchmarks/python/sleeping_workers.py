"""Real workers that sleep: how busy eight of them are, asynchronously and in whole generations.

    .venv/bin/python benchmarks/python/sleeping_workers.py > benchmarks/python/sleeping-workers.json

Evaluations sleep for a time that is lognormal, 50 ms in the mean, with a deviation of 1 of its logarithm; d = 10, the
ellipsoid, 400 evaluations. Busy is the time that was slept over that of all workers, the start of the pools aside.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np

import enes

D, WORKERS, EVALUATIONS, MEAN = 10, 8, 400, 0.05


def nap(x):
    rng = np.random.default_rng(abs(hash(x.tobytes())))
    return float(MEAN * np.exp(rng.standard_normal() - 0.5))


def simulate(x):
    time.sleep(nap(x))
    return float(10.0 ** (6 * np.arange(D) / (D - 1)) @ np.abs(x) ** 2.2)


def run(executor, asynchronous):
    seen = []

    def callback(intermediate_result):
        seen.append((time.monotonic(), intermediate_result.nfev))

    extra = {"workers": WORKERS} if asynchronous else {}
    enes.minimize(
        simulate, [1.0] * D, 1.0, rng=1, maxfevals=EVALUATIONS, executor=executor, asynchronous=asynchronous,
        callback=callback, batch=WORKERS - 1, restarts="off", tolx=None, tolfun=None, **extra,
    )  # fmt: skip
    (began, first), (ended, last) = seen[2], seen[-1]
    return (last - first) * MEAN / (WORKERS * (ended - began))


def clusters():
    with ThreadPoolExecutor(WORKERS) as executor:
        yield "threads", executor
    with ProcessPoolExecutor(WORKERS) as executor:
        list(executor.map(abs, range(WORKERS)))
        yield "processes", executor
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.wait_for_workers(WORKERS)
        yield "Dask", client
    import ray

    from enes.integrations.ray import RayExecutor

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, configure_logging=False)
    executor = RayExecutor()
    [future.result() for future in [executor.submit(time.sleep, 0.5) for _ in range(WORKERS)]]
    yield "Ray", executor
    ray.shutdown()


if __name__ == "__main__":
    cells = []
    for name, executor in clusters():
        for asynchronous in (True, False):
            busy = round(run(executor, asynchronous), 3)
            print(name, asynchronous, busy, file=sys.stderr)
            cells.append({"executor": name, "asynchronous": asynchronous, "busy": busy})
    print(json.dumps({"d": D, "workers": WORKERS, "evaluations": EVALUATIONS, "mean_seconds": MEAN, "cells": cells}, indent=1))
