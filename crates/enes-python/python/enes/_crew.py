"""Who evaluates where nobody waits: each takes a point, and hands it back when it is done."""

from __future__ import annotations

import multiprocessing
import os
import queue
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._evaluate import WorkerDied, check_picklable, count, evaluate_here, start_worker
from ._objective import Answer, Objective

#: What came of a point: its id, and the answer or what was raised.
Landed = tuple[int, Answer | BaseException]

#: How often a cluster is asked for its size, in seconds.
LOOK = 1.0


class Crew(ABC):
    """Somebody who evaluates points, several at a time."""

    #: Points begun that have not come back.
    open: set[int]

    @abstractmethod
    def size(self) -> int:
        """How many points should be in flight now."""

    @abstractmethod
    def begin(self, id: int, x: NDArray[np.float64]) -> None:
        """Start an evaluation."""

    @abstractmethod
    def next(self, timeout: float | None) -> list[Landed]:
        """What has come back, at least one; nothing where the time is up."""

    def close(self) -> None:
        """End what still runs."""


def crew(objective: Objective, workers: int | Callable[..., Any], executor: Any) -> Crew:
    """The crew that the arguments of `enes.minimize` name."""
    if callable(workers):
        raise ValueError(
            "asynchronous=True cannot use a map-like callable, which gives its values in the order of the points: pass "
            "a number of workers, or an executor"
        )
    if executor is not None:
        return Submitted(objective, executor, None if count(workers) == 1 else count(workers))
    return Alone(objective) if count(workers) == 1 else Team(objective, count(workers))


class Alone(Crew):
    """One point after the other, in this thread."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.open = set()
        self.landed: list[Landed] = []

    def size(self) -> int:
        return 1

    def begin(self, id: int, x: NDArray[np.float64]) -> None:
        try:
            self.landed.append((id, self.objective(x)))
        except Exception as error:
            self.landed.append((id, error))
        self.open.add(id)

    def next(self, timeout: float | None) -> list[Landed]:
        landed, self.landed = self.landed, []
        self.open.clear()
        return landed


def _serve(connection: Connection, payload: bytes) -> None:
    """One process: take a point, evaluate it, hand back what came of it."""
    start_worker(payload)
    while True:
        try:
            x = connection.recv()
        except EOFError:
            return
        try:
            answer: Answer | BaseException = evaluate_here(x)
        except Exception as error:
            answer = error
        connection.send(answer)


class Team(Crew):
    """Our own processes, a pipe to each: one that dies costs its point, and another takes its place."""

    def __init__(self, objective: Objective, workers: int) -> None:
        self.payload = check_picklable(objective)
        self.workers = workers
        self.open = set()
        self.context = multiprocessing.get_context()
        self.idle: list[tuple[Connection, Any]] = []
        self.busy: dict[Connection, tuple[int, Any]] = {}
        self.answered = False

    def size(self) -> int:
        return self.workers

    def begin(self, id: int, x: NDArray[np.float64]) -> None:
        while True:
            connection, process = self.idle.pop() if self.idle else self.start()
            try:
                connection.send(np.asarray(x))
                break
            except OSError:  # it died while it had nothing to do
                connection.close()
                process.join()
        self.busy[connection] = id, process
        self.open.add(id)

    def start(self) -> tuple[Connection, Any]:
        here, there = self.context.Pipe()
        process = self.context.Process(target=_serve, args=(there, self.payload), daemon=True)
        process.start()
        there.close()
        return here, process

    def next(self, timeout: float | None) -> list[Landed]:
        landed: list[Landed] = []
        for connection in wait(list(self.busy), timeout):
            assert isinstance(connection, Connection)
            id, process = self.busy.pop(connection)
            self.open.discard(id)
            try:
                landed.append((id, connection.recv()))
                self.idle.append((connection, process))
                self.answered = True
            except (EOFError, OSError):
                connection.close()
                process.join()
                landed.append((id, self.died(id)))
        return sorted(landed, key=lambda one: one[0])

    def died(self, id: int) -> BaseException:
        if not self.answered and self.workers and not self.busy and not self.idle:
            return RuntimeError(
                "worker processes cannot start, or die at their first point: where they are spawned, the main module "
                'must guard its work with `if __name__ == "__main__":`, and fun must be importable from a module'
            )
        return WorkerDied(f"a worker process died at point {id}")

    def close(self) -> None:
        for connection, process in [*self.idle, *((c, p) for c, (_, p) in self.busy.items())]:
            connection.close()
            process.kill()
            process.join()
        self.idle, self.busy = [], {}


class Submitted(Crew):
    """An executor that belongs to somebody else: threads, processes, MPI, Ray, or a Dask client."""

    def __init__(self, objective: Objective, executor: Any, workers: int | None) -> None:
        if not hasattr(executor, "submit"):
            raise TypeError(
                f"executor must have the shape of concurrent.futures.Executor, or be a dask Client, got {executor!r}"
            )
        self.objective = objective
        self.executor = executor
        self.open = set()
        self.futures: dict[int, Any] = {}
        self.done: queue.SimpleQueue[int] = queue.SimpleQueue()
        # Dask takes equal calls for the same call, and would not repeat it, unless told otherwise.
        is_dask = type(executor).__module__.partition(".")[0] == "distributed"
        self.keywords = {"pure": False} if is_dask else {}
        self.measure = _measure(executor, workers, is_dask)
        self.known, self.looked = self.measure(), time.monotonic()

    def size(self) -> int:
        """Clusters grow and shrink in the middle of a run."""
        if time.monotonic() - self.looked > LOOK:
            self.known, self.looked = self.measure(), time.monotonic()
        return max(1, self.known)

    def begin(self, id: int, x: NDArray[np.float64]) -> None:
        future = self.executor.submit(self.objective, x, **self.keywords)
        self.futures[id] = future
        self.open.add(id)
        future.add_done_callback(lambda _: self.done.put(id))

    def next(self, timeout: float | None) -> list[Landed]:
        # Not for ever, so that a cluster that grows is seen.
        patience = LOOK if timeout is None else min(timeout, LOOK)
        landed: list[Landed] = []
        try:
            landed.append(self.land(self.done.get(timeout=max(0.0, patience))))
            while True:  # all that is there: the next points know of it
                landed.append(self.land(self.done.get_nowait()))
        except queue.Empty:
            return landed

    def land(self, id: int) -> Landed:
        self.open.discard(id)
        try:
            return id, self.futures.pop(id).result()
        except Exception as error:
            return id, error

    def close(self) -> None:
        for future in self.futures.values():
            future.cancel()
        self.futures.clear()


def _measure(executor: Any, workers: int | None, is_dask: bool) -> Callable[[], int]:
    """How many points an executor can evaluate at the same time."""
    if workers is not None:
        return lambda: workers
    if is_dask:
        return lambda: sum(executor.nthreads().values())
    for name in ("num_workers", "_max_workers", "workers"):
        if isinstance(getattr(executor, name, None), int):
            return lambda: int(getattr(executor, name))
    cores = os.cpu_count() or 1
    raise ValueError(
        f"how many evaluations {type(executor).__name__} runs at the same time is not known: give workers as well, for "
        f"example workers={cores}"
    )
