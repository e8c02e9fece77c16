"""Classical test functions in boxes, by name: the function, its box, and a point from which its least value is known.

Where the least value lies in the middle of the usual box, where searches without a start begin, the box is cut on one
side. Sources: Jamil and Yang 2013, "A literature survey of benchmark functions"; Dixon and Szegö 1978; Hedar's and
Surjanovic and Bingham's collections.
"""

import numpy as np
from scipy import optimize

PI = np.pi


def ackley(x):
    return -20 * np.exp(-0.2 * np.sqrt((x**2).mean())) - np.exp(np.cos(2 * PI * x).mean()) + 20 + np.e


def beale(x):
    a, b = x
    return (1.5 - a + a * b) ** 2 + (2.25 - a + a * b**2) ** 2 + (2.625 - a + a * b**3) ** 2


def bohachevsky(x):
    a, b = x
    return a**2 + 2 * b**2 - 0.3 * np.cos(3 * PI * a) - 0.4 * np.cos(4 * PI * b) + 0.7


def booth(x):
    return (x[0] + 2 * x[1] - 7) ** 2 + (2 * x[0] + x[1] - 5) ** 2


def branin(x):
    a, b = x
    return (b - 5.1 / (4 * PI**2) * a**2 + 5 / PI * a - 6) ** 2 + 10 * (1 - 1 / (8 * PI)) * np.cos(a) + 10


def camel_six(x):
    a, b = x
    return (4 - 2.1 * a**2 + a**4 / 3) * a**2 + a * b + (-4 + 4 * b**2) * b**2


def camel_three(x):
    a, b = x
    return 2 * a**2 - 1.05 * a**4 + a**6 / 6 + a * b + b**2


def colville(x):
    a, b, c, d = x
    return (
        100 * (a**2 - b) ** 2 + (a - 1) ** 2 + (c - 1) ** 2 + 90 * (c**2 - d) ** 2
        + 10.1 * ((b - 1) ** 2 + (d - 1) ** 2) + 19.8 * (b - 1) * (d - 1)
    )  # fmt: skip


def cross_in_tray(x):
    a, b = x
    bump = np.abs(np.sin(a) * np.sin(b) * np.exp(abs(100 - np.hypot(a, b) / PI)))
    return -0.0001 * (bump + 1) ** 0.1


def dixon_price(x):
    i = np.arange(2, x.size + 1)
    return (x[0] - 1) ** 2 + (i * (2 * x[1:] ** 2 - x[:-1]) ** 2).sum()


def drop_wave(x):
    square = (x**2).sum()
    return -(1 + np.cos(12 * np.sqrt(square))) / (0.5 * square + 2)


def easom(x):
    return -np.cos(x[0]) * np.cos(x[1]) * np.exp(-((x[0] - PI) ** 2) - (x[1] - PI) ** 2)


def eggholder(x):
    a, b = x
    return -(b + 47) * np.sin(np.sqrt(abs(a / 2 + b + 47))) - a * np.sin(np.sqrt(abs(a - b - 47)))


def goldstein_price(x):
    a, b = x
    one = 1 + (a + b + 1) ** 2 * (19 - 14 * a + 3 * a**2 - 14 * b + 6 * a * b + 3 * b**2)
    two = 30 + (2 * a - 3 * b) ** 2 * (18 - 32 * a + 12 * a**2 + 48 * b - 36 * a * b + 27 * b**2)
    return one * two


def griewank(x):
    return (x**2).sum() / 4000 - np.cos(x / np.sqrt(np.arange(1, x.size + 1))).prod() + 1


H3 = (np.array([[3, 10, 30], [0.1, 10, 35]] * 2), 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470],
      [1091, 8732, 5547], [381, 5743, 8828]]))  # fmt: skip
H6 = (np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8],
      [17, 8, 0.05, 10, 0.1, 14]]), 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886],
      [2329, 4135, 8307, 3736, 1004, 9991], [2348, 1451, 3522, 2883, 3047, 6650],
      [4047, 8828, 8732, 5743, 1091, 381]]))  # fmt: skip


def hartmann(x):
    a, p = H3 if x.size == 3 else H6
    return -(np.array([1, 1.2, 3, 3.2]) * np.exp(-(a * (x - p) ** 2).sum(axis=1))).sum()


def himmelblau(x):
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def holder_table(x):
    return -abs(np.sin(x[0]) * np.cos(x[1]) * np.exp(abs(1 - np.hypot(*x) / PI)))


def levy(x):
    w = 1 + (x - 1) / 4
    middle = ((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(PI * w[:-1] + 1) ** 2)).sum()
    return np.sin(PI * w[0]) ** 2 + middle + (w[-1] - 1) ** 2 * (1 + np.sin(2 * PI * w[-1]) ** 2)


def levy13(x):
    a, b = x
    return (
        np.sin(3 * PI * a) ** 2 + (a - 1) ** 2 * (1 + np.sin(3 * PI * b) ** 2)
        + (b - 1) ** 2 * (1 + np.sin(2 * PI * b) ** 2)
    )  # fmt: skip


def matyas(x):
    return 0.26 * (x**2).sum() - 0.48 * x[0] * x[1]


def mccormick(x):
    return np.sin(x[0] + x[1]) + (x[0] - x[1]) ** 2 - 1.5 * x[0] + 2.5 * x[1] + 1


def michalewicz(x):
    return -(np.sin(x) * np.sin(np.arange(1, x.size + 1) * x**2 / PI) ** 20).sum()


def powell(x):
    a, b, c, d = x[0::4], x[1::4], x[2::4], x[3::4]
    return ((a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4).sum()


def rastrigin(x):
    return (x**2 + 10 * (1 - np.cos(2 * PI * x))).sum()


def rotated(function, d):
    q = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    return lambda x: function(q @ x)


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def schaffer2(x):
    a, b = x[0] ** 2, x[1] ** 2
    return 0.5 + (np.sin(a - b) ** 2 - 0.5) / (1 + 0.001 * (a + b)) ** 2


def schwefel(x):
    return 418.9828872724339 * x.size - (x * np.sin(np.sqrt(np.abs(x)))).sum()


SHEKEL = np.array([[4, 4, 4, 4], [1, 1, 1, 1], [8, 8, 8, 8], [6, 6, 6, 6], [3, 7, 3, 7], [2, 9, 2, 9],
                   [5, 5, 3, 3], [8, 1, 8, 1], [6, 2, 6, 2], [7, 3.6, 7, 3.6]])  # fmt: skip
DEPTHS = np.array([0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5])


def shekel(m):
    return lambda x: -(1 / (((x - SHEKEL[:m]) ** 2).sum(axis=1) + DEPTHS[:m])).sum()


def shubert(x):
    i = np.arange(1, 6)
    return (i * np.cos((i + 1) * x[0] + i)).sum() * (i * np.cos((i + 1) * x[1] + i)).sum()


def styblinski(x):
    return 0.5 * (x**4 - 16 * x**2 + 5 * x).sum()


def trid(x):
    return ((x - 1) ** 2).sum() - (x[1:] * x[:-1]).sum()


def zakharov(x):
    s = 0.5 * (np.arange(1, x.size + 1) * x).sum()
    return (x**2).sum() + s**2 + s**4


def dixon_price_optimum(d):
    i = np.arange(1, d + 1)
    return 2.0 ** (-(2.0**i - 2) / 2.0**i)


MICHALEWICZ = [2.202906, 1.570796, 1.284992, 1.923058, 1.720470, 1.570796, 1.454414, 1.756087, 1.655717, 1.570796]


TRID = np.arange(1, 11) * (11 - np.arange(1, 11))


def listed():
    """Name, function, box of each coordinate, a point near the optimum."""
    two = [
        ("beale", beale, (-4.5, 4.5), [3, 0.5]), ("bohachevsky", bohachevsky, (-75, 100), [0, 0]),
        ("booth", booth, (-10, 10), [1, 3]), ("branin", branin, [(-5, 10), (0, 15)], [PI, 2.275]),
        ("camel6", camel_six, [(-3, 3), (-2, 2)], [0.0898, -0.7126]),
        ("camel3", camel_three, (-3.75, 5), [0, 0]), ("cross in tray", cross_in_tray, (-10, 10), [1.3494, 1.3494]),
        ("drop wave", drop_wave, (-3.84, 5.12), [0, 0]), ("easom", easom, (-100, 100), [PI, PI]),
        ("eggholder", eggholder, (-512, 512), [512, 404.2319]),
        ("goldstein price", goldstein_price, (-2, 2), [0, -1]), ("himmelblau", himmelblau, (-5, 5), [3, 2]),
        ("holder table", holder_table, (-10, 10), [8.05502, 9.66459]), ("levy13", levy13, (-10, 10), [1, 1]),
        ("matyas", matyas, (-7.5, 10), [0, 0]), ("mccormick", mccormick, [(-1.5, 4), (-3, 4)], [-0.54719, -1.54719]),
        ("schaffer2", schaffer2, (-75, 100), [0, 0]), ("shubert", shubert, (-10, 10), [-7.0835, 4.8580]),
    ]  # fmt: skip
    rows = [(name, f, 2, box, x) for name, f, box, x in two]
    rows += [("hartmann 3", hartmann, 3, (0, 1), [0.114614, 0.555649, 0.852547])]
    rows += [(f"shekel {m}", shekel(m), 4, (0, 10), [4, 4, 4, 4]) for m in (5, 7, 10)]
    rows += [("colville", colville, 4, (-10, 10), [1] * 4), ("powell 4", powell, 4, (-4, 5), [0] * 4)]
    rows += [("hartmann 6", hartmann, 6, (0, 1), [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573])]
    rows += [("powell 8", powell, 8, (-4, 5), [0] * 8), ("trid 10", trid, 10, (-100, 100), TRID)]
    for d in (2, 5, 10):
        rows += [
            (f"ackley {d}", ackley, d, (-25, 32.768), np.zeros(d)),
            (f"dixon price {d}", dixon_price, d, (-10, 10), dixon_price_optimum(d)),
            (f"griewank {d}", griewank, d, (-450, 600), np.zeros(d)),
            (f"levy {d}", levy, d, (-10, 10), np.ones(d)),
            (f"michalewicz {d}", michalewicz, d, (0, PI), MICHALEWICZ[:d]),
            (f"rastrigin {d}", rastrigin, d, (-3.84, 5.12), np.zeros(d)),
            (f"rotated rastrigin {d}", rotated(rastrigin, d), d, (-3.84, 5.12), np.zeros(d)),
            (f"rosenbrock {d}", rosenbrock, d, (-5, 10), np.ones(d)),
            (f"schwefel {d}", schwefel, d, (-500, 500), np.full(d, 420.9687)),
            (f"styblinski {d}", styblinski, d, (-5, 5), np.full(d, -2.903534)),
            (f"zakharov {d}", zakharov, d, (-5, 10), np.zeros(d)),
        ]
    return rows


class Problem:
    def __init__(self, name, function, d, box, near):
        self.name, self.function, self.d = name, function, d
        self.box = np.array(box if isinstance(box, list) else [box] * d, dtype=float)
        self.least = least(function, np.asarray(near, dtype=float), self.box)


def least(function, near, box):
    """The least value, from a point near to where it is."""
    inside = np.clip(near, *box.T)
    found = [function(inside)]
    for method in ("L-BFGS-B", "Nelder-Mead"):
        options = {"xatol": 1e-12, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000} if method == "Nelder-Mead" else {}
        result = optimize.minimize(function, inside, method=method, bounds=box, tol=1e-14, options=options)
        inside = result.x if result.fun < min(found) else inside
        found.append(result.fun)
    return float(min(found))


PROBLEMS = {row[0]: Problem(*row) for row in listed()}
