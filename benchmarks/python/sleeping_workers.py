"""Real workers that sleep: how busy eight of them are, asynchronously and in whole generations.

    .venv/bin/python benchmarks/python/sleeping_workers.py [mean] > benchmarks/python/sleeping-workers.json

Evaluations sleep for a time that is lognormal, 1 s in the mean or so many, with a deviation of 1 or 1.5 of its logarithm; d = 10,
the ellipsoid, 120 evaluations. With another mean than 1 there are no whole generations. Each writes when it began and ended.
Busy is the share of all workers' time in evaluations, from when all workers have begun to when the last point begins. Load is
how many processes wanted a processor at the end of a cell, in the mean of a minute.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import zlib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

import enes

D, WORKERS, EVALUATIONS = 10, 8, 120
MEAN = float(sys.argv[1]) if len(sys.argv) > 1 and __name__ == "__main__" else 1.0


def simulate(log, mean, sigma, x):
    began = time.time()
    rng = np.random.default_rng(zlib.crc32(x.tobytes()))
    time.sleep(float(mean * np.exp(sigma * rng.standard_normal() - 0.5 * sigma**2)))
    with open(log, "ab", buffering=0) as out:
        out.write(f"{began} {time.time()}\n".encode())
    return float(10.0 ** (6 * np.arange(D) / (D - 1)) @ np.abs(x) ** 2.2)


def run(executor, asynchronous, sigma):
    handle, name = tempfile.mkstemp()
    os.close(handle)
    log = Path(name)
    extra = {"workers": WORKERS} if asynchronous else {}
    enes.minimize(
        partial(simulate, name, MEAN, sigma), [1.0] * D, 1.0, rng=1, maxfevals=EVALUATIONS, executor=executor,
        asynchronous=asynchronous, batch=WORKERS - 1, restarts="off", tolx=None, tolfun=None, **extra,
    )  # fmt: skip
    spans = sorted(tuple(map(float, line.split())) for line in log.read_text().splitlines())
    log.unlink()
    first, last = spans[WORKERS - 1][0], spans[-1][0]
    work = sum(max(0.0, min(end, last) - max(began, first)) for began, end in spans)
    return work / (WORKERS * (last - first))


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
        for asynchronous, sigma in [(True, 1.0), (True, 1.5), *[(False, 1.0)] * (MEAN == 1.0)]:
            busy = round(run(executor, asynchronous, sigma), 3)
            cell = {"executor": name, "asynchronous": asynchronous, "sigma": sigma, "busy": busy}
            cells.append({**cell, "load": round(os.getloadavg()[0], 1)})
            print(cells[-1], file=sys.stderr, flush=True)
    print(json.dumps({"d": D, "workers": WORKERS, "evaluations": EVALUATIONS, "mean_seconds": MEAN, "cells": cells}, indent=1))
