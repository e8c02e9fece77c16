"""The installed package does its work: import, minimize, the command `enes`."""

import subprocess
import sysconfig
from pathlib import Path

import enes

result = enes.minimize(lambda x: float((x**2).sum()), [1.0, 2.0], 0.5, rng=1, ftarget=1e-9)
assert result.success, result

command = Path(sysconfig.get_path("scripts")) / "enes"
version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
assert version == f"enes {enes.__version__}\n", version
run = ["minimize", "--problem", "sphere", "--dim", "3", "--seed", "1", "--quiet"]
assert subprocess.run([command, *run], check=False).returncode == 0
assert subprocess.run([command, "minimize", "--no-such-flag"], capture_output=True, check=False).returncode == 2
print(f"{version.strip()}: {enes.__file__} and {command} work")
