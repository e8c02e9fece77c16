"""The peers of `cargo reproduce landscapes`: one run per JSON line on stdin.

Values are asked for: a line `v` and points as hexadecimal doubles, answered by their values, or by `end` where the
target is reached or the budget spent. So all contenders see the same function, bit for bit, and are counted alike.
Under noise a line `r` and a point says what would be returned now. The last line of a run is a JSON object.
"""

import json
import signal
import sys
import time
import warnings

warnings.filterwarnings("ignore")  # pycma on matplotlib
try:
    import cma
    import cmaes
    import nlopt
    import numpy as np
    import scipy
    from scipy.optimize import minimize
except ImportError as error:
    print(json.dumps({"error": str(error)}), flush=True)
    sys.exit(1)

OUT, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
NEVER = 10**12


class Ended(Exception):
    """The target, the budget or the limit of time."""


class Objective:
    def __init__(self, job):
        self.noisy, self.start = job["noisy"], np.array(job["start"])
        self.sigma, self.budget = job["sigma"], job["max_evaluations"]
        self.count, self.late = 0, False
        self.least, self.favourite = np.inf, self.start
        self.generator = np.random.default_rng([job["seed"], 1])

    def ask(self, letter, points):
        if self.late:
            raise Ended("time")
        OUT.write(letter + np.ascontiguousarray(points, float).tobytes().hex() + "\n")
        OUT.flush()
        line = sys.stdin.readline().strip()
        if line == "end":
            raise Ended("end")
        return line

    def __call__(self, points):
        """The values of a generation."""
        self.count += len(points)
        return np.frombuffer(bytes.fromhex(self.ask("v", points))).tolist()

    def favour(self, point):
        """What would be returned now: it matters under noise only."""
        if self.noisy:
            self.ask("r", point)

    def single(self, x, _gradient=None):
        """For a program without generations: it would return the best point that it has seen."""
        value = self([x])[0]
        if self.noisy:
            if value < self.least:
                self.least, self.favourite = value, np.array(x)
            self.favour(self.favourite)
        return value

    def where(self):
        """The start, then draws from the initial distribution, as enes' own restarts."""
        if self.count == 0:
            return self.start
        return self.start + self.sigma * self.generator.standard_normal(len(self.start))


def options(job):
    chosen = {"verbose": -9, "verb_log": 0, "seed": job["seed"], "maxfevals": job["max_evaluations"]}
    if job["to_the_end"]:
        chosen |= {"tolfun": 0, "tolfunhist": 0, "tolx": 0, "tolstagnation": NEVER, "tolflatfitness": NEVER}
    return chosen


def pycma(job, objective):
    es = cma.CMAEvolutionStrategy(objective.start, objective.sigma, options(job))
    while not es.stop():
        points = es.ask()
        es.tell(points, objective(points))
        objective.favour(es.mean)
    return ",".join(es.stop(check=False))


def bipop(job, objective):
    sigma, chosen = objective.sigma, options(job)
    es = cma.fmin2(
        objective.single, objective.where, sigma, chosen, restarts=9, bipop=True, parallel_objective=objective
    )[1]
    return ",".join(es.stop(check=False))


def lq(job, objective):
    es = cma.fmin_lq_surr2(objective.single, objective.start, objective.sigma, options(job))[1]
    return ",".join(es.stop(check=False))


def cyberagent(job, objective):
    """Restarts double the population, as its documentation suggests."""
    population = None
    while objective.count < objective.budget:
        es = cmaes.CMA(
            objective.where(),
            objective.sigma,
            seed=job["seed"] + objective.count,
            population_size=population,
            lr_adapt=job["lr_adapt"],
        )
        while job["to_the_end"] or not es.should_stop():
            points = np.array([es.ask() for _ in range(es.population_size)])
            es.tell(list(zip(points, objective(points))))
            objective.favour(es.mean)
        if not job["restarts"]:
            return "should_stop"
        population = 2 * es.population_size
    return "restarts"


def nelder_mead(job, objective):
    d = len(objective.start)
    while True:
        start = objective.where()
        simplex = np.vstack([start, start + objective.sigma * np.eye(d)])
        tolerance = 0 if job["to_the_end"] else 1e-9
        chosen = {"maxfev": NEVER, "maxiter": NEVER, "xatol": tolerance, "fatol": tolerance}
        chosen |= {"adaptive": True, "initial_simplex": simplex}
        minimize(objective.single, start, method="Nelder-Mead", options=chosen)
        if not job["restarts"]:
            return "tolerance"


def newuoa(job, objective):
    """NLopt does not always notice an error of its objective, so that an end is kept, and raised after it."""
    ended = []

    def value(x, _gradient):
        try:
            return np.inf if ended else objective.single(x)
        except Ended as end:
            ended.append(end)
            opt.force_stop()
            return np.inf

    while True:
        opt = nlopt.opt(nlopt.LN_NEWUOA, len(objective.start))
        opt.set_min_objective(value)
        opt.set_maxeval(job["max_evaluations"])
        opt.set_initial_step(objective.sigma)
        opt.set_xtol_abs(0.0 if job["to_the_end"] else 1e-9)
        before = objective.count
        try:
            opt.optimize(objective.where())
        except (nlopt.RoundoffLimited, nlopt.ForcedStop, RuntimeError):
            pass
        if ended:
            raise ended[0]
        if not job["restarts"] or objective.count == before:
            return "tolerance"


SOLVERS = {
    "pycma": pycma,
    "bipop": bipop,
    "cmaes": cyberagent,
    "lq": lq,
    "nelder-mead": nelder_mead,
    "newuoa": newuoa,
}


def run(job):
    objective = Objective(job)

    def out_of_time(*_):
        objective.late = True  # noticed between two questions: an answer must not be left unread

    signal.signal(signal.SIGPROF, out_of_time)
    begin = time.perf_counter()
    if job["max_seconds"] is not None:
        signal.setitimer(signal.ITIMER_PROF, job["max_seconds"])
    try:
        stop = SOLVERS[job["contender"]](job, objective)
    except Ended as ended:
        stop = str(ended)
    except (ArithmeticError, AssertionError, np.linalg.LinAlgError) as error:
        stop = type(error).__name__  # numbers that a search to the end can no longer work with
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    population = cma.CMAEvolutionStrategy(objective.start, objective.sigma, {"verbose": -9}).popsize
    return {"population": int(population), "stop": stop or "none", "seconds": time.perf_counter() - begin}


def main():
    versions = {"cma": cma.__version__, "numpy": np.__version__, "python": sys.version.split()[0]}
    nlopt_version = f"{nlopt.version_major()}.{nlopt.version_minor()}.{nlopt.version_bugfix()}"
    others = {"cmaes": cmaes.__version__, "scipy": scipy.__version__, "nlopt": nlopt_version}
    print(json.dumps(versions | {"others": others}), file=OUT, flush=True)
    while line := sys.stdin.readline():
        try:
            answer = run(json.loads(line))
        except Exception as error:  # the reader names the run
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=OUT, flush=True)


if __name__ == "__main__":
    main()
