"""The package's own warning."""

from __future__ import annotations


class EnesWarning(UserWarning):
    """Something was asked for that will have no effect, or needs a look."""
