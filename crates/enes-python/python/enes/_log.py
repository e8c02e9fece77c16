"""The logger `enes`: INFO when a run begins, restarts and ends; WARNING for a failed point; DEBUG each generation."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ._result import OptimizeResult, best_words

if TYPE_CHECKING:
    from . import _enes

LOGGER = logging.getLogger("enes")
# Silent unless the program asks for it: without this Python itself would print warnings.
LOGGER.addHandler(logging.NullHandler())


class Log:
    """What one run writes; costs nothing where nobody listens."""

    def __init__(self, core: _enes.Core) -> None:
        self.core = core
        self.restarts = len(core.restarts()) if LOGGER.isEnabledFor(logging.INFO) else 0

    def begin(self) -> None:
        core = self.core
        LOGGER.info(
            "the run begins: %s, %d dimensions, population %d, seed %d, %d evaluations so far",
            core.strategy, core.dimension, core.population, core.seed, core.evaluations,
        )  # fmt: skip

    def generation(self, failed: int, error: Exception | None) -> None:
        """After a generation in which so many points failed."""
        if failed:
            LOGGER.warning("%d of the points failed and rank last; the last one: %r", failed, error)
        if LOGGER.isEnabledFor(logging.INFO):
            ended = self.core.restarts()
            for row in ended[self.restarts :]:
                LOGGER.info(
                    "restart %d: the search ended after %d evaluations with %.6g: %s",
                    len(ended), row["evaluations"], row["fun"], row["message"],
                )  # fmt: skip
            self.restarts = len(ended)
        if LOGGER.isEnabledFor(logging.DEBUG):
            LOGGER.debug("%s", line(self.core))

    def end(self, result: OptimizeResult) -> None:
        LOGGER.info("the run ends after %d evaluations with %.6g: %s", result.nfev, result.fun, result.message)


def line(core: _enes.Core) -> str:
    """The state of a run in a line."""
    best, stds = core.best(), core.stds
    model = core.model()
    fit = f"mode {model['mode']} (fits {model['response']}, E {model['error']:.3f}), " if model else ""
    value = best_words(best, ".6e")
    return (
        f"generation {core.generation}, {core.evaluations} evaluations, best {value}, "
        f"{fit}stds {stds.min():.1e} to {stds.max():.1e}, {core.seconds:.1f} s"
    )
