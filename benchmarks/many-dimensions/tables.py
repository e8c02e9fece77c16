"""Tables of the records."""

import numpy as np

METHODS = ("enes", "pycma", "pycma diagonal", "pycma VD", "SepCMA", "L-BFGS-B", "SPSA")

#: In tables of their own, beside enes.
NATURAL = ("enes", "CR-FM-NES", "SNES", "OpenES")


def at(record, evaluations):
    """The best value after so many evaluations; the last one where the run ended by itself before; None where it was ended."""
    values = [best for count, best in record["curve"] if count <= evaluations]
    if record["evaluations"] < evaluations and record["stop"] in ("time", "budget"):
        return None
    return values[-1] if values else None


def until(record, value):
    """Evaluations until a value at least this good; None where it was not reached."""
    return next((count for count, best in record["curve"] if best <= value), None)


def median(values):
    return None if not values or any(v is None for v in values) else float(np.median(values))


def cell(value, best, form):
    if value is None:
        return "–"
    return f"**{value:{form}}**" if value == best else f"{value:{form}}"


def line(words):
    return "| " + " | ".join(words) + " |"


def head(words):
    return [line(words), "|---" * len(words) + "|"]


def problems(records):
    """Records by problem, dimension and scale."""
    groups = {}
    for r in records:
        groups.setdefault((r["problem"], r["d"], r["sigma"]), {}).setdefault(r["method"], []).append(r)
    order = list(dict.fromkeys(r["problem"] for r in records))
    return sorted(groups.items(), key=lambda g: (order.index(g[0][0]), g[0][1], -g[0][2]))


def same_starts(records, methods):
    """The runs of these methods from starts that all of them have."""
    having = {}
    for r in records:
        having.setdefault((r["problem"], r["d"], r["sigma"], r["run"]), set()).add(r["method"])
    return [r for r in records if r["method"] in methods and having[r["problem"], r["d"], r["sigma"], r["run"]].issuperset(methods)]


def among(records, methods):
    """Those of the methods that have a record."""
    return [m for m in methods if any(r["method"] == m for r in records)]


def left(records, evaluations):
    """log₁₀ of what is left of the start's value, the median; None where a run was ended before."""
    values = [at(r, evaluations) for r in records]
    return median([None if v is None else np.log10(max(v, 1e-300) / r["first"]) for v, r in zip(values, records, strict=True)])


def policies(records):
    methods = among(records, METHODS)
    out = head(["policy", "d", "σ₀", *(f"{m}, {n}" for n in (300, 600, 2000) for m in methods)])
    better = within = count = 0
    for (name, d, sigma), group in problems(records):
        words = [name, str(d), f"{sigma:g}"]
        for n in (300, 600, 2000):
            values = {m: median([at(r, n) for r in group.get(m, [])]) for m in methods}
            best = min((v for v in values.values() if v is not None), default=None)
            words += [cell(values[m], best, ".4g") for m in methods]
            if values.get("enes") is not None and values.get("pycma") is not None:
                count, better = count + 1, better + (values["enes"] < values["pycma"])
                within += values["enes"] <= 1.02 * values["pycma"]
        out.append(line(words))
    return [*out, "", f"Of {count} cells enes' median is below pycma's in {better}, and at most 1.02 times it in {within}."]


def rotated(records):
    marks = (10, 30, 100, 500)
    out = head(["function", "d", *(f"{w}, {m} d" for m in marks for w in ("ratio", "enes", "pycma", "diagonal", "L-BFGS-B")[: 5 if m < 500 else 3])])
    ratios = {m: [] for m in marks}
    for (name, d, _), group in problems(records):
        words = [name, str(d)]
        for m in marks:
            pairs = [(next(r for r in group["enes"] if r["run"] == p["run"]), p) for p in group.get("pycma", []) if "enes" in group
                     and any(r["run"] == p["run"] for r in group["enes"])]  # fmt: skip
            found = [(until(e, at(p, m * d)), e) for e, p in pairs if at(p, m * d) is not None]
            shares = [n / (m * d) if n else max(1.0, e["evaluations"] / (m * d)) for n, e in found]
            ratio = median(shares)
            missed = sum(n is None for n, _ in found) > len(found) / 2
            if ratio is not None:
                ratios[m].append(np.inf if missed else ratio)
            words.append("–" if ratio is None else f"{'> ' if missed else ''}{ratio:.2f}")
            logs = {}
            for method in ("enes", "pycma", "pycma diagonal", "L-BFGS-B"):
                middle = left(group.get(method, []), m * d)
                logs[method] = None if middle is None else round(middle, 1)
            logs = {method: v for method, v in logs.items() if m < 500 or method in ("enes", "pycma")}
            best = min((v for v in logs.values() if v is not None), default=None)
            words += [cell(v, best, ".1f") for v in logs.values()]
        out.append(line(words))
    said = "; ".join(f"{sum(r <= 0.7 for r in ratios[m])} of {len(ratios[m])} at {m} d" for m in marks)
    return [*out, "", f"The ratio is at most 0.7 in {said}."]


def large(records, of=METHODS):
    methods = among(records, of)
    out = head(["function", "d", "evaluations", *methods, *(f"{m}, s" for m in methods)])
    for (name, d, _), group in problems([r for r in records if r["method"] in methods]):
        # As far as everyone came, and a tenth of the way.
        reach = min((min(r["evaluations"] if r["stop"] == "time" else r["budget"] for r in runs) for runs in group.values()), default=0)
        for n in (reach // 10, reach):
            values = {m: left(group.get(m, []), n) for m in methods}
            values = {m: None if v is None else round(v, 2) for m, v in values.items()}
            times = {m: median([n * (r["own"] / max(1, r["evaluations"])) for r in group.get(m, [])]) for m in methods}
            times = {m: None if v is None else float(f"{v:.2g}") for m, v in times.items()}
            best, least = (min((v for v in column.values() if v is not None), default=None) for column in (values, times))
            words = [cell(values[m], best, ".2f") for m in methods] + [cell(times[m], least, "g") for m in methods]
            out.append(line([name, str(d), str(n), *words]))
    return out


def beside(records, marks, value, form, key):
    """enes and natural evolution strategies of others at some marks; in how many cells it is ahead."""
    methods = among(records, NATURAL)
    out = head([*key, *(f"{m}, {mark}" for mark in marks for m in methods)])
    ahead, cells = {m: 0 for m in methods[1:]}, 0
    for (name, d, sigma), group in problems(records):
        words = [name, str(d), f"{sigma:g}"][: len(key)]
        for mark in marks:
            values = {m: value(group[m], mark, d) for m in methods}
            best = min((v for v in values.values() if v is not None), default=None)
            words += [cell(values[m], best, form) for m in methods]
            cells += 1
            for m in ahead:
                ahead[m] += values["enes"] is not None and values[m] is not None and values["enes"] < values[m]
        out.append(line(words))
    said = ", ".join(f"{m}'s in {count}" for m, count in ahead.items())
    return [*out, "", f"Of {cells} cells enes' median is below {said}."]


def natural_policies(records):
    def cost(runs, n, _):
        return median([at(r, n) for r in runs])

    return beside(records, (300, 600, 2000), cost, ".4g", ("policy", "d", "σ₀"))


def natural_rotated(records):
    def logarithm(runs, mark, d):
        value = left(runs, int(mark.split()[0]) * d)
        return None if value is None else round(value, 1)

    return beside(records, ("10 d", "30 d", "100 d"), logarithm, ".1f", ("function", "d"))


def natural_large(records):
    return large(records, NATURAL)


def own(records):
    methods = among(records, dict.fromkeys((*METHODS, *NATURAL)))
    out = head(["d", *methods])
    for d in sorted({r["d"] for r in records}):
        times = {}
        for m in methods:
            chosen = [r for r in records if r["d"] == d and r["method"] == m and r["evaluations"]]
            times[m] = median([1e6 * r["own"] / r["evaluations"] for r in chosen])
        best = min(v for v in times.values() if v is not None)
        out.append(line([str(d), *(cell(times[m], best, ".0f") for m in methods)]))
    return out


def text(records):
    parts = [
        ("policies", policies, "Policies: median cost after 300, 600 and 2000 evaluations"),
        ("rotated", rotated, "Rotated functions: evaluations of enes to pycma's value after 10 d, 30 d, 100 d and 500 d evaluations, divided by that; "
         "and log₁₀ of what is left of the start's value"),
        ("large", large, "Up to 100,000 dimensions: log₁₀ of what is left of the start's value, and own seconds up to there"),
        ("policies", natural_policies, "Natural evolution strategies of others, policies: median cost"),
        ("rotated", natural_rotated, "Natural evolution strategies of others, rotated functions: log₁₀ of what is left"),
        ("large", natural_large, "Natural evolution strategies of others, up to 100,000 dimensions: log₁₀ of what is left, and own seconds"),
    ]  # fmt: skip
    out = []
    for part, make, title in parts:
        chosen = [r for r in records if r["part"] == part]
        natural = make in (natural_policies, natural_rotated, natural_large)
        chosen = same_starts(chosen, NATURAL) if natural else [r for r in chosen if r["method"] in METHODS]
        if chosen:
            runs = sorted({sum(1 for r in chosen if (r["problem"], r["d"], r["sigma"], r["method"]) == k)
                           for k in {(r["problem"], r["d"], r["sigma"], r["method"]) for r in chosen}})  # fmt: skip
            out += [f"{title}. Runs of a cell: {' to '.join(str(n) for n in dict.fromkeys((runs[0], runs[-1])))}.", "", *make(chosen), ""]
    out += ["Own microseconds for an evaluation, median over all runs of a dimension.", "", *own(records)]
    return "\n".join(out) + "\n"
