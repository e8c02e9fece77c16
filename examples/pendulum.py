"""Swing a pendulum up with a motor that is too weak to lift it: a small neural policy, from simulations only.

Sixteen weights: four hidden units, each with three inputs, and their sum. The policy is odd, as the pendulum is. The
value is the mean over eight starts all round the circle, so it has no noise; but it has many local optima, as most
policies never come up. Constants are those of the classic task: mass and length 1, torque at most 2, gravity 10.
"""

import matplotlib
import numpy as np

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

GRAVITY, LIMIT, STEP, STEPS = 10.0, 2.0, 0.05, 200
BEGIN = np.linspace(-np.pi, np.pi, 8, endpoint=False) + 0.1  # angles from the upright

# For the comparison: where to start, how far to look, and the value that counts as solved: most starts come up.
START, SIGMA, BOUNDS, ENOUGH = np.zeros(16), 1.0, None, 1.5


def simulate(weights, begin, path=None):
    """The mean cost of a policy over all starts: the square of the angle, and a little for speed and torque."""
    inner, outer = weights[:12].reshape(4, 3), weights[12:]
    angle, speed, cost = begin.copy(), np.zeros_like(begin), 0.0
    for _ in range(STEPS):
        seen = np.array([np.sin(angle), speed / 4, np.sin(angle) * np.cos(angle)])
        torque = LIMIT * np.tanh(outer @ np.tanh(inner @ seen))
        wrapped = (angle + np.pi) % (2 * np.pi) - np.pi
        cost += (wrapped**2 + 0.1 * speed**2 + 0.001 * torque**2).mean()
        speed = np.clip(speed + STEP * (1.5 * GRAVITY * np.sin(angle) + 3 * torque), -8, 8)
        angle = angle + STEP * speed
        if path is not None:
            path.append((wrapped, torque))
    return cost / STEPS


def objective(weights):
    return simulate(np.asarray(weights), BEGIN)


def main():
    options = _options.read(__doc__)

    budget = 60 if options.quick else 3000
    result = enes.minimize(objective, START, SIGMA, rng=1, maxfevals=budget)
    new = np.random.default_rng(1).uniform(-np.pi, np.pi, 500)
    path = []
    print(f"{result.nfev} evaluations: mean cost {result.fun:.3f}, without a motor {objective(START):.3f}")
    print(f"on 500 new starts: {simulate(result.x, new, path):.3f}; upright at the end: "
          f"{(np.abs(path[-1][0]) < 0.2).mean():.1%}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), sharex=True, layout="constrained")
    angles, torques = (np.array(part) for part in zip(*path, strict=True))
    jumps = np.abs(np.diff(angles, axis=0, prepend=angles[:1])) > np.pi
    seconds = STEP * np.arange(STEPS)
    left.plot(seconds, np.degrees(np.where(jumps, np.nan, angles))[:, :40], color="#0072B2", lw=0.7)
    left.set(xlabel="seconds", ylabel="angle from the upright, degrees", title="Forty new starts")
    right.plot(seconds, torques[:, :5], lw=0.9)
    right.set(xlabel="seconds", ylabel="torque", title="The motor, five of them")
    _options.save(figure, options.out / "pendulum.png", dpi=90)


if __name__ == "__main__":
    main()
