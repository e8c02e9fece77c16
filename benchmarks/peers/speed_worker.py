"""The Python side of speed.py: one block for each JSON line on stdin, one JSON line back.

A line names a peer, the dimension, the population (null for the peer's own) and the least CPU time; the answer is CPU
microseconds per candidate, the objective's own time taken off.
"""

import json
import sys
import time
import warnings
from importlib.metadata import version

warnings.filterwarnings("ignore")
import cma  # noqa: E402
import cmaes  # noqa: E402
import numpy as np  # noqa: E402
from pypop7.optimizers.es.cmaes import CMAES  # noqa: E402
from pypop7.optimizers.nes.enes import ENES  # noqa: E402
from pypop7.optimizers.nes.xnes import XNES  # noqa: E402


class Objective:
    """A sphere that knows how long it took."""

    def __init__(self):
        self.seconds, self.calls = 0.0, 0

    def rows(self, points):
        start = time.process_time()
        points = np.asarray(points)
        values = np.einsum("ij,ij->i", points, points)
        self.calls += len(values)
        self.seconds += time.process_time() - start
        return values

    def one(self, x):
        start = time.process_time()
        value = float(np.dot(x, x))
        self.calls += 1
        self.seconds += time.process_time() - start
        return value


class Pycma:
    def __init__(self, d, n, objective):
        self.d, self.objective = d, objective
        # Without stop rules: the distribution of a run that has converged costs what any other does.
        off = dict.fromkeys(["tolx", "tolfun", "tolfunhist", "tolfunrel", "tolstagnation", "tolflatfitness"], 0)
        self.options = {"verbose": -9, "seed": 1, "verb_log": 0, **off, **({"popsize": n} if n else {})}
        self.start()

    def start(self):
        self.es, self.generations = cma.CMAEvolutionStrategy(np.ones(self.d), 1.0, self.options), 0

    def generation(self):
        # Started anew before the values underflow.
        if self.generations > 300 + 30 * self.d:
            self.start()
        self.generations += 1
        points = self.es.ask()
        self.es.tell(points, self.objective.rows(points).tolist())
        return len(points)


class CyberAgent:
    def __init__(self, d, n, objective):
        self.d, self.n, self.objective = d, n, objective
        self.start()

    def start(self):
        self.es = cmaes.CMA(mean=np.ones(self.d), sigma=1.0, seed=1, population_size=self.n)

    def generation(self):
        if self.es.should_stop():
            self.start()
        points = [self.es.ask() for _ in range(self.es.population_size)]
        values = self.objective.rows(points)
        self.es.tell([(x, float(v)) for x, v in zip(points, values)])
        return len(points)


class Pypop:
    """pypop7 has no ask and tell: a block is a run of some generations, more of them while a run is short."""

    def __init__(self, optimizer, d, n, objective):
        self.optimizer, self.d, self.n, self.objective = optimizer, d, n, objective
        self.batch = 1

    def generation(self):
        problem = {
            "fitness_function": self.objective.one,
            "ndim_problem": self.d,
            "lower_boundary": -10 * np.ones(self.d),
            "upper_boundary": 10 * np.ones(self.d),
        }
        options = {"max_function_evaluations": self.batch * (self.n or 4 * self.d), "seed_rng": 1, "mean": np.ones(self.d),
                   "sigma": 1.0, "verbose": 0, "saving_fitness": 0, "is_restart": False}
        if self.n:
            options["n_individuals"] = self.n
        before, start = self.objective.calls, time.process_time()
        self.optimizer(problem, options).optimize()
        if time.process_time() - start < 0.1:
            self.batch = min(2 * self.batch, 64)
        return self.objective.calls - before


PEERS = {
    "pycma": Pycma,
    "cmaes (Python)": CyberAgent,
    "pypop7 ENES": lambda *a: Pypop(ENES, *a),
    "pypop7 CMAES": lambda *a: Pypop(CMAES, *a),
    "pypop7 XNES": lambda *a: Pypop(XNES, *a),
}


def block(running, job):
    key = (job["name"], job["d"], job["population"])
    if key not in running:
        objective = Objective()
        running[key] = (PEERS[job["name"]](job["d"], job["population"], objective), objective)
    peer, objective = running[key]
    spent, calls = objective.seconds, objective.calls
    start, candidates, generations = time.process_time(), 0, 0
    while generations == 0 or time.process_time() - start < job["seconds"]:
        candidates += peer.generation()
        generations += 1
    net = time.process_time() - start - (objective.seconds - spent)
    return {"microseconds": 1e6 * net / candidates, "candidates": candidates, "generations": generations,
            "evaluated": objective.calls - calls}


def main():
    out, sys.stdout = sys.stdout, sys.stderr
    versions = {"pycma": cma.__version__, "cmaes (Python)": cmaes.__version__, "pypop7": version("pypop7"),
                "numpy": np.__version__, "python": sys.version.split()[0]}
    print(json.dumps(versions), file=out, flush=True)
    running = {}
    for line in sys.stdin:
        try:
            answer = block(running, json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
