"""A user's script: what is right passes both type checkers, and what is marked `# error` passes neither."""

import numpy as np
from numpy.typing import NDArray

import enes


def sphere(x: NDArray[np.float64]) -> float:
    return float(x @ x)


es = enes.Optimizer([1.0, 2.0], 0.5, rng=1, strategy="published", baseline="mean", tolx=None, workers=4)
points: NDArray[np.float64] = es.ask()
es.tell([1.0] * len(points))
es.tell(points.sum(axis=1), violations=[0.0] * len(points))
declared = enes.Optimizer([1.0, 2.0], 0.5, inequalities=["wall"], equalities=1, catol=1e-6)
declared.tell(declared.ask().sum(axis=1), constraints=[[0.0, 0.0]] * declared.population)
multiplier: float = declared.constraints[0]["multiplier"]

result: enes.OptimizeResult = enes.minimize(
    sphere, [1.0], 1.0, bounds=[(-5, None)], maxfevals=1e5, on_error="rank_last", timeout=3.0, integer=[True], disp="plot"
)
best: float = result.fun
where: NDArray[np.float64] = result.x
reason: dict[str, float] = result.stop
why: str = result.message
count: int = result.nfev + result.nit + result.status
mode = result.model["mode"] if result.model is not None else "none"
further = enes.Optimizer.load("run.enes", maxfevals=1000, timeout=None).optimize(sphere, workers=2)
columns: dict[str, NDArray[np.float64]] = enes.history(further)
rng = enes.minimize(sphere, np.zeros(3), np.ones(3), rng=np.random.default_rng(1), bounds=np.array([[0.0, 1.0]] * 3))

enes.minimize(sphere, [1.0], 1.0, maxfeval=3)  # error: no such option
enes.minimize(sphere, [1.0], 1.0, strategy="adaptiv")  # error: no such strategy
enes.minimize(sphere, [1.0], 1.0, restarts="bipo")  # error: no such restarts
enes.minimize(sphere, [1.0], 1.0, on_error="ignore")  # error: no such policy
enes.minimize(sphere, [1.0], 1.0, model="ranks")  # error: no such model
enes.minimize(sphere, [1.0], 1.0, tolx="small")  # error: not a number
enes.minimize(sphere, [1.0], 1.0, rng="seven")  # error: not a source of randomness
enes.minimize(sphere, [1.0], 1.0, disp="picture")  # error: no such display
enes.minimize(sphere, [1.0], 1.0, bounds=3)  # error: not bounds
enes.Optimizer([1.0], 1.0, popsize=3)  # error: no such option
enes.Optimizer.load("run.enes", population=3)  # error: cannot change in mid-run
result.nosuch  # error: no such field
wrong: int = result.message  # error: not a number
es.nosuch()  # error: no such method
