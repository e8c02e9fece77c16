"""Ask, evaluate, tell, until there is a reason to stop. Clock, callbacks and failures live here."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ._evaluate import Batch, Evaluate, OnError, StoppedByError, check_policy, evaluator
from ._log import Log
from ._objective import Objective
from ._progress import Progress
from ._result import OptimizeResult, summary

if TYPE_CHECKING:
    from ._optimizer import Optimizer
    from ._types import Disp

Callback = Callable[..., Any]
Reason = tuple[str, float, str]

CHECKPOINT_SECONDS = 10.0


def run(
    es: Optimizer,
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    callback: Callback | None,
    workers: int | Callable[..., Any],
    executor: Any,
    vectorized: bool,
    on_error: OnError,
    disp: Disp,
    checkpoint: str | os.PathLike[str] | None,
    asynchronous: bool = False,
    constraints: Any = None,
) -> OptimizeResult:
    """The arguments of `enes.minimize`, checked; then the loop."""
    check_policy(on_error)
    notify = notifier(callback)
    if constraints is not None:
        fun = with_constraints(es, fun, constraints, vectorized)
    objective = Objective(fun, args, es._core.declared)
    make, close = (asynchronous_loop if asynchronous else loop)(es, objective, workers, executor, vectorized)
    with Progress(es, disp) as progress:
        try:
            result: OptimizeResult = make(notify, on_error, progress, checkpoint).run()
            return result
        finally:
            close()


def with_constraints(es: Optimizer, fun: Callable[..., Any], given: Any, vectorized: bool) -> Callable[..., Any]:
    """`fun` with scipy's constraints beside it, which must be those that the optimizer was made for."""
    from ._constraints import Constrained, Constraints

    constraints = given if isinstance(given, Constraints) else Constraints(given, lambda: es._core.mean)
    got, expected = (len(constraints.inequalities), len(constraints.equalities)), es._core.declared
    if got != expected:
        raise ValueError(
            f"constraints have {got[0]} inequalities and {got[1]} equalities, the optimizer was made for {expected[0]} and "
            f"{expected[1]}: give those of the run, or make it with enes.minimize(..., constraints=...)"
        )
    return Constrained(fun, constraints, vectorized) if constraints.parts else fun


#: What is left to give: callback, policy, display and checkpoint; and what to call in the end.
Made = tuple[Callable[..., Any], Callable[[], None]]


def loop(
    es: Optimizer, objective: Objective, workers: int | Callable[..., Any], executor: Any, vectorized: bool
) -> Made:
    """Generation after generation."""
    evaluate, close = evaluator(objective, workers, executor, vectorized)
    return partial(Loop, es, evaluate), close


def asynchronous_loop(
    es: Optimizer, objective: Objective, workers: int | Callable[..., Any], executor: Any, vectorized: bool
) -> Made:
    """The same without generations that wait for their slowest point."""
    from ._asynchronous import AsynchronousLoop
    from ._crew import crew

    if vectorized:
        raise ValueError("vectorized=True hands whole generations to one call of fun: leave out asynchronous")
    if es._core.strategy == "published":
        raise ValueError(
            "asynchronous=True needs the adaptive strategy: importance mixing of the published one needs whole "
            "generations; leave out asynchronous, or strategy"
        )
    team = crew(objective, workers, executor)
    return partial(AsynchronousLoop, es, team), team.close


class Loop:
    """One run."""

    def __init__(
        self,
        es: Optimizer,
        evaluate: Evaluate,
        notify: Callable[[OptimizeResult], bool] | None,
        on_error: OnError,
        progress: Progress,
        checkpoint: str | os.PathLike[str] | None,
    ) -> None:
        self.es = es
        self.core = es._core
        self.evaluate = evaluate
        self.notify = notify
        self.on_error = on_error
        self.progress = progress
        self.checkpoint = checkpoint
        self.start = time.monotonic()
        self.saved = self.start
        self.failed = 0
        self.error: Exception | None = None
        self.log = Log(self.core)

    def run(self) -> OptimizeResult:
        self.log.begin()
        result = self.until_stopped()
        self.log.end(result)
        return result

    def until_stopped(self) -> OptimizeResult:
        reason: Reason | OptimizeResult | None = None
        self.save()
        while reason is None and self.core.stop_reason() is None:
            try:
                reason = self.generation()
            except BaseException as error:
                # From fun, from a callback, from the function that gives the starts, or by Ctrl-C anywhere.
                result = getattr(error, "enes_result", None)
                if result is None:
                    result = self.result(left_by(error))
                    leave(error, result)
                self.log.end(result)
                self.save()
                raise
        self.save()
        return reason if isinstance(reason, OptimizeResult) else self.result(reason)

    def generation(self) -> Reason | OptimizeResult | None:
        """One generation; the reason to stop, or the result, where the loop has one."""
        points = self.core.ask()
        limit = self.core.maxfevals
        left = len(points) if limit is None else min(len(points), limit - self.core.evaluations)
        batch = Batch(points[:left] if left < len(points) else points, self.on_error, sum(self.core.declared))
        try:
            self.evaluate(batch)
        except StoppedByError as stopped:
            return self.partial(batch, ("error", 1.0, f"the objective failed: {describe(stopped.__cause__)}"))
        except BaseException as error:
            leave(error, self.partial(batch, left_by(error)))
            raise
        self.note(batch)
        if left < len(points):
            self.core.tell_and_stop(batch.values, batch.violations, batch.constraints, limit)
        else:
            self.core.tell(batch.values, batch.violations, batch.constraints)
        self.log.generation(batch.failed, batch.error)
        self.progress.show()
        return self.after_generation()

    def after_generation(self) -> Reason | None:
        now = time.monotonic()
        if self.checkpoint is not None and now - self.saved >= CHECKPOINT_SECONDS:
            self.save()
        if self.notify is not None and self.notify(self.result(None, with_history=False)):
            n = self.core.generation
            return "callback", float(n), f"the callback asked to stop at generation {n}"
        limit = self.core.timeout
        if limit is not None and now - self.start >= limit:
            return "timeout", limit, f"the time is up: {now - self.start:.1f} of {limit:g} seconds"
        return None

    def note(self, batch: Batch) -> None:
        self.failed += batch.failed
        self.error = batch.error or self.error

    def partial(self, batch: Batch, reason: Reason) -> OptimizeResult:
        """What was found when a generation was left; the optimizer itself stays where the generation
        began, so that it can go on as if nothing had happened."""
        self.note(batch)
        core = self.core.copy()
        if batch.done.any():
            end = 1 + int(np.flatnonzero(batch.done)[-1])
            violations, constraints = (
                None if part is None else part[:end] for part in (batch.violations, batch.constraints)
            )
            core.tell_and_stop(batch.values[:end], violations, constraints)
        result = summary(core, reason)
        result.nfev = self.core.evaluations + int(batch.done.sum())
        result.nfailed, result.error = self.failed, self.error
        return result

    def save(self) -> None:
        if self.checkpoint is not None:
            self.es.save(self.checkpoint)
            self.saved = time.monotonic()

    def result(self, reason: Reason | None, with_history: bool = True) -> OptimizeResult:
        result = summary(self.core, reason, with_history)
        result.nfailed, result.error = self.failed, self.error
        if "nofinitevalue" in result.stop and self.error is not None:
            result.message += f"; the last failure: {describe(self.error)}"
        return result


def describe(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def left_by(error: BaseException) -> Reason:
    name = "interrupt" if isinstance(error, KeyboardInterrupt) else "error"
    return name, 1.0, f"the run was left by {describe(error)}"


def leave(error: BaseException, result: OptimizeResult) -> None:
    """The result goes with the exception."""
    try:
        error.enes_result = result  # type: ignore[attr-defined]
    except AttributeError:  # an exception with slots
        pass


def notifier(callback: Callback | None) -> Callable[[OptimizeResult], bool] | None:
    """scipy's rules: a callback whose only parameter is `intermediate_result` gets the result by
    keyword, any other the point; StopIteration or True stops."""
    if callback is None:
        return None
    if not callable(callback):
        raise TypeError(f"callback must be callable, got {callback!r}")
    try:
        by_keyword = set(inspect.signature(callback).parameters) == {"intermediate_result"}
    except (TypeError, ValueError):
        by_keyword = False

    def notify(result: OptimizeResult) -> bool:
        try:
            answer = callback(intermediate_result=result) if by_keyword else callback(result.x)
        except StopIteration:
            return True
        return isinstance(answer, (bool, np.bool_)) and bool(answer)

    return notify
