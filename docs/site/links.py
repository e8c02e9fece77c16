"""Every link within a built site leads to a file that is there, and to a place in it: `links.py SITE`.

Pages are read as a browser reads them, rustdoc's included. Addresses elsewhere are counted and not followed: the check
needs no network.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Written by a script when the page is open.
BY_SCRIPT = {"settings.html", "help.html"}


class Page(HTMLParser):
    """What a page links to, and the places that can be linked to."""

    def __init__(self):
        super().__init__()
        self.links, self.places = [], set()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.update(given[key] for key in ("id", "name") if given.get(key))
        for key in ("href", "src"):
            if given.get(key):
                self.links.append(given[key])


@cache
def read(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8", errors="replace"))
    return page


def broken(site: Path):
    """What is wrong, and how many links were looked at, and how many lead elsewhere."""
    wrong, inside, outside = [], 0, 0
    for file in sorted(site.rglob("*.html")):
        for link in read(file).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                outside += 1
                continue
            inside += 1
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if target.is_dir():
                target /= "index.html"
            name = file.relative_to(site)
            if name.parts[0] == "rust" and not target.suffix:
                continue  # words of another crate about a trait that all types have
            if not target.exists():
                wrong.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target.suffix == ".html" and target.name not in BY_SCRIPT:
                place = parts.fragment
                # rustdoc writes some names of places as they are in an address; the lines of a source are a script's.
                known = {place, unquote(place)} & read(target).places
                if not known and "/src/" not in target.as_posix():
                    wrong.append(f"{name}: {target.relative_to(site)} has no place #{place}")
    return wrong, inside, outside


def main() -> int:
    site = Path(sys.argv[1]).resolve()
    wrong, inside, outside = broken(site)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{inside} links within the site, {len(wrong)} of them broken; {outside} lead elsewhere and were not followed")
    return 1 if wrong or inside == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
