"""What a printed traceback tells: the frames, the last message, and the node of the graph that it names."""

from __future__ import annotations

import re

from hybridlint.runtime.facts.records import record

#: Python's frames, and those of IPython before and since version 8.
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<row>\d+)', re.MULTILINE)
_IPYTHON = re.compile(r"^File (?P<path>[^\s:]+\.py):(?P<row>\d+),? in ", re.MULTILINE)
_OLD_IPYTHON = re.compile(r"^(?P<path>[~/][^\s:]*\.py) in .*\n(?:.*\n)*?-+> ?(?P<row>\d+) ", re.MULTILINE)
_NODE = re.compile(r"(?:in node|Error in operator) (?P<name>[\w.]+)")
_LAST = re.compile(r"^(?:[\w.]+(?:Error|Exception|Warning|ForSymbol)|AssertionError)\b.*", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@record(frozen=True, slots=True)
class Told:
    """The frames of a traceback, outermost first, as files and rows; the last message; the node, or None."""

    frames: tuple[tuple[str, int], ...]
    message: str
    node: str | None


def read(text: str) -> Told:
    """Return what a printed traceback tells. Colours are ignored."""
    text = _COLOUR.sub("", text)
    found = sorted(
        (match for pattern in (_FRAME, _IPYTHON, _OLD_IPYTHON) for match in pattern.finditer(text)),
        key=lambda match: match.start(),
    )
    nodes = _NODE.findall(text)
    messages = _LAST.findall(text)
    message = messages[-1] if messages else next((line for line in text.split("\n")[::-1] if line.strip()), "")
    frames = tuple((match["path"], int(match["row"])) for match in found)
    return Told(frames, message.strip(), nodes[-1] if nodes else None)
