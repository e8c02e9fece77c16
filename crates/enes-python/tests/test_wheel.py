"""The built wheel, which ENES_WHEEL names: `cargo xtask python` builds one, `cargo xtask release` the one to publish."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

SMOKE = """
import sys, enes
result = enes.minimize(lambda x: float((x**2).sum()), [1.0, 2.0], 0.5, rng=1, ftarget=1e-9)
assert result.success, result
es = enes.Optimizer([1.0, 2.0], 0.5, rng=1)
es.tell((es.ask() ** 2).sum(axis=1))
assert enes.problems.get("sphere", 3)([0.0, 0.0, 0.0]) >= 0
try:
    enes.plot(result)
except ImportError as error:
    print(error)
print(enes.__version__, enes.__file__)
"""


@pytest.fixture(scope="module")
def wheel():
    named = os.environ.get("ENES_WHEEL")
    if not named:
        pytest.fail("ENES_WHEEL names no wheel: `cargo xtask python` builds one")
    return Path(named)


def test_the_wheel_is_small_and_serves_every_python_from_3_10_on(wheel):
    assert "cp310-abi3" in wheel.name
    assert wheel.stat().st_size < 5_000_000
    names = zipfile.ZipFile(wheel).namelist()
    assert {"enes/py.typed", "enes/_enes.pyi", "enes/__init__.py"} <= set(names)
    scripts = next(name for name in names if name.endswith("entry_points.txt"))
    assert "enes=enes._command:main" in zipfile.ZipFile(wheel).read(scripts).decode().replace(" ", "")
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
    metadata = next(name for name in names if name.endswith("METADATA"))
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    assert "Name: enes-opt\n" in text and "Requires-Python: >=3.10\n" in text
    required = [line for line in text.splitlines() if line.startswith("Requires-Dist") and "extra" not in line]
    assert len(required) == 1 and "numpy" in required[0]


@pytest.mark.long
def test_the_wheel_works_in_a_clean_environment(wheel, tmp_path):
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", wheel], check=True, timeout=300)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    out = subprocess.run([python, "-c", SMOKE], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert out.returncode == 0, out.stderr
    assert "enes.plot needs matplotlib" in out.stdout
    assert str(tmp_path / "clean") in out.stdout and sys.prefix not in out.stdout
