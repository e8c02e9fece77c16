"""No worker waits for another: any order, workers that die, checkpoints, executors."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import enes


def sphere(x):
    return float((x**2).sum())


def rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def uneven(x):
    time.sleep(abs(hash(x.tobytes())) % 5 / 1000)
    return sphere(x)


def dies_now_and_then(x):
    if int(abs(x[0]) * 1e6) % 17 == 3:
        os._exit(3)
    return sphere(x)


def fails_now_and_then(x):
    if int(abs(x[0]) * 1e6) % 7 == 3:
        raise ValueError("no value here")
    return sphere(x)


def constrained(x):
    return sphere(x), 1 - x[0]


RUN = {"x0": [1.0] * 4, "sigma0": 0.5, "rng": 3, "maxfevals": 600, "same_optimum": None, "unseen_optima": None}


def test_one_worker_is_the_serial_run():
    serial = enes.minimize(rosenbrock, **RUN)
    alone = enes.minimize(rosenbrock, **RUN, asynchronous=True)
    assert (serial.fun, serial.nfev, serial.nit, serial.stop) == (alone.fun, alone.nfev, alone.nit, alone.stop)
    assert np.array_equal(serial.x, alone.x) and np.array_equal(serial.history["best"], alone.history["best"])
    assert alone.order[:, 0].tolist() == list(range(600))


def test_single_points_come_back_in_any_order():
    es = enes.Optimizer([1, 2, 3], 0.5, rng=1, ftarget=1e-9)
    running = es.ask(7)
    assert [p.id for p in running] == list(range(7)) and running[0].x.shape == (3,)
    lost = running.pop(3)
    es.forget(lost.id)
    rng = np.random.default_rng(1)
    while running:
        id, x = running.pop(rng.integers(len(running)))
        es.tell_one(id, sphere(x))
        assert [p.id for p in es.in_flight] == sorted(p.id for p in running)
        running += es.ask(1)
    assert es.stop() == {"ftarget": 1e-9}
    for wrong in (lost.id, 10**6, -1):
        with pytest.raises(ValueError, match="not in flight"):
            es.tell_one(wrong, 1.0)
        with pytest.raises(ValueError, match="not in flight"):
            es.forget(wrong)


def test_what_is_no_number_of_points_is_refused():
    es = enes.Optimizer([1, 2], 0.5)
    for wrong in (-1, 1.5, True, "3"):
        with pytest.raises(ValueError, match="n must be a whole number"):
            es.ask(wrong)
    assert es.ask(0) == []


def test_a_run_is_repeated_by_its_order():
    done = enes.minimize(uneven, **RUN, asynchronous=True, executor=ThreadPoolExecutor(4))
    es = enes.Optimizer(**RUN)
    points = {}
    for id, asked in done.order:
        points.update(es.ask(asked - len(points)) if asked > len(points) else [])
        es.tell_one(id, sphere(points[id]))
    ours = es.result
    assert ours.fun == done.fun and np.array_equal(ours.x, done.x) and np.array_equal(ours.xfavorite, done.xfavorite)


@pytest.mark.parametrize("workers", [2, 5])
def test_processes(workers):
    result = enes.minimize(uneven, [1.0] * 3, 0.5, rng=1, ftarget=1e-8, workers=workers, asynchronous=True)
    assert result.success and result.fun <= 1e-8
    assert len({id for id, _ in result.order}) == result.nfev


def test_a_worker_that_dies_costs_its_point_only():
    result = enes.minimize(dies_now_and_then, **RUN, workers=4, asynchronous=True, on_error="rank_last")
    assert result.nfev == 600 and 5 < result.nfailed < 150
    assert isinstance(result.error, enes.WorkerDied) and result.fun < 1e-3


def test_failures_follow_the_policy():
    with pytest.raises(ValueError, match="no value here") as raised:
        enes.minimize(fails_now_and_then, **RUN, workers=3, asynchronous=True)
    assert raised.value.enes_result.nfev < 600
    stopped = enes.minimize(fails_now_and_then, **RUN, workers=3, asynchronous=True, on_error="stop")
    assert stopped.stop == {"error": 1.0} and not stopped.success
    ranked = enes.minimize(fails_now_and_then, **RUN, workers=3, asynchronous=True, on_error="rank_last")
    assert ranked.nfev == 600 and ranked.nfailed > 10


def test_nobody_waits_for_the_slowest():
    slow = threading.Event()
    calls = []

    def objective(x):
        calls.append(1)
        if len(calls) == 2:
            slow.wait(30)
        elif len(calls) == 60:
            slow.set()
        return sphere(x)

    with ThreadPoolExecutor(3) as pool:
        result = enes.minimize(objective, **{**RUN, "maxfevals": 100}, executor=pool, asynchronous=True)
    assert result.nfev == 100
    late = result.order[:, 0].tolist().index(1)
    assert late > 50


def test_foreign_processes_and_an_executor_of_unknown_size():
    with ProcessPoolExecutor(2) as pool:
        result = enes.minimize(uneven, [1.0] * 3, 0.5, rng=1, ftarget=1e-6, executor=pool, asynchronous=True)
    assert result.success


    with ThreadPoolExecutor(2) as pool:

        class Plain:
            submit = pool.submit

        with pytest.raises(ValueError, match="give workers as well"):
            enes.minimize(sphere, [1.0], 0.5, executor=Plain(), asynchronous=True)
        result = enes.minimize(
            sphere, [1.0] * 2, 0.5, rng=1, ftarget=1e-6, executor=Plain(), workers=3, asynchronous=True
        )
        assert result.success


def test_constraints_noise_and_bounds():
    result = enes.minimize(constrained, [3.0] * 3, 1.0, rng=1, maxfevals=900, workers=3, asynchronous=True)
    assert abs(result.fun - 1) < 1e-2
    pool = ThreadPoolExecutor(4)
    noisy = enes.minimize(
        uneven, [1.0] * 3, 1.0, rng=1, maxfevals=400, noisy=True, executor=pool, asynchronous=True
    )
    # When the mean has been measured, samples of the other workers may still be out.
    assert 396 <= noisy.nfev <= 400 and noisy.fun < 0.1
    inside = enes.minimize(
        rosenbrock, bounds=[(0, 0.5)] * 3, rng=1, maxfevals=500, executor=pool, asynchronous=True
    )
    assert (inside.x >= 0).all() and (inside.x <= 0.5).all()


def test_a_checkpoint_keeps_the_points_in_flight(tmp_path):
    path = tmp_path / "run"

    seen = []

    def objective(x):
        seen.append(tuple(x))
        if len(seen) == 50:
            raise KeyboardInterrupt
        return sphere(x)

    with pytest.raises(KeyboardInterrupt):
        enes.minimize(objective, **RUN, asynchronous=True, checkpoint=path)
    es = enes.Optimizer.load(path)
    assert [tuple(p.x) for p in es.in_flight] == [seen[-1]]
    result = es.optimize(sphere, asynchronous=True)
    serial = enes.minimize(sphere, **RUN)
    assert result.fun == serial.fun and np.array_equal(result.x, serial.x) and result.nfev == 600


def test_time_and_callbacks_end_a_run():
    def slow(x):
        time.sleep(0.05)
        return sphere(x)

    began = time.monotonic()
    pool = ThreadPoolExecutor(2)
    result = enes.minimize(slow, [1.0] * 3, 1.0, rng=1, timeout=0.5, executor=pool, asynchronous=True)
    assert "timeout" in result.stop and time.monotonic() - began < 5
    stopped = enes.minimize(
        sphere, [1.0] * 3, 1.0, rng=1, executor=pool, asynchronous=True, callback=lambda x: True
    )
    assert stopped.stop == {"callback": 1.0}


def test_all_that_has_come_back_is_told_before_more_is_asked():
    from concurrent.futures import Future

    from enes._crew import Submitted

    class Slow:
        """Evaluations end when somebody says so."""

        num_workers = 3

        def __init__(self):
            self.futures = []

        def submit(self, fn, x):
            self.futures.append(Future())
            return self.futures[-1]

    executor = Slow()
    crew = Submitted(sphere, executor, None)
    assert crew.size() == 3
    for id in range(3):
        crew.begin(id, np.ones(2))
    executor.futures[2].set_result(5.0)
    executor.futures[0].set_exception(ValueError("no value"))
    (first, value), (second, error) = crew.next(1.0)
    assert (first, value, second, crew.open) == (2, 5.0, 0, {1}) and isinstance(error, ValueError)
    assert crew.next(0.0) == []


def test_what_cannot_be_asynchronous_says_so():
    with pytest.raises(ValueError, match="adaptive strategy"):
        enes.minimize(sphere, [1.0], 1.0, strategy="published", asynchronous=True)
    with pytest.raises(ValueError, match="vectorized"):
        enes.minimize(sphere, [1.0], 1.0, vectorized=True, asynchronous=True)
    with pytest.raises(ValueError, match="map-like"):
        enes.minimize(sphere, [1.0], 1.0, workers=map, asynchronous=True)
    with pytest.raises(RuntimeError, match="whole generations"):
        enes.Optimizer([1.0], 1.0, strategy="published").ask(1)


def test_generations_fit_the_workers():
    sizes = []

    def objective(x):
        return sphere(x)

    es = enes.Optimizer([1.0] * 10, 1.0, rng=1, workers=4, ftarget=1e-8)
    while not es.stop():
        points = es.ask()
        if es.model and es.model["mode"] == "surrogate":
            sizes.append(len(points))
        es.tell([objective(x) for x in points])
    assert sizes and set(sizes) == {4}
