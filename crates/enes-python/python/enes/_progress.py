"""A progress bar where tqdm is installed, else a line every second, on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._result import best_words

if TYPE_CHECKING:
    from ._optimizer import Optimizer


class Progress:
    """Shows evaluations and the best value while a run is in progress."""

    def __init__(self, es: Optimizer, on: bool) -> None:
        self.es = es
        self.on = on
        self.bar: Any = None
        self.shown = 0.0

    def __enter__(self) -> Progress:
        if self.on:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                pass
            else:
                core = self.es._core
                self.bar = tqdm(total=core.maxfevals, initial=core.evaluations, unit="eval", desc="enes")
        return self

    def show(self, last: bool = False) -> None:
        if not self.on:
            return
        core = self.es._core
        if self.bar is not None:
            self.bar.update(core.evaluations - self.bar.n)
            best = core.best()
            if best is not None:
                self.bar.set_postfix(best=best_words(best, ".6g"), refresh=False)
            return
        now = time.monotonic()
        if last or now - self.shown >= 1.0:
            self.shown = now
            print(self.line(), file=sys.stderr, flush=True)

    def line(self) -> str:
        core = self.es._core
        best, stds = core.best(), core.stds
        model = core.model()
        fit = f"mode {model['mode']} (fits {model['response']}, E {model['error']:.3f}), " if model else ""
        value = best_words(best, ".6e")
        return (
            f"enes: generation {core.generation}, {core.evaluations} evaluations, best {value}, "
            f"{fit}stds {stds.min():.1e} to {stds.max():.1e}, {core.seconds:.1f} s"
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.show(last=True)
        if self.bar is not None:
            self.bar.close()
