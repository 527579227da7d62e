"""A compiled graph as an SVG image: operators and shapes from top to bottom, coloured by whether the runs agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from hybridlint.core.proof_outcome import ReportedNode
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import show_shape

_WIDTH, _HEIGHT = 156, 58
_SPACING_X, _SPACING_Y = 18, 26
_MARGIN = 8
#: Most characters of an operator's name that fit in its box.
_LONGEST = 19
_LONGEST_SHAPE = 25
#: The distance of two lines in a box.
_LINE = 14
#: The style of a picture that stands in no page.
_STYLE = (
    "path{fill:none;stroke:#888}rect{fill:#fff;stroke:#888}.agrees rect{fill:#e3f4e6;stroke:#2e7d32}"
    ".input rect{fill:none;stroke-dasharray:3 3}text{font:12px monospace;text-anchor:middle}text.row{font-size:10px}"
)


@record(frozen=True, slots=True)
class _Box:
    node: ReportedNode
    x: int
    y: int


def picture(graph: Sequence[ReportedNode]) -> str:
    """Return the SVG element of a graph without its parameters, or "" if it has no operators."""
    shown = {k: node for k, node in enumerate(graph) if node.operator or node.name.startswith("data")}
    if not any(node.operator for node in shown.values()):
        return ""
    boxes = _placed(shown)
    width = max(box.x for box in boxes.values()) + _WIDTH + _MARGIN
    height = max(box.y for box in boxes.values()) + _HEIGHT + _MARGIN
    edges = "".join(
        _edge(boxes[source], box)
        for box in boxes.values()
        for source in dict.fromkeys(box.node.inputs)
        if source in boxes
    )
    return (
        f'<svg class="graph" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="graph of {len(boxes)} nodes">{edges}{"".join(map(_box, boxes.values()))}</svg>'
    )


def file_of(svg: str) -> str:
    """Return an SVG element of `picture` as a file of its own, with its colours."""
    head, rest = svg.split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{_STYLE}</style>{rest}\n'


def _placed(nodes: Mapping[int, ReportedNode]) -> dict[int, _Box]:
    """Lay out nodes in layers, each below all of its inputs and horizontally close to them."""
    depth: dict[int, int] = {}
    for k, node in nodes.items():
        depth[k] = 1 + max((depth[source] for source in node.inputs if source in depth), default=-1)
    layers: dict[int, list[int]] = {}
    for k, layer in depth.items():
        layers.setdefault(layer, []).append(k)
    columns: dict[int, float] = {}
    for layer in sorted(layers):
        layers[layer].sort(key=lambda k: _middle(nodes[k], columns))
        columns.update((k, place - len(layers[layer]) / 2) for place, k in enumerate(layers[layer]))
    left = min(columns.values())
    return {
        k: _Box(
            nodes[k],
            _MARGIN + round((columns[k] - left) * (_WIDTH + _SPACING_X)),
            _MARGIN + depth[k] * (_HEIGHT + _SPACING_Y),
        )
        for k in nodes
    }


def _middle(node: ReportedNode, columns: Mapping[int, float]) -> float:
    known = [columns[source] for source in node.inputs if source in columns]
    return sum(known) / len(known) if known else 0.0


def _edge(source: _Box, target: _Box) -> str:
    x1, y1 = source.x + _WIDTH // 2, source.y + _HEIGHT
    x2, y2 = target.x + _WIDTH // 2, target.y
    return f'<path d="M{x1} {y1}C{x1} {y1 + _SPACING_Y},{x2} {y2 - _SPACING_Y},{x2} {y2}"/>'


def _box(box: _Box) -> str:
    node = box.node
    label = node.operator or node.name
    label = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
    kind = node.state if node.operator else "input"
    middle = box.x + _WIDTH // 2
    lines = [("name", f"\u2717 {label}" if kind == "parts" else label), *(("row", text) for text in _below(node))]
    first = box.y + _HEIGHT // 2 + 4 - _LINE * (len(lines) - 1) // 2
    texts = "".join(
        f'<text class="{name}" x="{middle}" y="{first + _LINE * k}">{escape(text)}</text>'
        for k, (name, text) in enumerate(lines)
    )
    return (
        f'<g class="{kind or "unknown"}"><title>{escape(_told(node))}</title>'
        f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{_HEIGHT}" rx="7"/>{texts}</g>'
    )


def _below(node: ReportedNode) -> Iterator[str]:
    """Yield the lines below the name in a box: the shape, and the row."""
    if node.shape is not None:
        shape = show_shape(node.shape)
        yield shape if len(shape) <= _LONGEST_SHAPE else f"{shape[: _LONGEST_SHAPE - 1]}…"
    if node.row is not None:
        yield f"line {node.row}"


def _told(node: ReportedNode) -> str:
    """Return all that is known of a node, for whoever points at it."""
    shape = "" if node.shape is None else f" {show_shape(node.shape)}"
    return f"{node.name}{shape}"
