"""One chart of lines on logarithmic axes, as an SVG file; and tables in Markdown."""

import math

COLOURS = ["#0b6e99", "#d9480f", "#2b8a3e", "#862e9c", "#c92a2a", "#5f3dc4", "#868e96", "#e67700"]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 440, 70, 40, 190, 50


def ticks(low, high):
    """Powers of ten within the range, with 2 and 5 where there are few."""
    tens = [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    if len(tens) < 4:
        tens = [m * t for t in tens for m in (1, 2, 5)]
    return [t for t in tens if low * 0.999 <= t <= high * 1.001]


def svg(path, title, x_label, y_label, lines, x_ticks):
    """`lines` maps a name to points (x, y) or (x, low, y, high); both axes are logarithmic."""
    lines = {name: [p if len(p) == 4 else (p[0], p[1], p[1], p[1]) for p in points] for name, points in lines.items()}
    points = [p for line in lines.values() for p in line]
    x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
    y0, y1 = min(p[1] for p in points) / 1.3, max(p[3] for p in points) * 1.3

    def x(v):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log(v / x0) / math.log(x1 / x0) if x1 > x0 else 0.5)

    def y(v):
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - math.log(v / y0) / math.log(y1 / y0))

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        "<style>:root{--ink:#222;--paper:#fff;--grid:#ddd}@media(prefers-color-scheme:dark)"
        "{:root{--ink:#eee;--paper:#1a1a1a;--grid:#444}}text{fill:var(--ink)}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="var(--paper)"/>',
        f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{title}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{x_label}</text>',
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">{y_label}</text>',
    ]
    for t in ticks(y0, y1):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(t):.1f}" y2="{y(t):.1f}" stroke="var(--grid)"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(t) + 4:.1f}" text-anchor="end">{t:g}</text>')
    for t in x_ticks:
        out.append(f'<text x="{x(t):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{t:g}</text>')
    taken = []
    for i, (name, line) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        path_points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, _, b, _ in line)
        out.append(f'<polyline points="{path_points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for a, low, b, high in line:
            if high > low:
                out.append(f'<line x1="{x(a):.1f}" x2="{x(a):.1f}" y1="{y(low):.1f}" y2="{y(high):.1f}" stroke="{colour}"/>')
            out.append(f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>')
        at = y(line[-1][2])
        while any(abs(at - other) < 14 for other in taken):
            at += 14 if at < HEIGHT - BOTTOM - 14 else -14 * (len(taken) + 1)
        taken.append(at)
        out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{at + 4:.1f}" style="fill:{colour}">{name}</text>')
    out.append("</svg>")
    path.write_text("\n".join(out) + "\n")


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value):
    """Three digits."""
    if value is None:
        return "–"
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:#.3g}".rstrip(".")


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low, high = values[math.floor(at)], values[math.ceil(at)]
    return low + (high - low) * (at - math.floor(at))
