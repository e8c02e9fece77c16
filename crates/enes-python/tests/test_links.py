"""Every relative link in the repository's Markdown leads to a file that is tracked, and to a heading that exists."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)


def tracked() -> list[str]:
    """The files of the repository, those about to be committed included."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is not a clone: git does not say which files there are")
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them; a second one of the same name ends in -1."""
    found: set[str] = set()
    counts: dict[str, int] = {}
    for heading in HEADING.findall(FENCE.sub("", page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        count = counts.get(name, 0)
        counts[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def broken(name: str, page: str, files: set[str], read) -> list[str]:
    """What is wrong with the relative links of a page."""
    folders = {parent.as_posix() for file in files for parent in Path(file).parents}
    wrong = []
    for link in LINK.findall(CODE.sub("", FENCE.sub("", page))):
        if re.match(r"[a-z][a-z0-9+.-]*:|//", link):
            continue
        path, _, anchor = link.partition("#")
        target = Path(name) if not path else Path(name).parent / path
        place = Path(*normal(target.parts)).as_posix()
        if place not in files and place not in folders:
            wrong.append(f"{name}: {link} leads nowhere")
        elif anchor and place.endswith(".md") and anchor not in anchors(read(place)):
            wrong.append(f"{name}: {place} has no heading #{anchor}")
    return wrong


def normal(parts: tuple[str, ...]) -> list[str]:
    """Path components without `..`; what would leave the repository keeps them and is found nowhere."""
    kept: list[str] = []
    for part in parts:
        if part == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif part != ".":
            kept.append(part)
    return kept


def test_relative_links_lead_to_files_and_headings():
    files = set(tracked())

    def read(name: str) -> str:
        return (ROOT / name).read_text(encoding="utf-8")

    pages = sorted(name for name in files if name.endswith(".md"))
    assert "README.md" in pages and "docs/README.md" in pages
    wrong = [line for name in pages for line in broken(name, read(name), files, read)]
    assert wrong == [], "\n".join(wrong)


def test_every_page_of_the_documentation_hangs_from_its_index():
    """Following links from docs/README.md, within docs, reaches every page there."""
    pages = {name for name in tracked() if name.startswith("docs/") and name.endswith(".md")}
    reached, waiting = set(), ["docs/README.md"]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in pages:
            continue
        reached.add(name)
        links = LINK.findall((ROOT / name).read_text(encoding="utf-8"))
        targets = [Path(name).parent / link.partition("#")[0] for link in links if "://" not in link]
        waiting += [Path(*normal(target.parts)).as_posix() for target in targets if normal(target.parts)]
    assert pages - reached == set()


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("there.md", None),
        ("../docs/there.md#two-words", None),
        ("#here", None),
        ("there.md#two-words-1", None),
        ("https://example.org/gone", None),
        ("gone.md", "leads nowhere"),
        ("there.md#three-words", "no heading"),
        ("#gone", "no heading"),
        ("../../outside.md", "leads nowhere"),
    ],
)
def test_a_wrong_link_is_found(link, fault):
    pages = {"docs/page.md": f"# Here\n[x]({link})\n```\n[y](in-code.md)\n```\n`[z](code.md)`\n",
             "docs/there.md": "# There\n## `Two` words\n## Two words\n"}  # fmt: skip
    found = broken("docs/page.md", pages["docs/page.md"], set(pages), pages.__getitem__)
    assert len(found) == (fault is not None) and all(fault in line for line in found)


def test_every_page_of_the_documentation_is_in_the_contents_of_the_site():
    contents = (ROOT / "docs/site/index.md").read_text()
    listed = set(re.findall(r"^(?:.*<)?\.\./([\w./-]+?)>?$", contents, re.MULTILINE))
    pages = [name for name in tracked() if re.fullmatch(r"docs/(python/)?[^/]+\.md", name)]
    assert len(pages) > 15
    assert [name for name in pages if name.removeprefix("docs/").removesuffix(".md") not in listed] == []
