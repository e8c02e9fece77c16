"""The environment of the Python peers, made once in benchmarks/.venv, and what all measurements state."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "benchmarks" / ".venv"
# Pinned: another version is another peer.
REQUIREMENTS = ["cma==4.5.0", "cmaes==0.13.1", "pypop7==0.0.82", "numpy==2.4.6", "scipy==1.17.1"]
ONE_THREAD = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"], "1")


def python(named=None):
    """The Python of the peers: one that is named, or our own, in which the peers are installed."""
    if named:
        return named
    path = VENV / "bin" / "python"
    if not path.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    installed = subprocess.run([str(path), "-m", "pip", "freeze"], capture_output=True, text=True).stdout.split()
    missing = [r for r in REQUIREMENTS if r not in installed]
    if missing:
        print("installing", ", ".join(missing), "into benchmarks/.venv", file=sys.stderr)
        subprocess.run([str(path), "-m", "pip", "install", "--quiet", *missing], check=True)
    return str(path)


def binary(name):
    """A program of the crate enes-benchmarks, built for release."""
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "enes-benchmarks", "--bin", name], cwd=ROOT, check=True)
    return str(ROOT / "target" / "release" / name)


def machine():
    cpu = next((line.split(": ")[1] for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    return {"processor": cpu.strip(), "cores": os.cpu_count(), "system": platform.system(), "load": os.getloadavg()[0]}


def commit():
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


class Worker:
    """A process that answers one JSON line with another; its first line states its versions."""

    def __init__(self, command, cpu=None):
        pin = (lambda: os.sched_setaffinity(0, {cpu})) if cpu is not None else None
        environment = {**os.environ, **ONE_THREAD}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment, preexec_fn=pin
        )
        self.versions = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a worker died: {self.process.args}")
        return json.loads(line)

    def ask(self, **job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer = self.read()
        if "error" in answer:
            raise RuntimeError(f"{job}: {answer['error']}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()
