"""A view as SVG: by itself, and beside it the backward pass and the functional form."""

from html import escape

from torchlike._draw.layout import INSIDE, LETTER, LINE, Place, laid_out
from torchlike._draw.view import View

_MARGIN, _APART, _HEAD = 16, 70, 28
_STYLE = """
svg { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: #fff; color: #1b1f24 }
.box rect { fill: #f4f6f8; stroke: #8a96a3 } .leaf rect { fill: #e2f3e4; stroke: #4b8b56 } .many rect { stroke-width: 2.5 }
.open > rect { fill: none; stroke: #8a96a3; stroke-dasharray: 4 3 } text { fill: #1b1f24 } .coloured text { fill: #1b1f24 }
.minor { fill: #56616c } .coloured .minor { fill: #333b44 } .head { font-weight: bold; font-size: 13px }
path { fill: none; stroke: #68737f } path.back { stroke: #b4513c } .fill { fill: #68737f; stroke: none }
.fill.back { fill: #b4513c } a:hover text, a:focus text { text-decoration: underline }
:target > rect { stroke: #c2410c; stroke-width: 4 }
@media (prefers-color-scheme: dark) {
svg { background: #14181d; color: #e4e8ec } .box rect { fill: #232a32; stroke: #6d7a87 } .leaf rect { fill: #1d3a25 }
text { fill: #e4e8ec } .minor { fill: #a3aeb9 } .coloured text { fill: #1b1f24 } .coloured .minor { fill: #333b44 }
path { stroke: #8d99a5 } .fill { fill: #8d99a5 } path.back { stroke: #e28a76 } .fill.back { fill: #e28a76 } }
"""


class Column:
    """One of the pictures that stand side by side.

    Args:
        title: what is written above it, "" for nothing.
        lines: {key: list of texts} of each closed box.
        colours: {key: colour} of some.
        is_back: whether arrows point from results to operands.
    """

    def __init__(self, title: str, lines: dict, colours: dict, is_back: bool = False):
        self.title, self.lines, self.colours, self.is_back = title, lines, colours, is_back


def svg(view: View, columns: list[Column], hints: dict, leaves: set, functional: list) -> str:
    """The picture.

    Args:
        view: the View.
        columns: the pictures, from left to right; they have the same places.
        hints: {key: text} of what is shown where the pointer rests.
        leaves: the keys of leaves.
        functional: (text, key or None) of each line of the functional form, to be written at the right; [] for none.
    """
    places = laid_out(view, {key: _room([column.lines[key] for column in columns]) for key in columns[0].lines})
    width = max((p.x + p.width for p in places.values()), default=0.0)
    height = max((p.y + p.height for p in places.values()), default=0.0)
    head = _HEAD if any(column.title for column in columns) else 0
    parts, x = [], float(_MARGIN)
    for number, column in enumerate(columns):
        parts.append(f'<g transform="translate({x:.0f} {_MARGIN + head})">')
        parts += [f'<text class="head" y="-12">{escape(column.title)}</text>'] if column.title else []
        parts += _column(view, places, column, hints, leaves, "" if not number else f"c{number}-")
        parts.append("</g>")
        x += width + _APART
    x -= _APART
    if functional:
        x += _APART
        parts.append(f'<g transform="translate({x:.0f} {_MARGIN + head})">')
        parts += ['<text class="head" y="-12">jaxpr</text>', *_text(functional), "</g>"]
        x += max(len(text) for text, _ in functional) * LETTER
        height = max(height, len(functional) * LINE)
    whole = x + _MARGIN, height + head + 2 * _MARGIN
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]:.0f}" height="{whole[1]:.0f}" '
            f'viewBox="0 0 {whole[0]:.0f} {whole[1]:.0f}" role="img"><title>autograd graph</title><style>{_STYLE}</style>\n'
            + "\n".join(parts) + "\n</svg>\n")


def _room(texts) -> tuple:
    """(letters, lines) of a box that holds each of some texts."""
    return max(len(line) for lines in texts for line in lines), max(map(len, texts))


def _column(view, places, column, hints, leaves, prefix) -> list:
    found = []
    for box in view.each():
        place = places[box.key]
        if box.boxes is not None:
            found.append(f'<g class="open">{_rect(place)}<text x="{place.x + INSIDE:.1f}" y="{place.y + 16:.1f}">'
                         f"{escape(box.title)}</text></g>")
    for start, end, _ in view.arrows:
        found.append(_arrow(places[end], places[start], True) if column.is_back else
                     _arrow(places[start], places[end], False))
    for box in view.each():
        if box.boxes is None:
            found += _box(box, places[box.key], column, hints.get(box.key, ""), box.key in leaves, prefix)
    return found


def _rect(place: Place, colour="") -> str:
    style = f' style="fill:{colour}"' if colour else ""
    return (f'<rect x="{place.x:.1f}" y="{place.y:.1f}" width="{place.width:.1f}" height="{place.height:.1f}" '
            f'rx="5"{style}/>')


def _box(box, place, column, hint, is_leaf, prefix) -> list:
    colour = column.colours.get(box.key, "")
    kinds = ["box", *(["leaf"] if is_leaf else []), *(["many"] if box.count > 1 else []), *(["coloured"] if colour else [])]
    found = [f'<g class="{" ".join(kinds)}" id="{prefix}{escape(box.key)}"><title>{escape(hint)}</title>'
             f"{_rect(place, colour)}"]
    for i, line in enumerate(column.lines[box.key]):
        kind = ' class="minor"' if i else ""
        found.append(f'<text{kind} x="{place.x + 9:.1f}" y="{place.y + 17 + LINE * i:.1f}">{escape(line)}</text>')
    return [*found, "</g>"]


def _arrow(start: Place, end: Place, is_back: bool) -> str:
    """A curve from one box to the other, and its head."""
    down = end.y >= start.y
    x0, y0 = start.x + start.width / 2, start.y + (start.height if down else 0)
    x1, y1 = end.x + end.width / 2, end.y + (0 if down else end.height)
    bend = max(abs(y1 - y0) / 2, 14) * (1 if down else -1)
    kind = ' class="back"' if is_back else ""
    tip = 6 if down else -6
    return (f'<path{kind} d="M{x0:.1f} {y0:.1f}C{x0:.1f} {y0 + bend:.1f} {x1:.1f} {y1 - bend:.1f} {x1:.1f} {y1:.1f}"/>'
            f'<path class="fill{" back" if is_back else ""}" d="M{x1:.1f} {y1:.1f}l-3.5 {-tip}h7z"/>')


def _text(lines) -> list:
    found = []
    for i, (text, key) in enumerate(lines):
        shown = f'<text xml:space="preserve" y="{(i + 1) * LINE}">{escape(text)}</text>'
        found.append(f'<a href="#{escape(key)}">{shown}</a>' if key is not None else shown)
    return found
