"""pycma as a peer: one run per JSON line on stdin, one JSON line back.

Started and kept alive by `cargo reproduce adaptive | costly | restarts`. The functions are those of the crate enes-problems, in NumPy and
over all points of a generation at once; the values at the points in `check` go back with every answer, so that a wrong
port cannot stay unnoticed.
"""

import json
import signal
import sys
import time
import warnings

warnings.filterwarnings("ignore")  # pycma on matplotlib
try:
    import cma
    import numpy as np
except ImportError as error:
    print(json.dumps({"error": str(error)}), flush=True)
    sys.exit(1)

FREQUENCIES, WEIGHTS = 3.0 ** np.arange(20), 2 * 0.5 ** np.arange(20)


def squares(y):
    return np.einsum("ij,ij->i", y, y)


def spread(d):
    return np.arange(d) / (d - 1) if d > 1 else np.zeros(d)


def rosenbrock(y):
    if y.shape[1] == 1:
        return (y[:, 0] - 1) ** 2
    a, b = y[:, :-1], y[:, 1:]
    return 100 * squares(a * a - b) + squares(a - 1)


def ackley(y):
    d = y.shape[1]
    return 20 - 20 * np.exp(-0.2 * np.sqrt(squares(y) / d)) + (np.e - np.exp(np.cos(2 * np.pi * y).sum(1) / d))


def weierstrass(y):
    # 3^k is odd, so that each term is 2^-k (1 - cos(2 pi 3^k y)).
    half = np.sin(np.pi * np.mod(y[:, :, None] * FREQUENCIES, 1.0))
    return ((half * half) @ WEIGHTS).sum(1)


FUNCTIONS = {
    "sphere": squares,
    "schwefel": lambda y: squares(np.cumsum(y, 1)),
    "cigar": lambda y: y[:, 0] ** 2 + 1e6 * squares(y[:, 1:]),
    "tablet": lambda y: 1e6 * y[:, 0] ** 2 + squares(y[:, 1:]),
    "ellipsoid": lambda y: (y * y) @ 1e6 ** spread(y.shape[1]),
    "diffpow": lambda y: (np.abs(y) ** (2 + 10 * spread(y.shape[1]))).sum(1),
    "parabr": lambda y: -y[:, 0] + 100 * squares(y[:, 1:]),
    "sharpr": lambda y: -y[:, 0] + 100 * np.sqrt(squares(y[:, 1:])),
    "rosenbrock": rosenbrock,
    "ackley": ackley,
    "griewank": lambda y: squares(y) / 4000 + (1 - np.cos(y / np.sqrt(1 + np.arange(y.shape[1]))).prod(1)),
    "rastrigin": lambda y: squares(y) + 10 * (1 - np.cos(2 * np.pi * y)).sum(1),
    "weierstrass": weierstrass,
}


class Ended(Exception):
    """The target, or the limit of time."""


def out_of_time(*_):
    raise Ended("time")


class Objective:
    """Counts, and keeps the best by its true value; one call is one generation."""

    def __init__(self, job):
        self.function = FUNCTIONS[job["function"]]
        self.shift = np.array(job["shift"])
        self.turned = np.array(job["rotation"]).reshape(len(self.shift), -1).T
        self.perturbation, self.noise = job["perturbation"], np.random.default_rng([job["seed"], 1])
        self.target, self.budget = job["target"], job["max_evaluations"]
        self.half_width = job.get("half_width") or np.inf
        self.count = self.calls = 0
        self.best, self.point = np.inf, job["start"]
        self.reached = None

    def values(self, points):
        """True values: asymmetric and transformed, without noise."""
        y, perturbation = (np.asarray(points) - self.shift) @ self.turned, self.perturbation
        if perturbation["side"] != 1:
            y = np.where(y > 0, np.sqrt(perturbation["side"]) * y, y)
        values = self.function(y)
        if perturbation["orthant"] != 1:
            values = values * np.where((y > 0).all(1), perturbation["orthant"], 1.0)
        if perturbation["power"] != 1:
            values = values ** perturbation["power"]
        if perturbation["exponential"]:
            values = np.expm1(np.minimum(values / perturbation["exponential"], 700.0))
        return values

    def single(self, x):
        """For a program that asks for one value at a time, and then need not finish a generation."""
        value = self([x])[0]
        if self.reached is not None:
            raise Ended("ftarget")
        return value

    def __call__(self, points):
        if np.abs(points).max() > self.half_width:
            raise ValueError("a point lies outside the box")
        values = self.values(points)
        within = max(0, self.budget - self.count)  # a generation that exceeds the budget counts in part
        self.calls += 1
        self.count += len(values)
        if within:
            i = int(np.argmin(values[:within]))
            if values[i] < self.best:
                self.best, self.point = float(values[i]), [float(v) for v in points[i]]
        if self.reached is None and self.best <= self.target:
            self.reached = min(self.count, self.budget)
        if self.perturbation["noise"]:
            values = values * (1 + self.perturbation["noise"] * self.noise.standard_normal(len(values)))
        return values.tolist()


def model_assisted(objective, start, sigma, options):
    """lq-CMA-ES with its defaults. Its own target looks at the model's values, so it gets none."""
    del options["ftarget"]
    es = cma.fmin_lq_surr2(objective.single, start, sigma, options)[1]
    return es.popsize, ",".join(es.stop(check=False))


def run(job):
    objective = Objective(job)
    start, sigma = np.array(job["start"]), job["sigma"]
    options = {
        "verbose": -9,
        "verb_log": 0,
        "seed": job["seed"],
        "ftarget": job["target"],
        "maxfevals": job["max_evaluations"],
    }
    half = job["half_width"]
    if half is not None:
        options["bounds"] = [-half, half]
    if job["population"] is not None:
        options["popsize"] = job["population"]
    if job["to_the_end"]:
        options |= {"tolfun": 0, "tolfunhist": 0, "tolx": 0}
    begin = time.perf_counter()
    if job["max_seconds"] is not None:
        signal.setitimer(signal.ITIMER_PROF, job["max_seconds"])
    try:
        population, stop = search(job, objective, start, sigma, options)
    except Ended as ended:
        population, stop = cma.CMAEvolutionStrategy(start, sigma, {"verbose": -9}).popsize, str(ended)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = time.perf_counter() - begin
    success = objective.reached is not None
    return {
        "evaluations": objective.reached if success else min(objective.count, objective.budget),
        "generations": objective.calls,
        "population": int(population),
        "value": objective.best,
        "point": objective.point,
        "success": success,
        "stop": "ftarget" if success else stop or "none",
        "seconds": seconds,
        "check": objective.values(job["check"]).tolist(),
    }


def search(job, objective, start, sigma, options):
    """The population and why it ended."""
    if job["solver"] == "lq":
        return model_assisted(objective, start, sigma, options)
    noisy = job["perturbation"]["noise"] > 0
    if noisy:
        del options["ftarget"]  # a noisy value says nothing: true values decide
    if job["bipop"]:
        generator = np.random.default_rng(job["seed"])

        def where():
            # Restarts begin where enes' own do by default: at a draw from the initial distribution, or in the box.
            half, n = job["half_width"], len(start)
            if objective.count == 0:
                return start
            return generator.uniform(-half, half, n) if half else start + sigma * generator.standard_normal(n)

        single = lambda x: objective([x])[0]  # noqa: E731
        es = cma.fmin2(single, where, sigma, options, restarts=9, bipop=True, parallel_objective=objective)[1]
    else:
        es = cma.CMAEvolutionStrategy(start, sigma, options)
        while not es.stop() and not (noisy and objective.reached is not None):
            points = es.ask()
            es.tell(points, objective(points))
    return es.popsize, ",".join(es.stop(check=False))


def main():
    out, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
    signal.signal(signal.SIGPROF, out_of_time)
    versions = {"cma": cma.__version__, "numpy": np.__version__, "python": sys.version.split()[0]}
    print(json.dumps(versions), file=out, flush=True)
    for line in sys.stdin:
        try:
            answer = run(json.loads(line))
        except Exception as error:  # the reader names the run
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
