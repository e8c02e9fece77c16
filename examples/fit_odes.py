"""Fit differential equations to data: the predator-prey model of Lotka and Volterra.

Six unknowns: four rates and two initial populations. All are positive and of unknown magnitude, so
the search runs over their logarithms. The misfit has several optima: with a budget, a search that ends
in one is followed by another. The data are made here, with ten per cent noise and seed 7.
"""

import matplotlib
import numpy as np

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NAMES = ["prey growth", "predation", "predator growth", "predator death", "first prey", "first predators"]
TRUTH = np.array([0.55, 0.028, 0.024, 0.80, 30.0, 6.0])
GUESS = np.array([1.0, 0.1, 0.1, 1.0, 20.0, 20.0])
YEARS = np.arange(0.0, 20.5, 0.5)
# For the comparison: where to start, how far to look, and the value that counts as solved: 1 % above the best known.
START, SIGMA, BOUNDS, ENOUGH = np.log(GUESS), 0.5, None, 0.0855


def simulate(parameters, steps=10):
    """Logarithms of both populations at YEARS, by the Runge-Kutta rule: shape (k, 2, years) for k rows."""
    a, b, c, d, prey, predators = np.atleast_2d(parameters).T

    # In logarithms the populations stay positive; the clip only keeps hopeless candidates finite.
    def slope(z):
        prey, predators = np.exp(np.clip(z, -50, 50))
        return np.stack([a - b * predators, c * prey - d])

    z = np.log([prey, predators])
    h = (YEARS[1] - YEARS[0]) / steps
    path = [z]
    for _ in YEARS[1:]:
        for _ in range(steps):
            k1 = slope(z)
            k2 = slope(z + h / 2 * k1)
            k3 = slope(z + h / 2 * k2)
            z = np.clip(z + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(z + h * k3)), -50, 50)
        path.append(z)
    return np.moveaxis(np.array(path), 2, 0).swapaxes(1, 2)


DATA = simulate(TRUTH)[0] + 0.1 * np.random.default_rng(7).standard_normal((2, len(YEARS)))


def misfit(logs):
    """Root mean square of the logarithmic error: 0.1 is ten per cent. One value for each row."""
    return np.sqrt(((simulate(np.exp(logs)) - DATA) ** 2).mean(axis=(1, 2)))


def objective(logs):
    return misfit(logs)[0]


def main():
    options = _options.read(__doc__)

    budget = 150 if options.quick else 4000
    result = enes.minimize(misfit, START, SIGMA, rng=1, maxfevals=budget, tolfun=1e-6, vectorized=True)

    ended = ", ".join(f"{search['fun']:.4f}" for search in result.restarts)
    print(f"{result.nfev} evaluations; the searches that ended found {ended or 'nothing yet'}")
    print(f"error: first guess {objective(START):.3f}, fit {result.fun:.4f}, true parameters "
          f"{objective(np.log(TRUTH)):.4f}")
    for name, fitted, true in zip(NAMES, np.exp(result.x), TRUTH, strict=True):
        print(f"  {name:<18} {fitted:8.4f}   true {true:8.4f}")

    figure = plt.figure(figsize=(14, 5.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[4, 6])
    panel = left.subplots()
    enes.plot(result, names=NAMES, figure=right)  # the jumps are restarts
    fit, guess = np.exp(simulate(np.exp(result.x))[0]), np.exp(simulate(GUESS)[0])
    for i, (name, color) in enumerate([("prey", "#0072B2"), ("predators", "#D55E00")]):
        panel.plot(YEARS, np.exp(DATA[i]), "o", color=color, ms=4, label=f"{name}, data")
        panel.plot(YEARS, fit[i], color=color, label=f"{name}, fit")
        panel.plot(YEARS, guess[i], ":", color=color, lw=1, label=f"{name}, first guess")
    panel.set(xlabel="years", ylabel="population", yscale="log", ylim=(1.5, 300))
    panel.set_title(f"Six unknowns from {DATA.size} noisy counts", fontsize="medium")
    panel.legend(ncols=2, fontsize="small", loc="upper right")
    _options.save(figure, options.out / "fit_odes.png", dpi=75)


if __name__ == "__main__":
    main()
