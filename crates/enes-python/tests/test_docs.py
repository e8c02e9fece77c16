"""The pages of docs/python do what they say: each is run as one script, and its output is compared.

A page becomes a script whose line numbers are those of the page:

- ```python is code of the script; where its first line is a comment with a file name, `# model.py`,
  it is that file instead, there from the beginning;
- ```sh is run by the shell at its place;
- ```text directly after either is what it prints, exactly;
- `<!-- needs NAME -->` leaves out the blocks up to the next heading where the module NAME is missing.

Other blocks are not run. Of the repository's own README only the python blocks are.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted((ROOT / "docs/python").glob("*.md"))
SECONDS = 120
MARK = "\x1e"
FENCE = re.compile(r"^```(\w*)\s*$")
FILE = re.compile(r"^# ([\w-]+\.py)$")
NEEDS = re.compile(r"^<!-- needs ([\w.]+) -->$")
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


@dataclass
class Block:
    """A fenced block: its language, the index of its first line in the page, its text."""

    language: str
    start: int
    lines: list[str]
    needs: str | None
    output: str | None = None


@dataclass
class Script:
    """A page ready to run."""

    text: str
    files: dict[str, str] = field(default_factory=dict)
    steps: list[Block] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, each with the output that the page shows for it."""
    found: list[Block] = []
    needs: str | None = None
    open_block: Block | None = None
    end_of_last = -1
    for number, line in enumerate(page.splitlines()):
        if open_block is not None:
            if line != "```":
                open_block.lines.append(line)
                continue
            if open_block.language == "text" and found and not gap(page, end_of_last, open_block.start - 1):
                found[-1].output = "\n".join(open_block.lines)
            elif open_block.language != "text":
                found.append(open_block)
            end_of_last = number
            open_block = None
        elif fence := FENCE.match(line):
            open_block = Block(fence[1], number + 1, [], needs)
        elif line.startswith("#"):
            needs = None
        elif need := NEEDS.match(line):
            needs = need[1]
    assert open_block is None, f"the block of line {open_block.start} is not closed"
    return found


def gap(page: str, after: int, before: int) -> bool:
    """Whether there are words between two lines."""
    return any(line.strip() for line in page.splitlines()[after + 1 : before])


def script(page: str, shell: bool = True) -> Script:
    """The page as a script; `shell`: whether ```sh blocks are part of it."""
    lines = [""] * (len(page.splitlines()) + 1)
    made = Script("")
    for block in blocks(page):
        if block.language != "python" and not (shell and block.language == "sh"):
            assert block.output is None, f"line {block.start}: output of a block that is not run"
            continue
        if block.needs is not None and missing(block.needs):
            made.left_out.add(block.needs)
            continue
        if block.language == "python" and (name := FILE.match(block.lines[0])):
            made.files[name[1]] = "\n".join(block.lines) + "\n"
            continue
        end = block.start + len(block.lines)
        if block.language == "python":
            lines[block.start : end] = block.lines
        else:
            command = ["sh", "-euc", "\n".join(block.lines)]
            lines[block.start] = guarded(f"__import__('subprocess').run({command!r}, check=True)")
        lines[end] = guarded(f"print({MARK!r}, flush=True)")
        made.steps.append(block)
    made.text = "\n".join(lines) + "\n"
    return made


def guarded(statement: str) -> str:
    """For the script alone: its worker processes import it again."""
    return f'if __name__ == "__main__": {statement}'


def missing(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is None
    except ModuleNotFoundError:
        return True


def environment(home: Path, command: str | None = None) -> dict[str, str]:
    """This interpreter and the command line first in the path. A home of its own: Ray writes a token there."""
    path = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    if command is not None:
        path.insert(1, str(Path(command).parent))
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "PATH": os.pathsep.join(path), "HOME": str(home), "MPLBACKEND": "agg"}


def run(made: Script, folder: Path, env: dict[str, str]) -> None:
    """Run the script in the folder and compare what it prints."""
    for name, text in made.files.items():
        (folder / name).write_text(text)
    (folder / "page.py").write_text(made.text)
    # A group of its own: on a timeout nothing that a page has started stays behind.
    process = subprocess.Popen(
        [sys.executable, "page.py"], cwd=folder, env=env, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"the page took more than {SECONDS} s\n{out[-2000:]}\n{err[-4000:]}")
    assert process.returncode == 0, f"line numbers are those of the page\n{err[-6000:]}"
    assert "EnesWarning" not in err, err[-2000:]
    printed = out.split(MARK + "\n")
    assert len(printed) == len(made.steps) + 1, out
    for block, text in zip(made.steps, printed, strict=False):
        if block.output is not None:
            assert text.strip("\n") == block.output, f"line {block.start}\n{err[-2000:]}"


def finish(made: Script) -> None:
    if made.left_out:
        pytest.skip(f"the rest ran; left out for want of {', '.join(sorted(made.left_out))}")


@pytest.mark.parametrize(
    "page",
    # Clusters take long to start.
    [pytest.param(page, marks=[pytest.mark.long] if page.stem == "distributed" else [], id=page.stem) for page in PAGES],
)
def test_a_page_does_what_it_says(page, tmp_path, command):
    made = script(page.read_text())
    run(made, tmp_path, environment(tmp_path, command))
    finish(made)


def test_the_python_of_the_readme_does_what_it_says(tmp_path):
    made = script((ROOT / "README.md").read_text(), shell=False)
    run(made, tmp_path, environment(tmp_path))
    finish(made)


def test_the_readme_of_the_package_leads_to_every_page():
    targets = set(LINK.findall((ROOT / "docs/python/README.md").read_text()))
    assert {page.name for page in PAGES} - {"README.md"} <= targets


PAGE = """
```python
# model.py
def model(x):
    return 2 * x
```

```python
from model import model
print(model(21))
```

```text
42
```

```sh
echo "$((6 * 7))"
```

```text
42
```
"""


def test_a_page_with_right_output_passes(tmp_path):
    run(script(PAGE), tmp_path, environment(tmp_path))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("2 * x", "3 * x"), ("6 * 7", "6 * 8"), ("print(model(21))", "raise ValueError"), ('echo "', 'exit 1; "')],
    ids=["output", "output of the shell", "exception", "exit code"],
)
def test_a_page_with_a_mistake_fails(tmp_path, right, wrong):
    made = script(PAGE.replace(right, wrong))
    with pytest.raises(AssertionError):
        run(made, tmp_path, environment(tmp_path))


def test_a_section_without_its_module_is_left_out_and_named():
    without = "# A\n<!-- needs no_such_module -->\n```python\nimport no_such_module\n```\n"
    made = script(without + "# B\n```python\nx = 1\n```\n")
    assert made.left_out == {"no_such_module"}
    assert "import no_such_module" not in made.text and "x = 1" in made.text
