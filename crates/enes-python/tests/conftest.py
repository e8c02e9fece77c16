"""What several tests use: objectives that worker processes can import, the command line's binary."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

# A shell starts background jobs deaf to Ctrl-C, and programs inherit that: the tests of Ctrl-C need ears.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

# Objectives live in a module that worker processes can import, also when they are spawned.
sys.path.insert(0, str(HERE))
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session")
def command() -> str:
    """The command-line tool; `cargo xtask test` has built it."""
    named = os.environ.get("ENES_BINARY")
    for candidate in [named, str(ROOT / "target/debug/enes"), str(ROOT / "target/release/enes")]:
        if candidate and (found := shutil.which(candidate)):
            return found
    pytest.fail("the command `enes` is not built: run `cargo build` first, or set ENES_BINARY")
