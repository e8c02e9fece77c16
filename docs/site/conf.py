"""The documentation as a site: `cargo xtask docs` builds it from the Markdown of the repository.

The pages are those that the repository shows, where they are; nothing is written twice. What Sphinx adds is navigation,
search, the Python reference from docstrings, and the rustdoc of the crates beside it.
"""

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]

project = "enes"
author = "The enes developers"
project_copyright = "The enes developers"
version = release = metadata.version("enes-opt")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/site/index"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/*/*.md",
    "examples/*.md",
    "benchmarks/README.md",
    "benchmarks/*/README.md",
    "benchmarks/bounded/table.md",
    "benchmarks/boxes/boxes.md",
    "benchmarks/constrained/constrained.md",
    "benchmarks/constrained/random.md",
    "benchmarks/constrained/variants.md",
    "benchmarks/integers/integers.md",
    "benchmarks/results/*.md",
    "crates/enes-argmin/*.md",
    "crates/enes-c/*.md",
]
exclude_patterns = [".*", "target", "crates/*/src", "crates/*/tests", "fuzz", "runs"]

myst_heading_anchors = 6
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_use_rtype = False
napoleon_use_ivar = True
# `name` in a docstring is code.
default_role = "code"

html_theme = "furo"
html_title = f"enes {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False

LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")

HEADING = re.compile(r"^(#+ .*)\[([^\]]+)\]\(([^)]+)\)$", re.MULTILINE)


def to_pages(app, name, text):
    """A link to a folder leads to the page that describes it; one with none becomes plain text."""
    place = Path(app.env.doc2path(name)).parent

    def page(match):
        target = (place / match[2]).resolve()
        if target.is_dir():
            readme = target / "README.md"
            return f"{match[1]}{match[2].rstrip('/')}/README.md{match[3]}" if readme.exists() else match[0]
        return match[0]

    text[0] = without_bare_folders(LINK.sub(page, text[0]), place)
    # Sphinx has no place for a link in its list of headings: it follows the heading.
    text[0] = HEADING.sub(r"\1\2\n\n[\2](\3)\n", text[0])
    if not re.search("^# ", text[0], re.MULTILINE):
        # A table that a command has written.
        text[0] = f"# {Path(name).name.replace('-', ' ').capitalize()}\n\n{text[0]}"


def without_bare_folders(text, place):
    """`[word](folder)` without a page for the folder is the word alone."""
    whole = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)\)")

    def word(match):
        return match[1] if (place / match[2]).is_dir() else match[0]

    return whole.sub(word, text)


def setup(app):
    app.connect("source-read", to_pages)
    return {"parallel_read_safe": True}
