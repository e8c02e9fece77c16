"""Fit differential equations to real data: the hares and lynxes of the Hudson Bay Company, 1900 to 1920.

The predator-prey model of Lotka and Volterra has six unknowns, four rates and the populations in 1900. All are positive
and of unknown magnitude, so the search runs over their logarithms. The data are the numbers of pelts, in thousands, as
printed in many textbooks; they go back to C. Elton and M. Nicholson, Journal of Animal Ecology 11 (1942), 215-244.
"""

import math

import matplotlib
import numpy as np

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

YEARS = np.arange(1900, 1921)
HARES = np.array([30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6, 52.3, 19.5, 11.2, 7.6,
                  14.6, 16.2, 24.7])
LYNXES = np.array([4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7,
                   10.1, 8.6])
DATA = np.log([HARES, LYNXES])
NAMES = ["hare growth", "predation", "lynx growth", "lynx death", "hares in 1900", "lynxes in 1900"]

# A cycle takes some ten years, so √(growth · death) = 2π / 10; the other two rates follow from the mean populations.
# For the comparison: where to start, how far to look, and the value that counts as solved: 1 % above the best known.
START, SIGMA, BOUNDS, ENOUGH = np.log([0.63, 0.63 / 20, 0.63 / 34, 0.63, 30.0, 4.0]), 0.5, None, 0.2214


def simulate(logs, steps=16):
    """Logarithms of both populations in each year, by the Runge-Kutta rule."""
    a, b, c, d, *start = (math.exp(min(max(v, -20), 20)) for v in logs)
    hares, lynxes = map(math.log, start)
    h, path = 1 / steps, [(hares, lynxes)]

    # In logarithms the populations stay positive; the limit only keeps hopeless candidates finite.
    def slope(u, v):
        return a - b * math.exp(min(v, 50)), c * math.exp(min(u, 50)) - d

    for _ in YEARS[1:]:
        for _ in range(steps):
            k1, l1 = slope(hares, lynxes)
            k2, l2 = slope(hares + h / 2 * k1, lynxes + h / 2 * l1)
            k3, l3 = slope(hares + h / 2 * k2, lynxes + h / 2 * l2)
            k4, l4 = slope(hares + h * k3, lynxes + h * l3)
            hares = min(max(hares + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), -50), 50)
            lynxes = min(max(lynxes + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4), -50), 50)
        path.append((hares, lynxes))
    return np.array(path).T


def objective(logs):
    """Root mean square of the logarithmic error: 0.1 is ten per cent."""
    return math.sqrt(((simulate(logs) - DATA) ** 2).mean())


def main():
    options = _options.read(__doc__)

    budget = 100 if options.quick else 2000
    result = enes.minimize(objective, START, SIGMA, rng=1, maxfevals=budget)
    print(f"{result.nfev} evaluations: error {result.fun:.4f}, first guess {objective(START):.3f}")
    for name, value in zip(NAMES, np.exp(result.x), strict=True):
        print(f"  {name:<15} {value:8.4f}")

    figure = plt.figure(figsize=(13, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[4, 6])
    enes.plot(result, names=NAMES, figure=right)
    panel, fit = left.subplots(), np.exp(simulate(result.x))
    for i, (name, color) in enumerate([("hares", "#0072B2"), ("lynxes", "#D55E00")]):
        panel.plot(YEARS, np.exp(DATA[i]), "o", color=color, ms=4, label=f"{name}, pelts")
        panel.plot(YEARS, fit[i], color=color, label=f"{name}, fit")
    panel.set(xlabel="year", ylabel="thousands", title="Hudson Bay, 1900 to 1920", xticks=range(1900, 1921, 5))
    panel.legend(fontsize="small")
    _options.save(figure, options.out / "hare_lynx.png", dpi=75)


if __name__ == "__main__":
    main()
