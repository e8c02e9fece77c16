"""Neural policies with one hidden layer for three motors: a pendulum, a cart with a pole, a two-link arm.

A row of weights is a policy; all rows are simulated at once. Costs are sums over the steps, means over a few fixed starts.
"""

import numpy as np


def layers(weights, inputs, outputs):
    """Hidden and output weights, each with a bias; as many hidden units as there are weights for."""
    hidden = (weights.shape[1] - outputs) // (inputs + 1 + outputs)
    first = weights[:, : hidden * (inputs + 1)].reshape(-1, inputs + 1, hidden)
    second = weights[:, hidden * (inputs + 1) :].reshape(-1, hidden + 1, outputs)
    return first, second


def act(policy, seen):
    """Commands from -1 to 1; `seen` has the shape (policies, starts, inputs)."""
    first, second = policy
    inner = np.tanh(seen @ first[:, :-1] + first[:, -1:])
    return np.tanh(inner @ second[:, :-1] + second[:, -1:])


def states(rows, starts):
    """One array of (policies, starts) for each number of a state."""
    return [np.tile(column, (len(rows), 1)) for column in np.array(starts).T]


def pendulum(rows):
    """Gym's: torque at most 2, too weak to lift it. Four starts, hanging among them."""
    policy = layers(rows, 3, 1)
    angle, speed = states(rows, [(np.pi, 0), (2.0, 0), (-1.0, 0.5), (-2.6, -1)])
    cost = 0.0
    for _ in range(200):
        torque = 2 * act(policy, np.stack([np.cos(angle), np.sin(angle), speed / 8], axis=2))[:, :, 0]
        wrapped = (angle + np.pi) % (2 * np.pi) - np.pi
        cost = cost + wrapped**2 + 0.1 * speed**2 + 0.001 * torque**2
        speed = np.clip(speed + 0.05 * (15 * np.sin(angle) + 3 * torque), -8, 8)
        angle = angle + 0.05 * speed
    return cost.mean(axis=1)


def cart_pole(rows):
    """Barto, Sutton and Anderson's cart, whose pole hangs at first; a track of 2.4 to both sides ends in walls."""
    policy = layers(rows, 5, 1)
    x, v, a, r = states(rows, [(0, 0, np.pi, 0), (0.4, 0, np.pi - 0.3, 0)])
    cost = 0.0
    for _ in range(200):
        sine, cosine = np.sin(a), np.cos(a)
        force = 10 * act(policy, np.stack([x / 2.4, v / 3, sine, cosine, r / 5], axis=2))[:, :, 0]
        push = (force + 0.05 * r**2 * sine) / 1.1
        turn = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        v = v + 0.04 * (push - 0.05 * turn * cosine / 1.1)
        r = np.clip(r + 0.04 * turn, -20, 20)
        x, a = x + 0.04 * v, a + 0.04 * r
        wall = np.abs(x) > 2.4
        x, v = np.clip(x, -2.4, 2.4), np.where(wall, 0, v)
        cost = cost + 0.5 * (1 - cosine) + 0.1 * (x / 2.4) ** 2 + 0.5 * wall
    return cost.mean(axis=1)


def arm(rows):
    """Two links of mass and length 1 under gravity; the tip is to reach a point and stay. Angles are from below."""
    policy = layers(rows, 8, 2)
    starts = [(0, 0, 0, 0, 1.0, 0.8), (0, 0, 0, 0, -0.9, -0.6), (0.5, -0.5, 0, 0, 0.3, 1.5)]
    p, q, dp, dq, tx, ty = states(rows, starts)
    cost = 0.0
    for _ in range(120):
        seen = np.stack([np.sin(p), np.cos(p), np.sin(q), np.cos(q), dp / 5, dq / 5, tx, ty], axis=2)
        torque = act(policy, seen) * [30, 15]
        c, s = np.cos(q), np.sin(q)
        # Mass matrix, Coriolis and gravity terms of two point masses at the ends of their links; a little friction.
        m11, m12, m22 = 3 + 2 * c, 1 + c, 1.0
        g2 = 9.8 * np.sin(p + q)
        b1 = torque[:, :, 0] + s * dq * (2 * dp + dq) - 19.6 * np.sin(p) - g2 - 0.5 * dp
        b2 = torque[:, :, 1] - s * dp**2 - g2 - 0.5 * dq
        determinant = m11 * m22 - m12**2
        dp = np.clip(dp + 0.03 * (m22 * b1 - m12 * b2) / determinant, -12, 12)
        dq = np.clip(dq + 0.03 * (m11 * b2 - m12 * b1) / determinant, -12, 12)
        p, q = p + 0.03 * dp, q + 0.03 * dq
        off = (np.sin(p) + np.sin(p + q) - tx) ** 2 + (-np.cos(p) - np.cos(p + q) - ty) ** 2
        cost = cost + off + 0.01 * (dp**2 + dq**2)
    return cost.mean(axis=1)


#: Simulation and numbers of weights, nearest to 41, 161, 521 and 2000.
POLICIES = {"pendulum": (pendulum, (41, 161, 521, 2001)), "cart-pole": (cart_pole, (43, 162, 519, 2003)),
            "arm": (arm, (46, 156, 519, 2004))}  # fmt: skip


def make(name, d, seed):
    """The cost of all rows and a start: small weights at random."""
    return POLICIES[name][0], 0.1 * np.random.default_rng(seed).standard_normal(d)
