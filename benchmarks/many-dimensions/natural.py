"""Natural evolution strategies of others: CR-FM-NES by its authors, SNES and OpenES of evosax.

They are installed apart (requirements.txt here), since evosax brings JAX. Populations are 4 + 3 ln d, the next even number, which
CR-FM-NES and OpenES ask for: none of them has a default.
"""

import functools
import importlib.util
import math
import os

import numpy as np

# One thread, as the others have: JAX looks here when it is imported.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def size(d):
    n = 4 + int(3 * math.log(d))
    return n + n % 2


class FullError(Exception):
    """A generation has all its points."""


def cr_fm_nes(f, x0, sigma, seed):
    """The package asks for values one by one, in the midst of a generation. Functions here are of rows: the points of a generation
    are collected first, in a pass that ends before anything but the random numbers has changed and that costs no time, and then the
    package makes it with their values."""
    from crfmnes import CRFMNES

    points = []

    def collect(x):
        points.append(x[:, 0])
        if len(points) == es.lamb:
            raise FullError
        return 0.0

    # Violations of a box that is not there take a loop over all coordinates in Python.
    es = CRFMNES(len(x0), collect, x0[:, None].copy(), sigma, size(len(x0)), seed=seed, use_constraint_violation=False)
    while True:
        with f.aside():
            state = np.random.get_state()  # noqa: NPY002: the package's own generator
            points.clear()
            es.f = collect
            try:
                es.one_iteration()
            except FullError:
                np.random.set_state(state)  # noqa: NPY002
        es.f = lambda x, values=iter(f(np.array(points))): next(values)
        es.one_iteration()


def evosax(make, f, x0, sigma, seed):
    """evosax's loop, compiled before the clock runs. Numbers are JAX's by default, float32; values are computed in float64."""
    with f.aside():
        import jax

        es = make(size(len(x0)), np.zeros(len(x0), np.float32), sigma)
        params = es.default_params
        if hasattr(params, "std_init"):
            params = params.replace(std_init=sigma)

    def generation(state, key, f):
        key, asking, telling = jax.random.split(key, 3)
        points, state = es.ask(asking, state, params)
        values = f(np.asarray(points, dtype=float))
        return es.tell(telling, points, np.asarray(values, np.float32), state, params)[0], key

    with f.aside():
        start = es.init(jax.random.key(seed), np.asarray(x0, np.float32), params)
        state, key = start, jax.random.key(seed)
        for _ in range(3):  # the second has a state that a compiled function has made
            state, key = generation(state, key, lambda rows: np.arange(len(rows)))
        jax.block_until_ready(state)
    state, key = start, jax.random.key(seed)
    while True:
        state, key = generation(state, key, f)


def make_snes(n, solution, sigma):
    from evosax.algorithms import SNES

    return SNES(n, solution)


def make_open_es(n, solution, sigma):
    """Adam with steps of 0.01, as its authors' program has it, and deviations that stay: with evosax's default, plain gradients with a rate of
    0.001, the mean does not leave the start within these budgets."""
    import optax
    from evosax.algorithms import Open_ES

    return Open_ES(n, solution, optimizer=optax.adam(0.01), std_schedule=optax.constant_schedule(sigma))


METHODS = {"CR-FM-NES": cr_fm_nes, "SNES": functools.partial(evosax, make_snes), "OpenES": functools.partial(evosax, make_open_es)}

#: The package that a method needs.
NEEDED = {"CR-FM-NES": "crfmnes", "SNES": "evosax", "OpenES": "evosax"}


def missing():
    """Methods whose package is not installed."""
    return [method for method, package in NEEDED.items() if importlib.util.find_spec(package) is None]
