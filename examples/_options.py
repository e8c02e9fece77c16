"""What all examples share: their options, and how their pictures are kept."""

import argparse
from io import BytesIO
from pathlib import Path

from PIL import Image


def read(about):
    """`--quick` and `--out` from the command line; `about` is the documentation of the example."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny budget, for tests")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder of the picture")
    return parser.parse_args()


def save(figure, file, dpi):
    """A PNG with 128 colours of its own: it looks the same and takes a third of the space."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=dpi)
    picture = Image.open(drawn).convert("RGB")
    picture.quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, optimize=True)
