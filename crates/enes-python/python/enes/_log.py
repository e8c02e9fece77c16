"""The logger `enes`: INFO when a run begins, restarts and ends; WARNING for the first failed point, the tenth, the
hundredth and so on; DEBUG each generation with its failures."""

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
        #: Points that have failed, and how many when the next warning is due.
        self.failed, self.warned_at = 0, 1

    def begin(self) -> None:
        core = self.core
        LOGGER.info(
            "the run begins: %s, %d dimensions, population %d, seed %d, %d evaluations so far",
            core.strategy, core.dimension, core.population, core.seed, core.evaluations,
        )  # fmt: skip

    def generation(self, failed: int, error: Exception | None) -> None:
        """After a generation in which so many points failed."""
        self.failures(failed, error)
        if LOGGER.isEnabledFor(logging.INFO):
            ended = self.core.restarts()
            for row in ended[self.restarts :]:
                LOGGER.info(
                    "restart %d: the search ended after %d evaluations with %.6g: %s",
                    len(ended), row["evaluations"], row["fun"], row["message"],
                )  # fmt: skip
            self.restarts = len(ended)
        if LOGGER.isEnabledFor(logging.DEBUG):
            said = f"; {failed} points failed, the last one: {error!r}" if failed else ""
            LOGGER.debug("%s%s", line(self.core), said)

    def failures(self, failed: int, error: Exception | None) -> None:
        """Warn of the first, and then at powers of ten: the same sentence for each would hide everything else."""
        self.failed += failed
        if self.failed >= self.warned_at:
            self.warned_at = 10 ** len(str(self.failed))
            ending = " failed and ranks" if self.failed == 1 else "s failed and rank"
            LOGGER.warning(
                "%d point%s last; the last one: %r; the next warning comes at %d",
                self.failed, ending, error, self.warned_at,
            )  # fmt: skip

    def end(self, result: OptimizeResult) -> None:
        failed = f"; {result.nfailed} evaluations failed" if result.get("nfailed") else ""
        LOGGER.info("the run ends after %d evaluations with %.6g: %s%s", result.nfev, result.fun, result.message, failed)


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
