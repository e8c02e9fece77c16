"""The methods, each on an objective that counts, keeps time and ends the run."""

import contextlib
import time

import cma
import cmaes
import numpy as np
from cma.restricted_gaussian_sampler import GaussVDSampler
from scipy import optimize

import enes
import natural

NEVER = 10**12


class EnoughError(Exception):
    """The budget is spent, or the time is up."""


class Counted:
    """A function of rows that counts, and keeps the best value where it is another one, on a grid of steps of 2 %."""

    def __init__(self, rows, budget, seconds):
        self.rows, self.budget, self.seconds = rows, budget, seconds
        self.count, self.best, self.curve, self.next = 0, np.inf, [], 1
        self.inside, self.start = 0.0, time.process_time()

    def __call__(self, points):
        begin = time.process_time()
        points = np.asarray(points)[: self.budget - self.count]
        values = self.rows(points)
        for i, value in enumerate(values):
            self.best = min(self.best, float(value))
            if self.count + i + 1 >= self.next:
                best = float(f"{self.best:.6g}")
                if not self.curve or best < self.curve[-1][1]:
                    self.curve.append((self.count + i + 1, best))
                self.next = max(self.next + 1, int(1.02 * self.next))
        self.count += len(points)
        end = time.process_time()
        self.inside += end - begin
        if self.count >= self.budget or end - self.start > self.seconds:
            raise EnoughError
        return values

    def single(self, x):
        return float(self(x[None])[0])

    @contextlib.contextmanager
    def aside(self):
        """Time that is nobody's: compilation, and what the harness does for a method."""
        begin = time.process_time()
        try:
            yield
        finally:
            self.start += time.process_time() - begin

    def own(self):
        """Seconds of processor time outside the function."""
        return time.process_time() - self.start - self.inside


def ours(f, x0, sigma, seed):
    es = enes.Optimizer(x0, sigma, rng=seed, maxfevals=f.budget)
    while not es.stop():
        es.tell(f(es.ask()))


def pycma(f, x0, sigma, seed, **options):
    options = {"verbose": -9, "verb_log": 0, "seed": seed, "maxfevals": f.budget} | options
    es = cma.CMAEvolutionStrategy(x0, sigma, options)
    while not es.stop():
        points = es.ask()
        es.tell(points, f(points))


def diagonal(f, x0, sigma, seed):
    pycma(f, x0, sigma, seed, CMA_diagonal=True)


def vd(f, x0, sigma, seed):
    pycma(f, x0, sigma, seed, **GaussVDSampler.extend_cma_options({}))


def sep(f, x0, sigma, seed):
    es = cmaes.SepCMA(x0, sigma, seed=seed)
    while not es.should_stop():
        points = np.array([es.ask() for _ in range(es.population_size)])
        es.tell(list(zip(points, f(points), strict=True)))


def descent(f, x0, sigma, seed):
    """Finite differences, one evaluation for each coordinate. It knows no scale and no seed."""
    chosen = {"maxfun": NEVER, "maxiter": NEVER, "ftol": 0, "gtol": 0}
    optimize.minimize(f.single, x0, method="L-BFGS-B", options=chosen)


def spsa(f, x0, sigma, seed):
    """Spall's gains (1998): exponents 0.602 and 0.101, differences of half a scale at first, a tenth of the budget as the delay, and
    first steps of a tenth of a scale in each coordinate, by the median of ten estimates, which count."""
    rng, x, delay = np.random.default_rng(seed), np.array(x0), 0.1 * f.budget / 2

    def estimate(k):
        signs, c = rng.choice([-1.0, 1.0], len(x)), 0.5 * sigma / (k + 1) ** 0.101
        plus, minus = f(np.array([x + c * signs, x - c * signs]))
        return (plus - minus) / (2 * c) * signs

    size = np.median([np.abs(estimate(0)).mean() for _ in range(10)])
    gain = 0.1 * sigma * (delay + 1) ** 0.602 / max(size, 1e-300)
    for k in range(f.budget):
        x = x - gain / (k + 1 + delay) ** 0.602 * estimate(k)


METHODS = {"enes": ours, "pycma": pycma, "pycma diagonal": diagonal, "pycma VD": vd, "SepCMA": sep, "L-BFGS-B": descent,
           "SPSA": spsa, **natural.METHODS}  # fmt: skip


def run(method, rows, x0, sigma, seed, budget, seconds):
    """The counted objective after a run, and why it ended."""
    f, stop = Counted(rows, budget, seconds), "own"
    try:
        METHODS[method](f, x0, sigma, seed)
    except EnoughError:
        stop = "budget" if f.count >= budget else "time"
    except (ArithmeticError, AssertionError, ValueError, np.linalg.LinAlgError, MemoryError) as error:
        stop = f"{type(error).__name__}: {error}"[:80]
    f.curve.append((f.count, float(f"{f.best:.6g}")))
    return f, stop
