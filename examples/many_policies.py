"""Swing up a pole on a cart: 1,000 neural policies simulated at once, in float32.

`vectorized=True` hands a whole generation to one call, an array with a row for each policy: a batch for an
accelerator, or as here for NumPy. The simulation is float32 throughout, and its costs go back as they are. With
JAX or PyTorch in NumPy's place nothing else changes: enes reads their arrays, too (docs/python/accelerators.md).
The pole hangs at first and the cart has a track of 2.4 m to both sides. 57 weights: eight hidden units with five
inputs (position, speed, sine, cosine and rate of the angle) and a bias, and their weighted sum.
"""

import time

import matplotlib
import numpy as np

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

GRAVITY, CART, POLE, HALF, LIMIT, STEP, STEPS, TRACK = 9.8, 1.0, 0.1, 0.5, 10.0, 0.04, 200, 2.4
HIDDEN, STARTS, POLICIES, PRICE = 8, 4, 1000, 1e-3


def starts(count, seed):
    """Position, speed, angle from the upright and its rate: hanging, nearly at rest."""
    spread = np.random.default_rng(seed).uniform(-1, 1, (count, 4)) * [0.5, 0.1, 0.2, 0.2]
    return (spread + [0, 0, np.pi, 0]).astype(np.float32)


def roll(weights, begin, path=None):
    """The cost of each policy, a row of weights: 0 is upright in the middle throughout, 1 hangs or is off the track."""
    weights = np.asarray(weights, dtype=np.float32)
    inner = weights[:, : 6 * HIDDEN].reshape(-1, 6, HIDDEN)
    outer, bias = weights[:, 6 * HIDDEN : 7 * HIDDEN, None], weights[:, -1:]
    x, v, a, r = np.repeat(begin.T[:, None, :], len(weights), axis=1)
    cost, seen = np.zeros_like(x), np.ones((*x.shape, 6), dtype=np.float32)
    for _ in range(STEPS):
        sine, cosine = np.sin(a), np.cos(a)
        for i, input in enumerate((x / TRACK, v / 3, sine, cosine, r / 5)):
            seen[:, :, i] = input
        force = LIMIT * np.tanh((np.tanh(seen @ inner) @ outer)[:, :, 0] + bias)
        push = (force + POLE * HALF * r**2 * sine) / (CART + POLE)
        turn = (GRAVITY * sine - cosine * push) / (HALF * (4 / 3 - POLE * cosine**2 / (CART + POLE)))
        v = v + STEP * (push - POLE * HALF * turn * cosine / (CART + POLE))
        r = np.clip(r + STEP * turn, -20, 20)
        x, a = x + STEP * v, a + STEP * r
        outside = np.abs(x) > TRACK
        v, x = np.where(outside, np.float32(0), v), np.clip(x, -TRACK, TRACK)
        cost += np.where(outside, 1, np.minimum(1, 0.45 * (1 - cosine) + 0.1 * (x / TRACK) ** 2))
        if path is not None:
            path.append((x[0], np.degrees((a[0] + np.pi) % (2 * np.pi) - np.pi)))
    # The price of large weights keeps the motor from going to and fro at full force.
    return cost.mean(axis=1) / STEPS + PRICE * (weights**2).mean(axis=1)


def main():
    options = _options.read(__doc__)
    d, begin = 7 * HIDDEN + 1, starts(STARTS, 1)
    policies, generations = (50, 2) if options.quick else (POLICIES, 120)

    es = enes.Optimizer(np.zeros(d), 1.0, rng=1, population=policies, maxiter=generations)
    result = es.optimize(lambda X: roll(X, begin), vectorized=True)
    new, path = starts(500, 2), []
    cost = roll(result.xfavorite[None], new, path)[0]
    angles = np.array([angle for _, angle in path])
    print(f"{result.nit} generations of {policies} policies: the best costs {result.fun:.3f}, zero weights "
          f"{roll(np.zeros((1, d)), begin)[0]:.3f}")
    print(f"the mean of the search on 500 new starts: {cost:.3f}; upright in the last second: "
          f"{(np.abs(angles[-25:]) < 15).all(axis=0).mean():.1%}")

    X = es.ask()
    clock = time.perf_counter()
    roll(X, begin)
    together = time.perf_counter() - clock
    for row in X[:20]:
        roll(row[None], begin)
    apart = (time.perf_counter() - clock - together) / 20
    print(f"a policy takes {1e3 * together / len(X):.2f} ms in a generation and {1e3 * apart:.1f} ms alone")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    columns = enes.history(result)
    for name, colour in [("generation_median", "#999999"), ("best", "#0072B2")]:
        left.plot(columns["generation"], columns[name], color=colour)
    left.set(xlabel="generation", ylabel="cost", title=f"{policies} policies in each")
    left.legend(["median of the generation", "best so far"])
    jumps = np.abs(np.diff(angles, axis=0, prepend=angles[:1])) > 180
    right.plot(STEP * np.arange(STEPS), np.where(jumps, np.nan, angles)[:, :20], color="#0072B2", lw=0.7)
    right.set(xlabel="seconds", ylabel="angle from the upright, degrees", title="Twenty new starts")
    _options.save(figure, options.out / "many_policies.png", dpi=80)


if __name__ == "__main__":
    main()
