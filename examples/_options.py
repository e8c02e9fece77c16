"""The options that all examples have."""

import argparse
from pathlib import Path


def read(about):
    """`--quick` and `--out` from the command line; `about` is the documentation of the example."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny budget, for tests")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder of the picture")
    return parser.parse_args()
