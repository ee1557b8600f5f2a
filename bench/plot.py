"""Two kinds of SVG picture, which need nothing but a browser: bars beside each other, and lines. Both axes that hold
measurements are logarithmic, since what is compared differs by factors."""

import html
import math

WIDTH, LEFT, RIGHT, TOP, GAP = 860, 70, 45, 56, 40
COLOURS = ("#1f6f8b", "#d1603d", "#8a9a5b", "#7a5c99", "#c9a227", "#555555")


class Canvas:
    def __init__(self, title, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
            f'font-size="12" fill="#222222">',
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        ]
        self.text(LEFT, 20, title, "start", 'font-size="15"')

    def text(self, x, y, words, anchor="middle", more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{html.escape(words)}</text>')

    def line(self, x1, y1, x2, y2, colour="#dddddd"):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>')

    def bar(self, x, y, width, height, colour, says):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}">'
            f"<title>{html.escape(says)}</title></rect>"
        )

    def legend(self, names):
        x = LEFT
        for name, colour in zip(names, COLOURS):
            self.bar(x, 30, 11, 11, colour, name)
            self.text(x + 16, 40, name, "start")
            x += 34 + 7 * len(name)

    def svg(self):
        return "\n".join([*self.parts, "</svg>", ""])


class Scale:
    """From values to places, by logarithm, between full powers of ten."""

    def __init__(self, values, start, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.start, self.end = start, end

    def __call__(self, value):
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def powers(self):
        return [10.0**exponent for exponent in range(self.low, self.high + 1)]


def number(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _upright_axis(canvas, scale):
    for power in scale.powers():
        canvas.line(LEFT, scale(power), WIDTH - RIGHT, scale(power))
        canvas.text(LEFT - 6, scale(power) + 4, number(power), "end")


def bars(title, unit, groups, height=360):
    """`groups`: {a group's name: {a bar's name: value}}. A bar that is not there leaves its place empty."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    canvas = Canvas(f"{title}, {unit}", height)
    canvas.legend(names)
    bottom = height - GAP
    scale = Scale([value for group in groups.values() for value in group.values()], bottom, TOP)
    _upright_axis(canvas, scale)
    step = (WIDTH - LEFT - RIGHT) / len(groups)
    width = step * 0.8 / len(names)
    for i, (label, group) in enumerate(groups.items()):
        left = LEFT + step * (i + 0.1)
        for j, name in enumerate(names):
            if name in group:
                top = scale(group[name])
                says = f"{label}, {name}: {number(group[name])} {unit}"
                canvas.bar(left + j * width, top, width * 0.92, bottom - top, COLOURS[j], says)
        canvas.text(left + step * 0.4, bottom + 16, label, more='font-size="10"')
    canvas.line(LEFT, bottom, WIDTH - RIGHT, bottom, "#222222")
    return canvas.svg()


def lines(title, unit, across, series, height=360):
    """`series`: {a line's name: [(x, y)]}; `across` says what x is."""
    canvas = Canvas(f"{title}, {unit}", height)
    canvas.legend(series)
    points = [point for line in series.values() for point in line]
    bottom = height - GAP
    up = Scale([y for _, y in points], bottom, TOP)
    along = Scale([x for x, _ in points], LEFT, WIDTH - RIGHT)
    _upright_axis(canvas, up)
    for power in along.powers():
        canvas.line(along(power), TOP, along(power), bottom)
        canvas.text(along(power), bottom + 16, number(power))
    canvas.text((LEFT + WIDTH) / 2, height - 6, across)
    for (name, line), colour in zip(series.items(), COLOURS):
        path = " ".join(f"{along(x):.1f},{up(y):.1f}" for x, y in line)
        canvas.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in line:
            says = f"{name}: {number(y)} {unit} at {number(x)}"
            canvas.parts.append(
                f'<circle cx="{along(x):.1f}" cy="{up(y):.1f}" r="3.5" fill="{colour}">'
                f"<title>{html.escape(says)}</title></circle>"
            )
    return canvas.svg()
