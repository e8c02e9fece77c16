"""enes and its peers with the same workers on a virtual clock: wall time to the target.

    pip install cma cmaes optuna nevergrad
    python benchmarks/python/asynchronous_peers.py benchmarks/asynchronous/peers.jsonl

Evaluations take a time that is lognormal with mean 1, with a deviation of 1 of its logarithm. Five functions, rotated and
shifted, 5, 10 and 20 dimensions; start at distance sqrt(d), sigma 1; to 1e-6, the sharp ridge to -100. enes, Optuna's
samplers and nevergrad's optimizers get a value as soon as it is there and give a point to each free worker; pycma and cmaes
wait for their generations, which have one point for each worker at least. One search each: no restarts.

A peer's run ends at LIMIT times the wall time that enes took on the same instance (pycma and cmaes: 10 times), or after
SECONDS of processor time: its wall time is then at least what it had, and that is what is recorded, with `solved` false.
Ratios are so in the peer's favour. A run that the processor's time ended before three times the wall time of enes says
nothing: it is counted as undecided, and left out of the ratios.

One JSON line for each run. A file that exists is continued. With no argument after it, `--table` prints the table of a file.
"""

from __future__ import annotations

import heapq
import json
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np

D, WORKERS, RUNS = (5, 10, 20), (8, 32), 1
LIMIT, SECONDS = 4.0, 5.0
SIDE = 1e4


def squares(y):
    return float(y @ y)


def ellipsoid(y):
    return float((y * y) @ 1e6 ** (np.arange(len(y)) / (len(y) - 1)))


def rosenbrock(y):
    return 100 * squares(y[:-1] ** 2 - y[1:]) + squares(y[:-1] - 1)


def sharp_ridge(y):
    return float(-y[0] + 100 * np.sqrt(squares(y[1:])))


def steep_sides(y):
    return squares(np.where(y > 0, np.sqrt(SIDE) * y, y))


def ackley(y):
    d = len(y)
    return float(20 - 20 * np.exp(-0.2 * np.sqrt(squares(y) / d)) + (np.e - np.exp(np.cos(2 * np.pi * y).sum() / d)))


FUNCTIONS = {f.__name__: f for f in (ellipsoid, rosenbrock, sharp_ridge, steep_sides, ackley)}


class Instance:
    """A function, rotated and shifted, with a start at distance sqrt(d) of its optimum (of 0 for the ridge)."""

    def __init__(self, name, d, run):
        rng = np.random.default_rng([run, d, sorted(FUNCTIONS).index(name)])
        q, r = np.linalg.qr(rng.standard_normal((d, d)))
        self.rotation, self.shift = q * np.sign(np.diag(r)), rng.standard_normal(d)
        direction = rng.standard_normal(d)
        optimum = self.shift + self.rotation.T @ np.ones(d) if name == "rosenbrock" else self.shift
        self.start = optimum + np.sqrt(d) * direction / np.linalg.norm(direction)
        self.function, self.d = FUNCTIONS[name], d
        self.target = -100.0 if name == "sharp_ridge" else 1e-6
        # For programs that must have a box: the optimum is well within it.
        self.reach = 200.0 if name == "sharp_ridge" else 10.0

    def __call__(self, x):
        return self.function(self.rotation @ (np.asarray(x) - self.shift))


class Durations:
    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, 99])

    def __call__(self):
        return float(np.exp(self.rng.standard_normal() - 0.5))


def asynchronous(ask, tell, instance, workers, limit, seed, durations=None):
    """The wall time, evaluations, and whether the target was reached; limit is that of the wall time."""
    durations = durations or Durations(seed)
    running, now, count, began, number = [], 0.0, 0, time.process_time(), 0
    while now <= limit and time.process_time() - began < SECONDS * (1 + 2 * (limit == np.inf)):
        while len(running) < workers:
            point = ask()
            if point is None:  # it has ended by itself
                return now, count, False
            token, x = point
            heapq.heappush(running, (now + durations(), number, token, instance(x)))
            number += 1
        now, _, token, value = heapq.heappop(running)
        count += 1
        if value <= instance.target:
            return now, count, True
        tell(token, value)
    return min(now, limit), count, False


def in_generations(ask, tell, size, instance, workers, limit, seed):
    durations = Durations(seed)
    now, count, began = 0.0, 0, time.process_time()
    while now <= limit and time.process_time() - began < SECONDS:
        points = [ask() for _ in range(size)]
        values = [instance(x) for x in points]
        free, reached = [now] * workers, None
        heapq.heapify(free)
        for value in values:
            end = heapq.heappop(free) + durations()
            heapq.heappush(free, end)
            if value <= instance.target:
                reached = end if reached is None else min(reached, end)
        count += size
        if reached is not None:
            return min(reached, limit), count, reached <= limit
        now = max(free)
        tell(points, values)
    return min(now, limit), count, False


def with_enes(instance, workers, limit, seed):
    import enes

    es = enes.Optimizer(
        instance.start, 1.0, rng=seed, restarts="off", tolx=None, tolfun=None, tolfunhist=None, same_optimum=None,
        unseen_optima=None,
    )  # fmt: skip
    return asynchronous(lambda: next(iter(es.ask(1)), None), es.tell_one, instance, workers, limit, seed)


def population(instance, workers):
    return max(4 + int(3 * np.log(instance.d)), workers)


def with_pycma(instance, workers, limit, seed):
    import cma

    options = {"verbose": -9, "verb_log": 0, "seed": seed, "popsize": population(instance, workers)}
    es, batch = cma.CMAEvolutionStrategy(instance.start, 1.0, options), []

    def ask():
        batch.extend([] if batch else es.ask())
        return batch.pop(0)

    return in_generations(ask, es.tell, es.popsize, instance, workers, limit, seed)


def with_cmaes(instance, workers, limit, seed):
    import cmaes

    es = cmaes.CMA(mean=instance.start, sigma=1.0, population_size=population(instance, workers), seed=seed)

    def tell(points, values):
        es.tell(list(zip(points, values, strict=True)))

    return in_generations(es.ask, tell, es.population_size, instance, workers, limit, seed)


def with_optuna(sampler, instance, workers, limit, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = [f"x{i}" for i in range(instance.d)]
    first = dict(zip(names, map(float, instance.start), strict=True))
    samplers = {
        "TPE": lambda: optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True),
        "CMA-ES": lambda: optuna.samplers.CmaEsSampler(x0=first, sigma0=1.0, seed=seed),
    }
    study = optuna.create_study(sampler=samplers[sampler]())
    study.enqueue_trial(first)

    def ask():
        trial = study.ask()
        box = zip(names, instance.start, strict=True)
        return trial, [trial.suggest_float(n, s - instance.reach, s + instance.reach) for n, s in box]

    return asynchronous(ask, study.tell, instance, workers, limit, seed)


def with_nevergrad(name, instance, workers, limit, seed):
    import nevergrad

    parameters = nevergrad.p.Array(init=instance.start).set_mutation(sigma=1.0)
    parameters.random_state.seed(seed)
    optimizer = nevergrad.optimizers.registry[name](parameters, budget=10**6, num_workers=workers)

    def ask():
        candidate = optimizer.ask()
        return candidate, candidate.value

    return asynchronous(ask, optimizer.tell, instance, workers, limit, seed)


PEERS = {
    "pycma": with_pycma,
    "cmaes": with_cmaes,
    "Optuna CMA-ES": lambda *a: with_optuna("CMA-ES", *a),
    "Optuna TPE": lambda *a: with_optuna("TPE", *a),
    "nevergrad CMA": lambda *a: with_nevergrad("CMA", *a),
    "nevergrad TwoPointsDE": lambda *a: with_nevergrad("TwoPointsDE", *a),
}


def measure(path):
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {(r["function"], r["d"], r["workers"], r["run"], r["who"]): r for r in records}
    with path.open("a") as out:
        for run in range(RUNS):
            for d in D:
                for workers in WORKERS:
                    for name in FUNCTIONS:
                        instance, limit = Instance(name, d, run), np.inf
                        for who, solve in {"enes": with_enes, **PEERS}.items():
                            key = (name, d, workers, run, who)
                            if key not in known:
                                fast = 2.5 if who in ("pycma", "cmaes") else 1.0
                                wall, count, solved = solve(instance, workers, fast * limit, run + 1)
                                known[key] = {
                                    "function": name, "d": d, "workers": workers, "run": run, "who": who,
                                    "time": round(wall, 3), "evaluations": count, "solved": solved,
                                }  # fmt: skip
                                print(json.dumps(known[key]), file=out, flush=True)
                            if who == "enes":
                                limit = LIMIT * known[key]["time"]


def table(path):
    records = [json.loads(line) for line in path.read_text().splitlines()]
    times = {(r["function"], r["d"], r["workers"], r["run"], r["who"]): r for r in records}
    lines = ["| peer | W = 8 | W = 32 | decided | solved |", "|---|---|---|---|---|"]
    for who in PEERS:
        cells, decided, solved = [], 0, 0
        for workers in WORKERS:
            ratios = []
            for name in FUNCTIONS:
                for d in D:
                    both = [
                        (times[name, d, workers, run, "enes"], times[name, d, workers, run, who])
                        for run in range(RUNS)
                        if (name, d, workers, run, who) in times
                    ]
                    both = [(a, b) for a, b in both if a["solved"] and (b["solved"] or b["time"] >= 3 * a["time"])]
                    decided += len(both)
                    solved += sum(b["solved"] for _, b in both)
                    if both:
                        ratios.append(statistics.median(a["time"] / b["time"] for a, b in both))
            cells.append(f"{statistics.geometric_mean(ratios):.2f}" if ratios else "")
        runs = sum(r["who"] == "enes" for r in records)
        lines.append(f"| {who} | {cells[0]} | {cells[1]} | {decided} of {runs} | {solved} |")
    return "\n".join(lines)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1:2] == ["--table"]:
        print(table(Path(sys.argv[2])))
    else:
        measure(Path(sys.argv[1]))
