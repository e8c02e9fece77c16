"""The package's own warning."""

from __future__ import annotations

import sys
import warnings


class EnesWarning(UserWarning):
    """Something was asked for that will have no effect, or needs a look."""


def warn_user(sentence: str) -> None:
    """Warn of the line outside the package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, EnesWarning, stacklevel=level)
