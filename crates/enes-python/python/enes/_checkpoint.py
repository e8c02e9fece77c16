"""Checkpoints on the disk: replaced whole or not at all, found in a run folder too."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from . import _enes

#: How every checkpoint begins.
MAGIC = b"enes-checkpoint"


def write(path: Path, checkpoint: bytes) -> None:
    """Put the checkpoint in place, durable, or leave what was there; a link stays one."""
    place = Path(os.path.realpath(path))
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        refuse_to_replace(place)
        with open(part, "wb") as file:
            file.write(checkpoint)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, place)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:  # of the file that was asked for: the other is nobody's business
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def refuse_to_replace(place: Path) -> None:
    """A file that is no checkpoint is someone's work, or a device: it is never replaced."""
    if not place.exists() or place.is_dir():  # a folder cannot be replaced by a file
        return
    if place.is_file():
        with open(place, "rb") as file:
            start = file.read(len(MAGIC))
        if MAGIC.startswith(start):  # one that is cut off, or empty, is nobody's
            return
    raise FileExistsError(f"{place} is not a checkpoint, and would be replaced: give a path of its own, or remove it")


def read(path: Path) -> bytes:
    """The bytes of a file that `write` made, or of the checkpoint in a run folder of the command line."""
    if path.is_dir():
        if not (path / "settings.json").is_file():
            raise ValueError(f"{path} is not the folder of a run: it has no settings.json")
        path = path / "checkpoint"
        if not path.is_file():
            raise ValueError(f"{path.parent} has no checkpoint yet: continue it with `enes resume {path.parent}`")
    return path.read_bytes()


def restore(path: Path) -> _enes.Core:
    """The search that a checkpoint holds; what is wrong with one is said with its path."""
    checkpoint = read(path)
    try:
        return _enes.Core.restore(checkpoint)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
