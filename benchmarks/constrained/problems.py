"""Problems with constraints and known optima: Hock and Schittkowski's, the smooth ones of the G-suite, three designs, random ones.

A problem is a function x -> (f, g, h) with g <= 0 and h = 0, a start, a scale, bounds and the least value. `python problems.py`
checks every least value by SLSQP from many starts.
"""

from dataclasses import dataclass, field

import numpy as np

PROBLEMS = {}


@dataclass
class Problem:
    name: str
    function: object
    x0: np.ndarray
    least: float
    scale: np.ndarray
    bounds: list = field(default_factory=list)
    group: str = "classical"

    def __post_init__(self):
        self.x0 = np.asarray(self.x0, dtype=float)
        self.scale = np.broadcast_to(np.asarray(self.scale, dtype=float), self.x0.shape).copy()
        self.bounds = self.bounds or [(-np.inf, np.inf)] * self.d
        _, g, h = self.function(self.x0)
        self.counts = len(g), len(h)

    @property
    def d(self):
        return len(self.x0)

    @property
    def tolerance(self):
        return 1e-6 * max(1.0, abs(self.least))


def problem(x0, least, scale=0.5, bounds=None):
    def add(function):
        name = function.__name__.upper() if function.__name__[0] in "hg" else function.__name__.replace("_", " ")
        PROBLEMS[name] = Problem(name, function, x0, least, scale, bounds or [])
        return function

    return add


@problem([-1.2, 1.0], 0.0)
def hs6(x):
    return (1 - x[0]) ** 2, [], [10 * (x[1] - x[0] ** 2)]


@problem([2.0, 2.0], -np.sqrt(3))
def hs7(x):
    return np.log(1 + x[0] ** 2) - x[1], [], [(1 + x[0] ** 2) ** 2 + x[1] ** 2 - 4]


@problem([-10.0, 10.0], -1.0, scale=2.0)
def hs10(x):
    return x[0] - x[1], [3 * x[0] ** 2 - 2 * x[0] * x[1] + x[1] ** 2 - 1], []


@problem([0.0, 0.0], -30.0)
def hs12(x):
    return 0.5 * x[0] ** 2 + x[1] ** 2 - x[0] * x[1] - 7 * x[0] - 7 * x[1], [4 * x[0] ** 2 + x[1] ** 2 - 25], []


@problem([2.0, 2.0], 9 - 2.875 * np.sqrt(7))
def hs14(x):
    return (x[0] - 2) ** 2 + (x[1] - 1) ** 2, [0.25 * x[0] ** 2 + x[1] ** 2 - 1], [x[0] - 2 * x[1] + 1]


@problem([2.0, 2.0], 1.0)
def hs22(x):
    return (x[0] - 2) ** 2 + (x[1] - 1) ** 2, [x[0] + x[1] - 2, x[0] ** 2 - x[1]], []


@problem([-2.6, 2.0, 2.0], 0.0)
def hs26(x):
    return (x[0] - x[1]) ** 2 + (x[1] - x[2]) ** 4, [], [(1 + x[1] ** 2) * x[0] + x[2] ** 4 - 3]


@problem([-4.0, 1.0, 1.0], 0.0)
def hs28(x):
    return (x[0] + x[1]) ** 2 + (x[1] + x[2]) ** 2, [], [x[0] + 2 * x[1] + 3 * x[2] - 1]


@problem([1.0, 1.0, 1.0], -16 * np.sqrt(2))
def hs29(x):
    return -x[0] * x[1] * x[2], [x[0] ** 2 + 2 * x[1] ** 2 + 4 * x[2] ** 2 - 48], []


@problem([1.0, 1.0, 1.0], 6.0, bounds=[(-10, 10), (1, 10), (-10, 1)])
def hs31(x):
    return 9 * x[0] ** 2 + x[1] ** 2 + 9 * x[2] ** 2, [1 - x[0] * x[1]], []


@problem([0.0, 1.05, 2.9], -np.log(np.log(10.0)), bounds=[(0, 100), (0, 100), (0, 10)])
def hs34(x):
    return -x[0], [np.exp(x[0]) - x[1], np.exp(x[1]) - x[2]], []


@problem([0.5, 0.5, 0.5], 1 / 9, bounds=[(0, np.inf)] * 3)
def hs35(x):
    f = 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] ** 2 + 2 * x[1] ** 2 + x[2] ** 2 + 2 * x[0] * x[1] + 2 * x[0] * x[2]
    return f, [x[0] + x[1] + 2 * x[2] - 3], []


@problem([2.0] * 4, -1.0)
def hs39(x):
    return -x[0], [], [x[1] - x[0] ** 3 - x[2] ** 2, x[0] ** 2 - x[1] - x[3] ** 2]


@problem([0.8] * 4, -0.25)
def hs40(x):
    return -x[0] * x[1] * x[2] * x[3], [], [
        x[0] ** 3 + x[1] ** 2 - 1, x[0] ** 2 * x[3] - x[2], x[3] ** 2 - x[1]]  # fmt: skip


@problem([0.0] * 4, -44.0)
def hs43(x):
    a, b, c, d = x
    f = a * a + b * b + 2 * c * c + d * d - 5 * a - 5 * b - 21 * c + 7 * d
    g = [a * a + b * b + c * c + d * d + a - b + c - d - 8, a * a + 2 * b * b + c * c + 2 * d * d - a - d - 10,
         2 * a * a + b * b + c * c + 2 * a - b - d - 5]  # fmt: skip
    return f, g, []


@problem([3.0, 5.0, -3.0, 2.0, -2.0], 0.0)
def hs48(x):
    f = (x[0] - 1) ** 2 + (x[1] - x[2]) ** 2 + (x[3] - x[4]) ** 2
    return f, [], [x.sum() - 5, x[2] - 2 * (x[3] + x[4]) + 3]


@problem([2.0, 2.0, 2.0], 0.0325682003, bounds=[(-10, 10)] * 3)
def hs60(x):
    f = (x[0] - 1) ** 2 + (x[0] - x[1]) ** 2 + (x[1] - x[2]) ** 4
    return f, [], [x[0] * (1 + x[1] ** 2) + x[2] ** 4 - 4 - 3 * np.sqrt(2)]


@problem([2.0, 2.0, 2.0], 961.715172, bounds=[(0, np.inf)] * 3)
def hs63(x):
    f = 1000 - x[0] ** 2 - 2 * x[1] ** 2 - x[2] ** 2 - x[0] * x[1] - x[0] * x[2]
    return f, [], [8 * x[0] + 14 * x[1] + 7 * x[2] - 56, x @ x - 25]


@problem([-5.0, 5.0, 0.0], 0.953528857, bounds=[(-4.5, 4.5), (-4.5, 4.5), (-5, 5)])
def hs65(x):
    f = (x[0] - x[1]) ** 2 + (x[0] + x[1] - 10) ** 2 / 9 + (x[2] - 5) ** 2
    return f, [x @ x - 48], []


@problem([0.0, 1.05, 2.9], 0.518163274, bounds=[(0, 100), (0, 100), (0, 10)])
def hs66(x):
    return 0.2 * x[2] - 0.8 * x[0], [np.exp(x[0]) - x[1], np.exp(x[1]) - x[2]], []


@problem([1.0, 5.0, 5.0, 1.0], 17.0140172891, bounds=[(1, 5)] * 4)
def hs71(x):
    return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2], [25 - np.prod(x)], [x @ x - 40]


@problem([0.5] * 4, -4.681818182, bounds=[(0, np.inf)] * 4)
def hs76(x):
    a, b, c, d = x
    f = a * a + 0.5 * b * b + c * c + 0.5 * d * d - a * c + c * d - a - 3 * b + c - d
    return f, [a + 2 * b + c + d - 5, 3 * a + b + 2 * c - d - 4, 1.5 - b - 4 * c], []


@problem([2.0] * 5, 0.24150513)
def hs77(x):
    f = (x[0] - 1) ** 2 + (x[0] - x[1]) ** 2 + (x[2] - 1) ** 2 + (x[3] - 1) ** 4 + (x[4] - 1) ** 6
    return f, [], [x[0] ** 2 * x[3] + np.sin(x[3] - x[4]) - 2 * np.sqrt(2), x[1] + x[2] ** 4 * x[3] ** 2 - 8 - np.sqrt(2)]


@problem([-2.0, 1.5, 2.0, -1.0, -1.0], -2.91970041)
def hs78(x):
    return np.prod(x), [], [x @ x - 10, x[1] * x[2] - 5 * x[3] * x[4], x[0] ** 3 + x[1] ** 3 + 1]


@problem([2.0] * 5, 0.0787768209)
def hs79(x):
    f = (x[0] - 1) ** 2 + (x[0] - x[1]) ** 2 + (x[1] - x[2]) ** 2 + (x[2] - x[3]) ** 4 + (x[3] - x[4]) ** 4
    return f, [], [x[0] + x[1] ** 2 + x[2] ** 3 - 2 - 3 * np.sqrt(2), x[1] - x[2] ** 2 + x[3] + 2 - 2 * np.sqrt(2),
                   x[0] * x[4] - 2]  # fmt: skip


@problem([1.0, 2.0, 0.0, 4.0, 0.0, 1.0, 1.0], 680.6300573)
def hs100(x):
    a, b, c, d, e, f, g = x
    value = ((a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6 + 7 * f**2 + g**4 - 4 * f * g
             - 10 * f - 8 * g)  # fmt: skip
    return value, [2 * a**2 + 3 * b**4 + c + 4 * d**2 + 5 * e - 127, 7 * a + 3 * b + 10 * c**2 + d - e - 282,
                   23 * a + b**2 + 6 * f**2 - 8 * g - 196, 4 * a**2 + b**2 - 3 * a * b + 2 * c**2 + 5 * f - 11 * g], []  # fmt: skip


@problem([6.0, 3.0, 0.4, 0.2, 6.0, 6.0, 1.0, 0.5], 3.9511634396, scale=0.3, bounds=[(0.1, 10)] * 8)
def hs104(x):
    a, b, c, d, e, f, g, h = x
    value = 0.4 * (a / g) ** 0.67 + 0.4 * (b / h) ** 0.67 + 10 - a - b
    return value, [0.0588 * e * g + 0.1 * a - 1, 0.0588 * f * h + 0.1 * a + 0.1 * b - 1,
                   4 * c / e + 2 / (c**0.71 * e) + 0.0588 * g / c**1.3 - 1,
                   4 * d / f + 2 / (d**0.71 * f) + 0.0588 * h / d**1.3 - 1, 1 - value, value - 4.2], []  # fmt: skip


@problem([2.0, 3.0, 5.0, 5.0, 1.0, 2.0, 7.0, 3.0, 6.0, 10.0], 24.3062090681, scale=1.0, bounds=[(-10, 10)] * 10)
def g07(x):
    a, b, c, d, e, f, g, h, i, j = x
    value = (a * a + b * b + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2 + 2 * (f - 1) ** 2
             + 5 * g * g + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45)  # fmt: skip
    return value, [
        4 * a + 5 * b - 3 * g + 9 * h - 105, 10 * a - 8 * b - 17 * g + 2 * h, -8 * a + 2 * b + 5 * i - 2 * j - 12,
        3 * (a - 2) ** 2 + 4 * (b - 3) ** 2 + 2 * c * c - 7 * d - 120, 5 * a * a + 8 * b + (c - 6) ** 2 - 2 * d - 40,
        a * a + 2 * (b - 2) ** 2 - 2 * a * b + 14 * e - 6 * f, 0.5 * (a - 8) ** 2 + 2 * (b - 4) ** 2 + 3 * e * e - f - 30,
        -3 * a + 6 * b + 12 * (i - 8) ** 2 - 7 * j], []  # fmt: skip


@problem([90.0, 40.0, 36.0, 36.0, 36.0], -30665.5386717834, scale=4.0,
         bounds=[(78, 102), (33, 45), (27, 45), (27, 45), (27, 45)])  # fmt: skip
def g04(x):
    a, b, c, d, e = x
    u = 85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e
    v = 80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c * c
    w = 9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d
    f = 5.3578547 * c * c + 0.8356891 * a * e + 37.293239 * a - 40792.141
    return f, [u - 92, -u, v - 110, 90 - v, w - 25, 20 - w], []


@problem([20.1, 5.84], -6961.8138755802, scale=2.0, bounds=[(13, 100), (0, 100)])
def g06(x):
    f = (x[0] - 10) ** 3 + (x[1] - 20) ** 3
    return f, [100 - (x[0] - 5) ** 2 - (x[1] - 5) ** 2, (x[0] - 6) ** 2 + (x[1] - 5) ** 2 - 82.81], []


@problem([0.5, 0.2], 0.75, bounds=[(-1, 1)] * 2)
def g11(x):
    return x[0] ** 2 + (x[1] - 1) ** 2, [], [x[1] - x[0] ** 2]


@problem([-0.5, 0.5], 0.0456748087)
def rosenbrock_in_a_disk(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, [x @ x - 1], []


@problem([3.0, 2.0, 1.0, 2.0, 3.0], 0.2, scale=1.0)
def sphere_on_a_plane(x):
    return x @ x, [], [x.sum() - 1]


@problem([1.0, 0.6, 50.0, 100.0], 5885.3327736, scale=[0.2, 0.1, 5.0, 30.0], bounds=[(0, 99), (0, 99), (10, 200), (10, 200)])
def pressure_vessel(x):
    a, b, r, length = x
    f = 0.6224 * a * r * length + 1.7781 * b * r**2 + 3.1661 * a**2 * length + 19.84 * a**2 * r
    volume = (1296000 - np.pi * r**2 * length - 4 / 3 * np.pi * r**3) / 1e5
    return f, [0.0193 * r - a, 0.00954 * r - b, volume, (length - 240) / 10], []


@problem([0.4, 6.0, 9.0, 0.5], 1.7248523086, scale=[0.1, 1.0, 1.0, 0.1], bounds=[(0.1, 2), (0.1, 10), (0.1, 10), (0.1, 2)])
def welded_beam(x):
    h, length, t, b = x
    load, arm, modulus, shear = 6000.0, 14.0, 30e6, 12e6
    moment = load * (arm + length / 2)
    radius = np.sqrt(length**2 / 4 + ((h + t) / 2) ** 2)
    polar = 2 * np.sqrt(2) * h * length * (length**2 / 12 + ((h + t) / 2) ** 2)
    first, second = load / (np.sqrt(2) * h * length), moment * radius / polar
    tau = np.sqrt(first**2 + first * second * length / radius + second**2)
    sigma, bend = 6 * load * arm / (b * t**2), 4 * load * arm**3 / (modulus * b * t**3)
    buckle = 4.013 * modulus * np.sqrt(t**2 * b**6 / 36) / arm**2 * (1 - t / (2 * arm) * np.sqrt(modulus / (4 * shear)))
    f = 1.10471 * h**2 * length + 0.04811 * t * b * (14 + length)
    return f, [tau / 13600 - 1, sigma / 30000 - 1, h - b, bend / 0.25 - 1, 1 - buckle / load], []


@problem([0.08, 0.6, 8.0], 0.0126652328, scale=[0.01, 0.1, 2.0], bounds=[(0.05, 2), (0.25, 1.3), (2, 15)])
def spring(x):
    w, coil, turns = x
    f = (turns + 2) * coil * w**2
    stress = (4 * coil**2 - w * coil) / (12566 * (coil * w**3 - w**4)) + 1 / (5108 * w**2) - 1
    return f, [1 - coil**3 * turns / (71785 * w**4), stress, 1 - 140.45 * w / (coil**2 * turns), (w + coil) / 1.5 - 1], []


TRANSFORMATIONS = {"plain": lambda y: y, "root": np.cbrt, "cube": lambda y: y * (1 + y * y)}


def random_quadratic(d, m, convex, transformation, seed):
    """A quadratic with m quadratic constraints, a third of them active at a known optimum; where it is not convex, the curvature is
    negative along one direction that an active constraint holds."""
    rng = np.random.default_rng([seed, d, m, int(convex)])
    root = rng.standard_normal((d, d)) / np.sqrt(d)
    hessian = root @ root.T + 0.1 * np.eye(d)
    best, active = rng.uniform(-1, 1, d), max(1, m // 3)
    normals = rng.standard_normal((m, d)) / np.sqrt(d)
    curved = [0.2 * (q @ q.T) for q in rng.standard_normal((m, d, d)) / np.sqrt(d)]
    weights = np.concatenate([rng.uniform(0.5, 2, active), np.zeros(m - active)])
    slack = np.concatenate([np.zeros(active), rng.uniform(0.1, 2, m - active)])
    if not convex:
        n = normals[0] / np.linalg.norm(normals[0])
        hessian = hessian - (n @ hessian @ n + 0.3) * np.outer(n, n)
    linear = -(hessian @ best) - weights @ normals
    transform = TRANSFORMATIONS[transformation]

    def value(x):
        return 0.5 * x @ hessian @ x + linear @ x

    least = value(best)

    def function(x):
        s = x - best
        g = [n @ s + 0.5 * s @ q @ s - room for n, q, room in zip(normals, curved, slack, strict=True)]
        return float(transform(value(x) - least)), g, []

    name = f"{'convex' if convex else 'not convex'}, d = {d}, {m} constraints, {transformation}, {seed}"
    start = best + rng.standard_normal(d)
    bounds = [(-10.0, 10.0)] * d
    return Problem(name, function, start, 0.0, 0.5, bounds, f"{'convex' if convex else 'not convex'}, d = {d}, {transformation}")


def families(dimensions, instances):
    for d in dimensions:
        for convex in (True, False):
            for k, transformation in enumerate(TRANSFORMATIONS):
                for seed in range(instances):
                    m = [max(1, d // 3), d, 3 * d][(seed + k) % 3]
                    yield random_quadratic(d, m, convex, transformation, seed)


def check():
    """Every least value, by SLSQP from many starts: nothing below it, and something at it."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(0)
    for p in PROBLEMS.values():
        found = []
        lower, upper = np.array(p.bounds).T
        unit = max(1.0, abs(p.least))
        for trial in range(60):
            start = p.x0 + (rng.standard_normal(p.d) * p.scale * 2 if trial else 0)
            start = np.clip(start, lower, upper)
            with np.errstate(all="ignore"):
                r = minimize(lambda z: p.function(z * p.scale)[0] / unit, start / p.scale, method="SLSQP", tol=1e-13,
                             bounds=list(zip(lower / p.scale, upper / p.scale, strict=True)), options={"maxiter": 500},
                             constraints=[
                                 {"type": "ineq", "fun": lambda z: -np.asarray(p.function(z * p.scale)[1])},
                                 {"type": "eq", "fun": lambda z: np.asarray(p.function(z * p.scale)[2])}])  # fmt: skip
                f, g, h = p.function(np.clip(r.x * p.scale, lower, upper))
            worst = max([0.0, *np.asarray(g), *np.abs(h)])
            if worst < 1e-8 and np.isfinite(f):
                found.append(f)
        best = min(found, default=np.inf)
        word = "ok" if abs(best - p.least) < 0.5 * p.tolerance else "WRONG"
        print(f"{word:6} {p.name:22} {best:.12g} {p.least:.12g} ({len(found)} feasible)")


if __name__ == "__main__":
    check()
