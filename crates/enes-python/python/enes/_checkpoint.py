"""Checkpoints on the disk: replaced whole or not at all, found in a run folder too."""

from __future__ import annotations

import os
from pathlib import Path


def write(path: Path, checkpoint: bytes) -> None:
    """Put the checkpoint in place, durable, or leave what was there."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.write(checkpoint)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read(path: Path) -> bytes:
    """The bytes of a file that `write` made, or of the checkpoint in a run folder of the command line."""
    if path.is_dir():
        if not (path / "settings.json").is_file():
            raise ValueError(f"{path} is not the folder of a run: it has no settings.json")
        path = path / "checkpoint"
        if not path.is_file():
            raise ValueError(f"{path.parent} has no checkpoint yet: continue it with `enes resume {path.parent}`")
    return path.read_bytes()
