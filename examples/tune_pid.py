"""Tune a PID controller on a simulated oven: two lags, dead time, a heater with a limit.

The cost weighs the error of a step of the set point and of a disturbance by time, and how much the
heater moves. The baseline is Skogestad's rule (SIMC), which an engineer would use for this plant.
"""

import matplotlib
import numpy as np

import _options
import enes

matplotlib.use("Agg")
import matplotlib.pyplot as plt

GAIN, LAG, LAG2, DEAD_TIME, LIMIT = 2.0, 8.0, 2.0, 1.0, 1.5
STEP, SECONDS, DISTURBED = 0.05, 60.0, 30.0
NAMES = ["gain", "integral time", "derivative time", "set-point weight"]
# For the comparison: where to start, how far to look, and the value that counts as solved: 1 % above the best known.
START, SIGMA, BOUNDS, ENOUGH = np.array([0.0, 2.0, 0.0, 0.0]), 0.7, None, 12.5


def simulate(parameters):
    """Times, temperatures and heater for a step of the set point to 1, with a disturbance at 30 s."""
    gain, integral_time, derivative_time, weight = parameters
    filter_time = max(0.1 * derivative_time, 2 * STEP)
    count = int(SECONDS / STEP)
    delay = [0.0] * round(DEAD_TIME / STEP)
    warm = output = integral = filtered = 0.0
    outputs, heats = [], []
    for k in range(count):
        error = 1.0 - output
        # The derivative of the filtered output: a step of the set point gives no kick.
        slope = (output - filtered) / filter_time
        filtered += STEP * slope
        wish = gain * (weight - output + integral - derivative_time * slope)
        heat = min(max(wish, -LIMIT), LIMIT)
        # At its limit the heater cannot follow: the integral waits (anti-windup).
        if heat == wish or error * wish < 0:
            integral += STEP * error / integral_time
        delay.append(heat - (0.3 if k * STEP >= DISTURBED else 0.0))
        warm += STEP * (GAIN * delay.pop(0) - warm) / LAG
        output += STEP * (warm - output) / LAG2
        if abs(output) > 1e3:
            break
        outputs.append(output)
        heats.append(heat)
    return STEP * np.arange(len(outputs)), np.array(outputs), np.array(heats)


def controller(x):
    """From the search's unbounded coordinates: positive by the exponential, a share by the logistic map."""
    x = np.clip(x, -7, 7)
    return np.append(np.exp(x[:3]), 1 / (1 + np.exp(-x[3])))


def cost(parameters):
    time, output, heater = simulate(parameters)
    if len(time) < int(SECONDS / STEP):
        return np.inf
    weight = np.where(time < DISTURBED, time, time - DISTURBED)
    return STEP * (weight * np.abs(1 - output)).sum() + 0.5 * np.abs(np.diff(heater)).sum()


def objective(x):
    return cost(controller(x))


def main():
    options = _options.read(__doc__)

    # SIMC for two lags, tightest setting, from the serial to the parallel form of the controller.
    series_gain, series_time = LAG / (GAIN * 2 * DEAD_TIME), min(LAG, 8 * DEAD_TIME)
    factor = 1 + LAG2 / series_time
    simc = np.array([series_gain * factor, series_time * factor, LAG2 / factor, 1.0])
    budget = 120 if options.quick else 1500
    result = enes.minimize(objective, START, SIGMA, rng=1, maxfevals=budget, tolfun=1e-6)
    tuned = controller(result.x)

    print(f"{result.message} ({result.nfev} evaluations)")
    print(f"cost: first guess {objective(START):.2f}, rule {cost(simc):.2f}, tuned {result.fun:.2f}")
    for name, ours, theirs in zip(NAMES, tuned, simc, strict=True):
        print(f"  {name:<16} {ours:8.3f}   rule {theirs:8.3f}")

    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained", height_ratios=[3, 2])
    for label, parameters, color in [("rule of Skogestad", simc, "#D55E00"), ("tuned by enes", tuned, "#0072B2")]:
        time, output, heater = simulate(parameters)
        above.plot(time, output, color=color, label=f"{label}, cost {cost(parameters):.2f}")
        below.plot(time, heater, color=color, lw=1)
    above.axhline(1, color="gray", ls=":", label="set point")
    above.set(ylabel="temperature", title="A PID controller against dead time, a limit and a disturbance at 30 s")
    above.legend(fontsize="small")
    below.set(xlabel="seconds", ylabel="heater")
    _options.save(figure, options.out / "tune_pid.png", dpi=110)


if __name__ == "__main__":
    main()
