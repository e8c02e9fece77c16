"""Shape a wing section: the least suction at a lift coefficient of 0.6, at least 12 % thick.

Suction peaks make a boundary layer separate, and a hydrofoil cavitate. The flow is computed by a panel method after
Hess and Smith, sources on each of 80 panels and one circulation; the angle of attack follows from the lift. Eight
numbers give the shape, four Bernstein polynomials for each side. The value is a maximum, so it is not smooth.
"""

import matplotlib
import numpy as np

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PANELS, LIFT, THICKNESS = 80, 0.6, 0.12
CHORD = 0.5 * (1 + np.cos(np.linspace(0, np.pi, PANELS // 2 + 1)))  # from the trailing edge to the nose
BASIS = np.sqrt(CHORD) * (1 - CHORD) * np.array(
    [c * CHORD**k * (1 - CHORD) ** (3 - k) for k, c in enumerate([1, 3, 3, 1])]
)

# For the comparison: where to start, how far to look, and the value that counts as solved: 1 % above the best known.
START, SIGMA, ENOUGH = np.array([0.18, 0.16, 0.14, 0.17, 0.18, 0.16, 0.14, 0.17]), 0.05, 0.5374
BOUNDS = [(0.1, 0.4)] * 5 + [(-0.2, 0.4)] * 3  # a blunt nose; a hollow below only further back


def section(shape):
    """The corners of the panels, clockwise from the trailing edge, largest and least thickness."""
    upper, lower = shape[:4] @ BASIS, -shape[4:] @ BASIS
    x = np.concatenate([CHORD, CHORD[-2::-1]])
    y = np.concatenate([lower, upper[-2::-1]])
    return x, y, (upper - lower).max(), (upper - lower)[np.abs(CHORD - 0.5) < 0.48].min()


def pressure(shape):
    """Pressure coefficients at the middles of the panels, for the wanted lift; None where there is no flow."""
    x, y, _, _ = section(shape)
    dx, dy = np.diff(x), np.diff(y)
    length, mx, my = np.hypot(dx, dy), x[:-1] + dx / 2, y[:-1] + dy / 2
    cosine, sine = dx / length, dy / length
    # Velocities at the middle of i by panel j of strength 1, in the coordinates of j: along it and across.
    rx, ry = mx[:, None] - x[:-1], my[:, None] - y[:-1]
    along, across = rx * cosine + ry * sine, ry * cosine - rx * sine
    u = np.log(np.hypot(along, across) / np.hypot(along - length, across)) / (2 * np.pi)
    v = (np.arctan2(across, along - length) - np.arctan2(across, along)) / (2 * np.pi)
    np.fill_diagonal(v, 0.5)
    c = cosine[:, None] * cosine + sine[:, None] * sine
    s = sine[:, None] * cosine - cosine[:, None] * sine
    normal, tangent = v * c - u * s, u * c + v * s  # of sources; vortices are turned by a right angle
    matrix = np.block([[normal, -tangent.sum(1)[:, None]],
                       [(tangent[0] + tangent[-1])[None], np.array([[(normal[0] + normal[-1]).sum()]])]])
    wind = np.array([[sine, -cosine], [-(cosine[[0, -1]]).sum(), -(sine[[0, -1]]).sum()]], dtype=object)
    right = np.column_stack([np.append(wind[0, k], wind[1, k]) for k in (0, 1)]).astype(float)
    strengths = np.linalg.solve(matrix, right)  # for wind along x and along y
    speeds = tangent @ strengths[:-1] + normal.sum(1)[:, None] * strengths[-1] + np.column_stack([cosine, sine])
    a, b = 2 * strengths[-1] * length.sum()  # the lift is a cos α + b sin α
    if abs(LIFT) > np.hypot(a, b):
        return None
    angle = np.arcsin(LIFT / np.hypot(a, b)) - np.arctan2(a, b)
    return 1 - (speeds @ [np.cos(angle), np.sin(angle)]) ** 2, np.degrees(angle), (mx, my)


def objective(shape):
    """The strongest suction; a section that is too thin, or crosses itself, pays for what it lacks."""
    shape = np.asarray(shape)
    _, _, thickness, least = section(shape)
    lacks = max(0.0, THICKNESS - thickness) + max(0.0, 0.002 - least)
    flow = pressure(shape) if least > 0 else None
    return 10.0 + 100 * lacks if flow is None else -flow[0].min() + 100 * lacks


def main():
    options = _options.read(__doc__)
    budget = 60 if options.quick else 3000
    result = enes.minimize(objective, START, SIGMA, bounds=BOUNDS, rng=1, maxfevals=budget)
    print(f"{result.nfev} evaluations: suction {result.fun:.3f}, at first {objective(START):.3f}")
    print(f"shape: {result.x.round(3).tolist()}")
    grid = {"height_ratios": [3, 1]}
    figure, (above, below) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, gridspec_kw=grid, layout="constrained")
    for name, shape, color in [("symmetric", START, "gray"), ("shaped", result.x, "#0072B2")]:
        values, angle, (x, _) = pressure(shape)
        above.plot(x, -values, color=color, label=f"{name}, {angle:.1f}°")
        below.plot(*section(shape)[:2], color=color)
    above.set(ylabel="suction, -cp", title=f"Lift coefficient {LIFT}")
    above.legend()
    below.set(xlabel="chord", aspect="equal")
    _options.save(figure, options.out / "wing_section.png", dpi=90)


if __name__ == "__main__":
    main()
