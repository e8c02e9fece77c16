"""Evaluations as Ray tasks.

::

    import ray, enes
    from enes.integrations.ray import RayExecutor

    ray.init()
    result = enes.minimize(simulate, x0, 1.0, executor=RayExecutor(num_cpus=2))
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

__all__ = ["RayExecutor"]


class RayExecutor(Executor):
    """A `concurrent.futures.Executor` that starts each call as a Ray task.

    Parameters
    ----------
    **options
        Options of the task, as ``ray.remote`` takes them: ``num_cpus``, ``num_gpus``, ``max_retries``
        (how often a task is tried again when its worker dies; Ray's default is 3), ``resources``...
    """

    def __init__(self, **options: Any) -> None:
        import ray

        self._ray = ray
        if not ray.is_initialized():
            raise RuntimeError("Ray is not running here: call ray.init() first")
        self._needs = {"CPU": options.get("num_cpus", 1), "GPU": options.get("num_gpus", 0)}
        self._needs |= options.get("resources") or {}
        task = ray.remote(_call)
        self._task = task.options(**options) if options else task
        self._functions: dict[int, tuple[Any, Any]] = {}

    @property
    def num_workers(self) -> int:
        """How many tasks the cluster, as it is now, runs at the same time."""
        there = self._ray.cluster_resources()
        room = [there.get(name, 0.0) / need for name, need in self._needs.items() if need]
        return max(1, int(min(room))) if room else 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start ``fn(*args, **kwargs)``; the function goes to Ray's store once."""
        if id(fn) not in self._functions:
            # The function itself is kept too, so that its id stays its own.
            self._functions[id(fn)] = fn, self._ray.put(fn)
        reference = self._task.remote(self._functions[id(fn)][1], args, kwargs)
        future: Future[Any] = reference.future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Forget the functions; Ray itself keeps running."""
        self._functions.clear()


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)
