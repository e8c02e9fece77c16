"""The Python side of evaluations.py: one run of a peer for each JSON line on stdin, one JSON line back.

Functions, counting and the check of values are those of `cargo reproduce adaptive`: its peer.py is loaded, not copied.
"""

import importlib.util
import json
import sys
import time
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
import cma  # noqa: E402
import cmaes  # noqa: E402
import numpy as np  # noqa: E402

PEER = Path(__file__).resolve().parents[2] / "crates" / "enes-experiments" / "src" / "peer.py"
spec = importlib.util.spec_from_file_location("peer", PEER)
peer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peer)


# What `cargo reproduce` does to a function; here nothing.
NEUTRAL = {"power": 1, "exponential": 0, "noise": 0, "side": 1, "orthant": 1}


class Over(Exception):
    """The target is reached, or the budget or the time is spent."""


class Limited(peer.Objective):
    """Ends the run at the target and at its limits, whatever the library's own rules say."""

    def __init__(self, job):
        super().__init__({"perturbation": NEUTRAL, **job})
        self.until = time.perf_counter() + job["seconds"]

    def __call__(self, points):
        values = super().__call__(points)
        if self.reached is not None or self.count >= self.budget or time.perf_counter() > self.until:
            raise Over
        return values


def pycma(objective, job):
    options = {"verbose": -9, "verb_log": 0, "seed": job["seed"] + 1, "ftarget": job["target"]}
    es = cma.CMAEvolutionStrategy(job["start"], job["sigma"], options)
    while not es.stop():
        points = es.ask()
        es.tell(points, objective(points))
    return ",".join(es.stop())


def lq_surrogate(objective, job):
    # Its own target looks at the model's values: it gets none.
    options = {"verbose": -9, "verb_log": 0, "seed": job["seed"] + 1}
    es = cma.fmin_lq_surr2(lambda x: objective([x])[0], job["start"], job["sigma"], options)[1]
    return ",".join(es.stop(check=False)) or "none"


def cyberagent(objective, job):
    es = cmaes.CMA(mean=np.array(job["start"]), sigma=job["sigma"], seed=job["seed"])
    while not es.should_stop():
        points = [es.ask() for _ in range(es.population_size)]
        es.tell(list(zip(points, objective(points))))
    return "its own rule"


PEERS = {"pycma": pycma, "pycma lq": lq_surrogate, "cmaes (Python)": cyberagent}


def run(job):
    objective = Limited(job)
    theirs = objective.values(job["check"])
    if not np.allclose(theirs, job["values"], rtol=1e-9, atol=1e-9):
        raise ValueError(f"not the same function: {theirs.tolist()} instead of {job['values']}")
    begin = time.perf_counter()
    try:
        stop = PEERS[job["peer"]](objective, job)
    except Over:
        stop = "target" if objective.reached is not None else "limit"
    success = objective.reached is not None
    return {
        "evaluations": objective.reached if success else min(objective.count, objective.budget), "success": success,
        "value": objective.best, "stop": stop, "seconds": time.perf_counter() - begin,
    }


def main():
    out, sys.stdout = sys.stdout, sys.stderr
    versions = {"pycma": cma.__version__, "cmaes (Python)": cmaes.__version__, "numpy": np.__version__,
                "python": sys.version.split()[0]}
    print(json.dumps(versions), file=out, flush=True)
    for line in sys.stdin:
        try:
            answer = run(json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
