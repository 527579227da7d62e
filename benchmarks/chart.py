"""Bar charts of times, as SVG: a group of bars for each workload, as many times as long as the first contender took."""

from __future__ import annotations

import math
from collections.abc import Mapping
from xml.sax.saxutils import escape

_COLOURS = ("#1b6ca8", "#8fb8de", "#e07a3f", "#7a9e3b", "#9b6bb3", "#c0504d")
_NAMES, _WIDTH, _BAR, _GAP = 110, 520, 14, 14
#: A bar of this ratio and more ends the chart: functions of elements take MXNet sixty times as long.
_MOST = 64


def chart(least: Mapping[str, Mapping[str, float]], reference: str) -> str:
    """Return a chart of seconds by workload and contender, as multiples of `reference`'s on a logarithmic scale."""
    contenders = list(dict.fromkeys(name for row in least.values() for name in row))
    parts, top = [], 34
    for index, name in enumerate(contenders):
        x = _NAMES + index * 95
        parts.append(f'<rect x="{x}" y="8" width="12" height="12" fill="{_COLOURS[index % len(_COLOURS)]}"/>')
        parts.append(f'<text x="{x + 17}" y="18">{escape(name)}</text>')
    for workload, row in least.items():
        parts.append(f'<text x="{_NAMES - 8}" y="{top + 11}" text-anchor="end">{escape(workload)}</text>')
        for name, seconds in row.items():
            ratio = seconds / row[reference]
            length = _length(ratio)
            colour = _COLOURS[contenders.index(name) % len(_COLOURS)]
            parts.append(f'<rect x="{_NAMES}" y="{top}" width="{length:.1f}" height="{_BAR - 2}" fill="{colour}"/>')
            parts.append(f'<text x="{_NAMES + length + 5:.1f}" y="{top + 10}">{ratio:.2f}</text>')
            top += _BAR
        top += _GAP
    one = _NAMES + _length(1)
    parts.append(
        f'<line x1="{one:.1f}" y1="28" x2="{one:.1f}" y2="{top - _GAP}" stroke="#444" stroke-dasharray="3 3"/>'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_NAMES + _WIDTH + 60}" height="{top}"'
    style = 'font-family="sans-serif" font-size="11" fill="#222"'
    return "\n".join([f"{head} {style}>", '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""])


def _length(ratio: float) -> float:
    """Return the length of a bar: a quarter of the chart's width is left of 1."""
    low, high = math.log(0.25), math.log(_MOST)
    place = (math.log(min(max(ratio, 0.26), _MOST)) - low) / (high - low)
    return place * _WIDTH
