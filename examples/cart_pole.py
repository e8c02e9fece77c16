"""Learn to balance a pole on a cart: a linear policy, from noisy starts only.

The policy pushes with the force F = limit * tanh(w . state). Every generation draws new starts, so
the value is noisy, and the answer is the mean of the search (``xfavorite``), not its luckiest point.
Runs differ, so there are three, and other starts choose among them. Baselines: no push at all, and the
linear-quadratic regulator, which is told the equations; its weight of effort is chosen in the same way.
"""

import matplotlib
import numpy as np
from scipy.linalg import solve_continuous_are

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Barto, Sutton and Anderson's cart: masses, half length of the pole, the limits of track and angle.
GRAVITY, CART, POLE, HALF, LIMIT, STEP = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
TRACK, ANGLE, STEPS, STARTS = 2.4, 0.8, 400, 128
SPREAD = np.array([1.0, 0.5, 0.3, 0.5])  # of position, speed, angle and its rate at the start


def starts(rng, count):
    return SPREAD * rng.uniform(-1, 1, (count, 4))


def roll(weights, begin, path=None):
    """Mean cost of each policy, a row of weights, over all starts: 0 rests upright, 1 falls at once."""
    x, v, a, r = np.repeat(begin.T[:, None, :], len(weights), axis=1)
    w = weights.T[:, :, None]
    up, cost = np.ones_like(x, dtype=bool), np.zeros_like(x)
    for _ in range(STEPS):
        force = LIMIT * np.tanh(w[0] * x + w[1] * v + w[2] * a + w[3] * r)
        sine, cosine = np.sin(a), np.cos(a)
        push = (force + POLE * HALF * r**2 * sine) / (CART + POLE)
        turn = (GRAVITY * sine - cosine * push) / (HALF * (4 / 3 - POLE * cosine**2 / (CART + POLE)))
        speed = push - POLE * HALF * turn * cosine / (CART + POLE)
        v, r = v + STEP * speed, np.clip(r + STEP * turn, -50, 50)
        x, a = x + STEP * v, a + STEP * r
        up &= (np.abs(x) < TRACK) & (np.abs(a) < ANGLE)
        cost += np.where(up, 0.5 * (x / TRACK) ** 2 + 0.5 * (a / ANGLE) ** 2, 1.0)
        if path is not None:
            path.append(np.where(up, (x, a), np.nan))
    return (cost / STEPS).mean(axis=1), up.mean(axis=1)


def regulator(effort):
    """The weights of the linear-quadratic regulator: the same cost near the upright, and that of the force."""
    total = CART + POLE
    turn = 1 / (HALF * (4 / 3 - POLE / total))
    k = POLE * HALF / total
    A = np.array([[0, 1, 0, 0], [0, 0, -k * GRAVITY * turn, 0], [0, 0, 0, 1], [0, 0, GRAVITY * turn, 0]])
    B = np.array([[0], [(1 + k * turn) / total], [0], [-turn / total]])
    S = solve_continuous_are(A, B, np.diag([TRACK**-2, 0, ANGLE**-2, 0]), np.array([[effort]]))
    return -(B.T @ S)[0] / effort / LIMIT


def main():
    options = _options.read(__doc__)

    def learn(seed):
        rng = np.random.default_rng(seed)
        settings = {"rng": seed, "maxfevals": 60 if options.quick else 600, "vectorized": True}
        return enes.minimize(lambda w: roll(w, starts(rng, STARTS))[0], np.zeros(4), 1.0, **settings).xfavorite

    learnt = [learn(seed) for seed in ([1] if options.quick else [1, 2, 3])]
    regulators = [regulator(effort) for effort in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)]
    choosing, tests = starts(np.random.default_rng(100), 1000), starts(np.random.default_rng(101), 1000)
    choices = {"no push": [np.zeros(4)], "regulator": regulators, "enes": learnt}
    policies = {name: some[roll(np.array(some), choosing)[0].argmin()] for name, some in choices.items()}

    print("on 1000 new starts    mean cost   still up after 8 s")
    for name, weights in policies.items():
        cost, up = roll(weights[None], tests)
        print(f"  {name:<18} {cost[0]:10.4f}   {up[0]:12.1%}   weights {weights.round(2).tolist()}")
    print(f"all runs of enes: mean cost {', '.join(f'{c:.4f}' for c in roll(np.array(learnt), tests)[0])}")

    figure, panels = plt.subplots(2, 3, figsize=(10, 5), sharex=True, sharey="row", layout="constrained")
    for (above, below), (name, weights) in zip(panels.T, policies.items(), strict=True):
        path = []
        roll(weights[None], tests[:30], path)
        for panel, state, scale in [(above, 0, 1), (below, 1, 180 / np.pi)]:
            panel.plot(STEP * np.arange(STEPS), np.array(path)[:, state, 0] * scale, color="#0072B2", lw=0.7)
        above.set_title(name)
        below.set_xlabel("seconds")
    panels[0, 0].set_ylabel("position of the cart, m")
    panels[1, 0].set_ylabel("angle of the pole, degrees")
    _options.save(figure, options.out / "cart_pole.png", dpi=110)


if __name__ == "__main__":
    main()
