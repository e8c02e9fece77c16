"""The tasks of the comparison: each makes an objective from a seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import optuna
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer, StandardScaler
from sklearn.svm import SVR

Objective = Callable[[optuna.Trial], float]
X, y = load_diabetes(return_X_y=True)
y = (y - y.mean()) / y.std()


def error(model: object, folds: int = 5) -> float:
    """The mean squared error in so many folds, in units of the variance."""
    split = KFold(folds, shuffle=True, random_state=0)
    return -float(cross_val_score(model, X, y, cv=split, scoring="neg_mean_squared_error").mean())


def quadratic(d: int) -> Callable[[int], Objective]:
    """A quadratic of condition 100 in [-5, 5]^d, rotated, its optimum anywhere in [-3, 3]^d."""

    def make(seed: int) -> Objective:
        rng = np.random.default_rng([seed, d])
        rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
        axes, optimum = 10.0 ** np.linspace(0, 2, d), rng.uniform(-3, 3, d)

        def objective(trial: optuna.Trial) -> float:
            x = np.array([trial.suggest_float(f"x{i:02}", -5, 5) for i in range(d)])
            return float(axes @ (rotation @ (x - optimum)) ** 2)

        return objective

    return make


def svr(trial: optuna.Trial, prefix: str = "") -> float:
    c = trial.suggest_float(prefix + "C", 1e-2, 1e4, log=True)
    gamma = trial.suggest_float(prefix + "gamma", 1e-5, 1e1, log=True)
    epsilon = trial.suggest_float(prefix + "epsilon", 1e-4, 1e1, log=True)
    # Some corners would take minutes; a cap on the iterations is what users set.
    return error(make_pipeline(StandardScaler(), SVR(C=c, gamma=gamma, epsilon=epsilon, max_iter=20_000)))


def boosting(trial: optuna.Trial, prefix: str = "") -> float:
    return error(
        GradientBoostingRegressor(
            learning_rate=trial.suggest_float(prefix + "learning_rate", 1e-3, 1.0, log=True),
            n_estimators=trial.suggest_int(prefix + "n_estimators", 5, 50, log=True),
            max_depth=trial.suggest_int(prefix + "max_depth", 1, 5),
            subsample=trial.suggest_float(prefix + "subsample", 0.3, 1.0),
            min_samples_leaf=trial.suggest_int(prefix + "min_samples_leaf", 1, 50, log=True),
            random_state=0,
        ),
        folds=3,
    )


def mixed(trial: optuna.Trial) -> float:
    """Kernel ridge regression: two choices without an order, three numbers."""
    scalers = {
        "none": None,
        "standard": StandardScaler(),
        "minmax": MinMaxScaler(),
        "quantile": QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    }
    scaler = scalers[trial.suggest_categorical("scaler", list(scalers))]
    kernel = trial.suggest_categorical("kernel", ["rbf", "laplacian", "polynomial", "sigmoid"])
    alpha = trial.suggest_float("alpha", 1e-6, 1e2, log=True)
    gamma = trial.suggest_float("gamma", 1e-5, 1e2, log=True)
    coef0 = trial.suggest_float("coef0", 0.0, 3.0)
    model = KernelRidge(kernel=kernel, alpha=alpha, gamma=gamma, coef0=coef0, degree=2)
    return min(error(model if scaler is None else make_pipeline(scaler, model)), 1e3)


def conditional(trial: optuna.Trial) -> float:
    """Four kinds of model, each with numbers of its own."""
    kind = trial.suggest_categorical("model", ["svr", "boosting", "neighbours", "ridge"])
    if kind == "svr":
        return svr(trial, "svr_")
    if kind == "boosting":
        return boosting(trial, "boosting_")
    if kind == "neighbours":
        k = trial.suggest_int("k", 1, 100, log=True)
        p = trial.suggest_float("p", 1.0, 4.0)
        return error(make_pipeline(StandardScaler(), KNeighborsRegressor(k, p=p)))
    return error(Ridge(alpha=trial.suggest_float("alpha", 1e-6, 1e3, log=True)))


def dynamic(seed: int) -> Objective:
    """A band fitted to noisy data: the upper edge has the lower one as its least value."""
    rng = np.random.default_rng([seed, 3])
    t = np.linspace(0, 10, 200)

    def band(low: float, high: float, steep: float, height: float) -> np.ndarray:
        rise = 1 / (1 + np.exp(np.clip(-steep * (t - low), -500, 500)))
        fall = 1 / (1 + np.exp(np.clip(steep * (t - high), -500, 500)))
        return height * rise * fall

    low = rng.uniform(1, 5)
    data = band(low, low + rng.uniform(1, 3), 4.0, 2.0) + rng.normal(size=t.size) * 0.1

    def objective(trial: optuna.Trial) -> float:
        low = trial.suggest_float("low", 0, 8)
        high = trial.suggest_float("high", low, 10)
        steep = trial.suggest_float("steep", 0.1, 100, log=True)
        height = trial.suggest_float("height", 0, 5)
        return float(((band(low, high, steep, height) - data) ** 2).mean())

    return objective


TASKS: dict[str, Callable[[int], Objective]] = {
    "quadratic-5": quadratic(5),
    "quadratic-10": quadratic(10),
    "quadratic-20": quadratic(20),
    "svr": lambda seed: svr,
    "boosting": lambda seed: boosting,
    "mixed": lambda seed: mixed,
    "conditional": lambda seed: conditional,
    "dynamic": dynamic,
}
