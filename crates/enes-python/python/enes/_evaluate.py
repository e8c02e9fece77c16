"""All points of a generation evaluated: here, on workers, on somebody's executor."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._objective import Answer, Evaluated, Guarded, Objective

OnError = Literal["raise", "rank_last", "stop"]
Evaluate = Callable[["Batch"], None]


class StoppedByError(Exception):
    """An evaluation failed and the policy is to stop; never leaves the package."""


class Batch:
    """The points of a generation, their values as they land, and the policy for those that fail."""

    def __init__(self, points: NDArray[np.float64], on_error: OnError, constraints: int = 0) -> None:
        self.points = points
        self.values = np.full(len(points), np.nan)
        #: One row for each point; None where no constraints are declared.
        self.constraints = np.full((len(points), constraints), np.nan) if constraints else None
        #: None until an evaluation reports a violation.
        self.violations: NDArray[np.float64] | None = None
        self.done = np.zeros(len(points), dtype=bool)
        self.on_error = on_error
        self.failed = 0
        self.error: Exception | None = None

    def put(self, i: int, answer: Answer) -> None:
        if isinstance(answer, Evaluated):
            self.values[i] = answer.value
            if self.constraints is not None:
                self.constraints[i] = answer.constraints
        elif isinstance(answer, tuple):
            if self.violations is None:
                self.violations = np.zeros(len(self.points))
            self.values[i], self.violations[i] = answer
        else:
            self.values[i] = answer
        self.done[i] = True

    def fail(self, i: int, error: Exception) -> None:
        """Apply the policy to a point that has no value."""
        self.error = error
        self.failed += 1
        if self.on_error == "raise":
            raise error
        self.done[i] = True
        if self.on_error == "stop":
            raise StoppedByError from error


def check_policy(on_error: str) -> None:
    if on_error not in ("raise", "rank_last", "stop"):
        raise ValueError(f"on_error must be 'raise', 'rank_last' or 'stop', got {on_error!r}")


def evaluator(
    objective: Objective, workers: int | Callable[..., Any], executor: Any, vectorized: bool
) -> tuple[Evaluate, Callable[[], None]]:
    """How to evaluate a batch, and what to call at the end."""
    parallel = executor is not None or callable(workers) or count(workers) != 1
    if vectorized and parallel:
        raise ValueError("vectorized=True hands all points to one call of fun: leave out workers and executor")
    if executor is not None:
        if callable(workers) or count(workers) != 1:
            raise ValueError("give workers or executor, not both")
        return Submitting(objective, executor), nothing
    if callable(workers):
        return Mapping(objective, workers), nothing
    if count(workers) != 1:
        pool = Processes(objective, count(workers))
        return pool, pool.close
    return (Rows(objective) if vectorized else Serial(objective)), nothing


def nothing() -> None:
    pass


def count(workers: Any) -> int:
    """Processes to start; -1 is one for each core that this process may use."""
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)):
        raise TypeError(f"workers must be a whole number or a map-like callable, got {workers!r}")
    if workers == -1:
        available = getattr(os, "sched_getaffinity", None)
        return len(available(0)) if available else os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"workers must be at least 1, or -1 for one per core, got {workers}")
    return int(workers)


class Serial:
    """One point after the other, in this thread."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective

    def __call__(self, batch: Batch) -> None:
        for i, x in enumerate(batch.points):
            try:
                value = self.objective(x)
            except Exception as error:
                batch.fail(i, error)
            else:
                batch.put(i, value)


class Rows:
    """All points by one call."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective

    def __call__(self, batch: Batch) -> None:
        if not len(batch.points):
            return
        try:
            batch.values, batch.violations, batch.constraints = self.objective.rows(batch.points)
            batch.done[:] = True
        except Exception as error:
            for i in range(len(batch.points)):
                batch.fail(i, error)


class Mapping:
    """A callable with the shape of `map`, as scipy's `workers`."""

    def __init__(self, objective: Objective, map_like: Callable[..., Iterable[Any]]) -> None:
        self.objective = objective
        self.map_like = map_like

    def __call__(self, batch: Batch) -> None:
        raising = batch.on_error == "raise"
        evaluate = self.objective if raising else Guarded(self.objective)
        landed = 0
        for i, value in enumerate(self.map_like(evaluate, list(batch.points))):
            landed += 1
            if isinstance(value, Exception):
                batch.fail(i, value)
            elif i < len(batch.points):
                batch.put(i, value)
        if landed != len(batch.points):
            raise ValueError(f"workers returned {landed} values for {len(batch.points)} points")


class Submitting:
    """An executor that belongs to somebody else: it is neither started nor stopped here."""

    def __init__(self, objective: Objective, executor: Any) -> None:
        if not hasattr(executor, "submit"):
            raise TypeError(
                f"executor must have the shape of concurrent.futures.Executor, or be a dask Client, got {executor!r}"
            )
        if isinstance(executor, ProcessPoolExecutor):
            check_picklable(objective)
        self.objective = objective
        self.executor = executor
        # Dask takes equal calls for the same call, and would not repeat it, unless told otherwise.
        is_dask = type(executor).__module__.partition(".")[0] == "distributed"
        self.keywords = {"pure": False} if is_dask else {}

    def submit(self, x: NDArray[np.float64]) -> Any:
        return self.executor.submit(self.objective, x, **self.keywords)

    def __call__(self, batch: Batch) -> None:
        futures: list[Any] = []
        try:
            for x in batch.points:
                futures.append(self.submit(x))
            for i, future in enumerate(futures):
                collect(batch, i, future)
        except BaseException:
            cancel(futures)
            raise


def collect(batch: Batch, i: int, future: Any) -> None:
    """Wait for one value. A broken executor is no failure of the point: it can evaluate nothing more."""
    try:
        value = future.result()
    except BrokenExecutor:
        raise
    except Exception as error:
        batch.fail(i, error)
    else:
        batch.put(i, value)


def cancel(futures: list[Any]) -> None:
    for future in futures:
        future.cancel()


def check_picklable(objective: Objective) -> bytes:
    try:
        return pickle.dumps(objective, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise TypeError(
            f"fun and args must be picklable to go to worker processes: {error}. Define fun at the top level of a "
            "module (no lambda, no local function), or evaluate in threads: "
            "executor=concurrent.futures.ThreadPoolExecutor()"
        ) from None


class Processes:
    """Our own worker processes: started with the first generation, replaced when one dies.

    When a worker is killed, the pool breaks and cannot tell whose point it was. What has no value yet
    is tried again in a new pool, and where that breaks too, one point at a time: a point that breaks
    a pool of its own has failed.
    """

    def __init__(self, objective: Objective, workers: int) -> None:
        self.payload = check_picklable(objective)
        self.workers = workers
        self.pool: ProcessPoolExecutor | None = None

    def __call__(self, batch: Batch) -> None:
        try:
            if self.attempt(batch, range(len(batch.points))):
                return
            missing = np.flatnonzero(~batch.done)
            if self.attempt(batch, missing):
                return
            for i in np.flatnonzero(~batch.done):
                if not self.attempt(batch, [int(i)]):
                    batch.fail(int(i), WorkerDied(f"a worker process died at the point {batch.points[i].tolist()}"))
        except BaseException:
            self.kill()
            raise

    def attempt(self, batch: Batch, points: Iterable[int]) -> bool:
        """Evaluate these points; False where the pool broke, with the values that had landed kept."""
        if self.pool is None:
            self.pool = self.new_pool(self.workers)
        futures: dict[int, Future[Answer]] = {}
        broken = False
        try:
            for i in points:
                futures[int(i)] = self.pool.submit(evaluate_here, batch.points[i])
        except BrokenExecutor:
            broken = True
        for i, future in futures.items():
            try:
                collect(batch, i, future)
            except BrokenExecutor:
                broken = True
        if broken:
            self.kill()
            self.check_start()
        return not broken

    def check_start(self) -> None:
        """Tell workers that cannot start from workers that die at a point."""
        with self.new_pool(1) as pool:
            try:
                pool.submit(os.getpid).result()
            except BrokenExecutor:
                raise RuntimeError(
                    "worker processes cannot start: where they are spawned, the main module must guard its work "
                    'with `if __name__ == "__main__":`, and fun must be importable from a module'
                ) from None

    def new_pool(self, workers: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(workers, initializer=start_worker, initargs=(self.payload,))

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)
            self.pool = None

    def kill(self) -> None:
        """End the workers at once, whatever they compute."""
        if self.pool is None:
            return
        for process in list((getattr(self.pool, "_processes", None) or {}).values()):
            process.kill()
        self.pool.shutdown(wait=True, cancel_futures=True)
        self.pool = None


class WorkerDied(RuntimeError):
    """A worker process ended in the middle of an evaluation."""


_here: Objective | None = None


def start_worker(payload: bytes) -> None:
    """Ctrl-C belongs to the parent, which ends its workers itself."""
    global _here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here = pickle.loads(payload)


def evaluate_here(x: NDArray[np.float64]) -> Answer:
    assert _here is not None, "invariant: start_worker has run"
    try:
        return _here(x)
    except Exception as error:
        if travels(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def travels(error: Exception) -> bool:
    """Whether an exception arrives as what it is in another process: one that cannot be unpickled breaks the pool there."""
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)
    except Exception:
        return False
