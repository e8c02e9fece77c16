"""What `disp` shows: a bar where tqdm is installed, else a line every second on standard error; or a live plot."""

from __future__ import annotations

import base64
import sys
import time
import warnings
from abc import ABC, abstractmethod
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from ._log import line
from ._result import best_words
from ._warnings import EnesWarning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ._optimizer import Optimizer
    from ._types import Disp

# A picture is drawn at most this often, in seconds, and takes at most a tenth of the time.
PICTURE_SECONDS, SHARE = 1.0, 0.1


class Display(Protocol):
    """Shows the state of a run when told to."""

    def show(self, last: bool) -> None: ...
    def close(self) -> None: ...


class Lines:
    """A line every second."""

    def __init__(self, es: Optimizer) -> None:
        self.es = es
        self.shown = 0.0

    def show(self, last: bool) -> None:
        now = time.monotonic()
        if last or now - self.shown >= 1.0:
            self.shown = now
            print(f"enes: {line(self.es._core)}", file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class Bar:
    """tqdm's bar, which knows notebooks and terminals."""

    def __init__(self, es: Optimizer, tqdm: Any) -> None:
        self.es = es
        core = es._core
        self.bar = tqdm(total=core.maxfevals, initial=core.evaluations, unit="eval", desc="enes")

    def show(self, last: bool) -> None:
        core = self.es._core
        self.bar.update(core.evaluations - self.bar.n)
        best = core.best()
        if best is not None:
            self.bar.set_postfix(best=best_words(best, ".6g"), refresh=False)

    def close(self) -> None:
        self.bar.close()


class Picture(ABC):
    """The figure of `enes.plot`, drawn again while the run goes on."""

    figure: Figure

    def __init__(self, es: Optimizer) -> None:
        self.es = es
        self.next = 0.0

    def show(self, last: bool) -> None:
        begin = time.monotonic()
        if (begin < self.next and not last) or self.es.generation == 0:
            return
        from ._plot import plot

        self.figure.clear()
        plot(self.es, figure=self.figure)
        self.present()
        now = time.monotonic()
        self.next = now + max(PICTURE_SECONDS, (now - begin) / SHARE)

    @abstractmethod
    def present(self) -> None:
        """Put the figure where the user sees it."""

    def close(self) -> None:
        pass


class Cell(Picture):
    """In a notebook: one picture in the cell's output, replaced by the next."""

    def __init__(self, es: Optimizer, display: Any) -> None:
        from matplotlib.figure import Figure

        super().__init__(es)
        self.display = display
        self.handle: Any = None
        # Not pyplot's: that one would be shown a second time when the cell ends.
        self.figure = Figure(figsize=(10.5, 7))

    def present(self) -> None:
        from io import BytesIO

        file = BytesIO()
        self.figure.savefig(file, format="png", dpi=80)
        data = {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": self.figure.get_suptitle()}
        if self.handle is None:
            self.handle = self.display(data, raw=True, display_id=True)
        else:
            self.handle.update(data, raw=True)


class Window(Picture):
    """A window of matplotlib's, which stays when the run has ended."""

    def __init__(self, es: Optimizer) -> None:
        import matplotlib.pyplot as plt

        super().__init__(es)
        self.plt = plt
        self.figure = plt.figure(figsize=(10.5, 7))

    def present(self) -> None:
        self.figure.show()
        self.plt.pause(1e-3)


class Progress:
    """Shows evaluations and the best value while a run is in progress."""

    def __init__(self, es: Optimizer, disp: Disp) -> None:
        if not isinstance(disp, (bool, int)) and disp != "plot":
            raise ValueError(f"disp must be True, False or 'plot', got {disp!r}")
        self.es = es
        self.disp = disp
        self.display: Display | None = None

    def __enter__(self) -> Progress:
        if self.disp == "plot":
            self.display = picture(self.es)
        elif self.disp:
            self.display = words(self.es)
        return self

    def show(self, last: bool = False) -> None:
        if self.display is not None:
            self.display.show(last)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.display is not None:
            self.display.show(last=True)
            self.display.close()


def words(es: Optimizer) -> Display:
    """A bar where there is one, else lines."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Lines(es)
    return Bar(es, tqdm)


def picture(es: Optimizer) -> Display:
    """A live plot where one can be seen, else words and a warning with the reason."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(f"disp='plot' needs matplotlib ({error}): pip install \"enes-opt[plot]\", or disp=True") from error
    notebook = notebook_display()
    if notebook is None and matplotlib.get_backend().lower() not in {name.lower() for name in windows()}:
        warnings.warn(
            f"disp='plot' shows nothing here: this is no notebook, and matplotlib's backend {matplotlib.get_backend()} "
            "has no windows; disp=True is used instead. matplotlib.use('TkAgg') or 'QtAgg' opens windows",
            EnesWarning,
            stacklevel=5,
        )
        return words(es)
    return Window(es) if notebook is None else Cell(es, notebook)


def windows() -> list[str]:
    """The backends of matplotlib that open windows."""
    from matplotlib.backends.registry import BackendFilter, backend_registry

    return list(backend_registry.list_builtin(BackendFilter.INTERACTIVE))


def notebook_display() -> Any:
    """IPython's `display`, where a notebook's kernel runs this."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return shell.display.display if shell is not None and hasattr(running, "kernel") else None
