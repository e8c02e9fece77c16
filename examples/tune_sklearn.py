"""Tune a scikit-learn model: a support vector regression of the diabetes data, by cross-validation.

Three hyper-parameters, each searched by its logarithm. The score that counts is that on a third of the
patients, which neither the model nor the search has seen. Baselines: the default values, and a
random search with as many cross-validations.
"""

import matplotlib
import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

NAMES = ["log10 C", "log10 gamma", "log10 epsilon"]
LOW, HIGH = np.array([-2.0, -4.0, -3.0]), np.array([2.0, 1.0, 0.0])
DEFAULT = np.log10([1.0, 0.1, 0.1])  # gamma="scale" is 1 / 10 for ten standardized features


def model(logs):
    C, gamma, epsilon = 10.0 ** np.clip(logs, -5, 2)
    regression = make_pipeline(StandardScaler(), SVR(C=C, gamma=gamma, epsilon=epsilon))
    return TransformedTargetRegressor(regression, transformer=StandardScaler())


def main():
    options = _options.read(__doc__)

    X, y = load_diabetes(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=1 / 3, random_state=0)
    folds = KFold(5, shuffle=True, random_state=0)

    seen = []

    def error(logs):
        """1 - R² of the cross-validation: 1 is as good as the mean, 0 is perfect."""
        seen.append(1 - cross_val_score(model(logs), X, y, cv=folds, scoring="r2").mean())
        return seen[-1]

    def test_score(logs):
        return model(logs).fit(X, y).score(X_test, y_test)

    budget = 10 if options.quick else 120
    result = enes.minimize(error, (LOW + HIGH) / 2, (HIGH - LOW) / 4, rng=1, maxfevals=budget,
                           population=5 if options.quick else None)
    draws = np.random.default_rng(1).uniform(LOW, HIGH, (budget, 3))
    values = np.array([error(logs) for logs in draws])

    print(f"{result.message}: {', '.join(f'{n} {v:.2f}' for n, v in zip(NAMES, result.x, strict=True))}")
    print("R²               cross-validated   unseen patients")
    for name, logs in [("default", DEFAULT), ("random search", draws[values.argmin()]), ("enes", result.x)]:
        print(f"  {name:<14} {1 - error(logs):15.3f}   {test_score(logs):15.3f}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    count = np.arange(1, budget + 1)
    left.step(count, 1 - np.minimum.accumulate(values), color="#D55E00", label="random search")
    left.step(count, 1 - np.minimum.accumulate(seen[:budget]), color="#0072B2", label="enes")
    left.axhline(1 - error(DEFAULT), color="gray", ls=":", label="default")
    left.set(xlabel="cross-validations", ylabel="best cross-validated R²", title="How fast", ylim=(0.4, 0.56))
    left.legend(fontsize="small")
    right.plot(y_test, model(DEFAULT).fit(X, y).predict(X_test), ".", color="gray", label="default")
    right.plot(y_test, model(result.x).fit(X, y).predict(X_test), ".", color="#0072B2", label="tuned by enes")
    right.plot([25, 350], [25, 350], color="gray", lw=0.8)
    right.set(xlabel="progression of the disease", ylabel="predicted", title="Unseen patients")
    right.legend(fontsize="small")
    _options.save(figure, options.out / "tune_sklearn.png", dpi=110)


if __name__ == "__main__":
    main()
