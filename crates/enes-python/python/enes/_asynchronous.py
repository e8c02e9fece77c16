"""Ask and tell one point at a time: no worker waits for another."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ._crew import Crew
from ._evaluate import OnError
from ._objective import Evaluated
from ._loop import Loop, Reason, describe
from ._result import OptimizeResult

if TYPE_CHECKING:
    from ._optimizer import Optimizer
    from ._progress import Progress


class AsynchronousLoop(Loop):
    """One run in which every free worker gets a point at once."""

    def __init__(
        self,
        es: Optimizer,
        crew: Crew,
        notify: Callable[[OptimizeResult], bool] | None,
        on_error: OnError,
        progress: Progress,
        checkpoint: Any,
    ) -> None:
        super().__init__(es, lambda _: None, notify, on_error, progress, checkpoint)
        self.crew = crew
        #: What came back, in its order: the id, and how many points had been asked for.
        self.order: list[tuple[int, int]] = []
        #: Failures that the log has not seen.
        self.unseen = 0

    def generation(self) -> Reason | OptimizeResult | None:
        """From one update to the next; the reason to stop, or the result, where the loop has one."""
        while self.core.stop_reason() is None:
            self.fill()
            if not self.crew.open:
                break  # the budget is spent
            limit = self.core.timeout
            left = None if limit is None else max(0.0, limit - (time.monotonic() - self.start))
            for id, answer in self.crew.next(left):
                reason = self.land(id, answer)
                if reason is not None:
                    return reason
            if left is not None and left <= 0.0:
                return self.after_generation()
        return None

    def fill(self) -> None:
        """Give every free worker a point: first those in flight that nobody evaluates, of a run that was left."""
        waiting = [(id, x) for id, x in self.core.in_flight() if id not in self.crew.open]
        while len(self.crew.open) < self.crew.size():
            points = [waiting.pop(0)] if waiting else self.core.ask_n(1)
            if not points:
                return
            self.crew.begin(*points[0])

    def land(self, id: int, answer: Any) -> Reason | OptimizeResult | None:
        """Tell what came back; where a generation is complete, what follows one."""
        violation = constraints = None
        if isinstance(answer, BrokenExecutor):
            raise answer  # it can evaluate nothing more
        if isinstance(answer, BaseException):
            self.failed += 1
            self.error = answer if isinstance(answer, Exception) else None
            if self.on_error == "raise":
                raise answer
            if self.on_error == "stop":
                return self.result(("error", 1.0, f"the objective failed: {describe(answer)}"))
            answer = np.nan
            self.unseen += 1
            constraints = np.full(sum(self.core.declared), np.nan) if sum(self.core.declared) else None
        elif isinstance(answer, Evaluated):
            answer, constraints = answer
        elif isinstance(answer, tuple):
            answer, violation = answer
        self.order.append((id, self.core.asked))
        complete = self.core.tell_one(id, answer, violation, constraints)
        self.progress.show()
        if not complete:
            return None
        self.log.generation(self.unseen, self.error)
        self.unseen = 0
        return self.after_generation()

    def result(self, reason: Reason | None, with_history: bool = True) -> OptimizeResult:
        result = super().result(reason, with_history)
        if with_history:
            result.order = np.array(self.order, dtype=np.int64).reshape(-1, 2)
        return result
