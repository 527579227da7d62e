"""The shortening of expressions for messages: no call and no bracket is cut in the middle."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"(?P<string>'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")"
    r"|(?P<comment>\#[^\n]*)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<blank>\s+)",
    re.DOTALL,
)
_LEFT_OUT = "..."


def shorten_code(code: str, longest: int) -> str:
    """Return the source of an expression on one line, in about `longest` characters.

    The contents of brackets are left out, ``F.softmax(...).reshape(-1)``, and then what follows the last whole part.
    Of a subscript the beginning stays, as ``x[...]`` means something.
    """
    text = _on_one_line(code)
    while len(text) > longest:
        shorter = _shorter(text, longest)
        if not shorter:
            return _first_parts(text, longest) or f"{text[: longest - len(_LEFT_OUT)]}{_LEFT_OUT}"
        enough = [each for each in shorter if len(each) <= longest]
        text = max(enough, key=len) if enough else min(shorter, key=len)
    return text


def _shorter(text: str, longest: int) -> list[str]:
    """Return the text with one pair of brackets shortened, for each pair; bare ellipses only if necessary."""
    preferred: list[str] = []
    last_resort: list[str] = []
    for begin, end in _bracketed(text):
        inner = text[begin:end]
        less = _first_parts(inner, end - begin - (len(text) - longest)) if text[begin - 1] == "[" else _LEFT_OUT
        (preferred if less else last_resort).append(f"{text[:begin]}{less or _LEFT_OUT}{text[end:]}")
    shorter = [each for each in preferred if len(each) < len(text)]
    return shorter or [each for each in last_resort if len(each) < len(text)]


def _on_one_line(code: str) -> str:
    without = _TOKEN.sub(lambda token: "" if token["comment"] else token[0], code)
    return " ".join(without.split())


def _bracketed(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the contents of each pair of brackets begin and end."""
    begun: list[int] = []
    for token in _TOKEN.finditer(text):
        if token["open"]:
            begun.append(token.end())
        elif token["close"] and begun:
            yield begun.pop(), token.start()


def _first_parts(text: str, longest: int) -> str:
    """Return the beginning of a text up to a blank outside of brackets and strings, "" if there is none."""
    depth, cut = 0, 0
    for token in _TOKEN.finditer(text):
        depth += bool(token["open"]) - bool(token["close"])
        if token["blank"] and not depth and token.start() + 1 + len(_LEFT_OUT) <= longest:
            cut = token.start()
    return f"{text[:cut]} {_LEFT_OUT}" if cut else ""
