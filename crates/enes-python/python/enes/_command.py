"""The console script ``enes``: the command-line tool, run inside the interpreter."""

from __future__ import annotations

import signal
import sys

from ._enes import run_command


def main() -> int:
    """Run the command with the arguments of this process and return its exit code."""
    # Python's own handler would only set a flag: Ctrl-C is the command's business, as in the binary.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["enes", *sys.argv[1:]])
