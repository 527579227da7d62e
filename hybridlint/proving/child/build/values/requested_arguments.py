"""Values for a constructor argument that an error message or its failing statement suggests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from hybridlint.proving.child.classes import BLOCK, HYBRID_BLOCK
from hybridlint.proving.child.errors import Failure

_LISTS = ("[4, 4]", "(4, 4)", "[1, 1, 1, 1]", "[(1, 4), (1, 4)]")
_ARRAYS = ("nd.ones((4, 4))", "nd.ones((4,))")
_CALLABLES = ("nn.Dense(4)", "nn.Dense", "nn.BatchNorm", "nn.Conv2D(4, 3, padding=1)")
#: Factories that return a layer for any arguments.
_FACTORIES = ("lambda *args, **kwargs: nn.Dense(4)", "lambda *args, **kwargs: nn.Conv2D(4, 3, padding=1)")
_NUMBERS = ("4", "0.5", "1")
_TEXTS = ('"relu"', '"a"')
_TYPES = {
    "int": _NUMBERS[:1],
    "float": ("0.5", "1.0"),
    "bool": ("True", "False"),
    "str": _TEXTS,
    "list": ("[4, 4]", "[1, 1, 1, 1]", "[nn.Dense(4), nn.Dense(4)]"),
    "tuple": ("(4, 4)", "(1, 1, 1, 1)"),
    "dict": ("{}", '{"a": 4}'),
    "OrderedDict": ('OrderedDict([("a", 4)])', "OrderedDict()"),
    "NDArray": _ARRAYS,
    "ndarray": ("np.ones((4, 4))",),
    "Symbol": (),
    "Loss": ("gluon.loss.L2Loss()",),
    BLOCK: _CALLABLES[:1],
    HYBRID_BLOCK: _CALLABLES[:1],
}
#: Attribute -> expressions of objects that have it, besides classes of the package.
_ATTRIBUTES = {
    **dict.fromkeys(("shape", "dtype", "size", "context", "ctx", "ndim", "asnumpy", "expand_dims"), _ARRAYS),
    "begin_state": ("gluon.rnn.GRU(4)", "gluon.rnn.LSTM(4)", "gluon.rnn.LSTMCell(4)"),
    **dict.fromkeys(("unroll", "state_info", "reset"), ("gluon.rnn.GRUCell(4)", "gluon.rnn.LSTMCell(4)")),
    **dict.fromkeys(("items", "keys", "values", "get", "update", "setdefault"), ('{"a": 4}', "{}")),
    **dict.fromkeys(("append", "extend", "index", "insert"), _LISTS),
    **dict.fromkeys(("lower", "upper", "split", "startswith", "endswith", "format", "strip"), _TEXTS),
}
#: Pattern of an error message -> expressions to try.
_SENTENCES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"object is not iterable|has no len\(\)|object is not subscriptable|non-iterable|not support indexing", _LISTS),
    (r"object is not reversible|argument of type .* is not iterable", _LISTS),
    (r"object is not callable", _CALLABLES),
    (r"duplicat|distinct|unique|sorted|increasing|ascending", ("[1, 2, 4]", "(1, 2, 4)")),
    (r"probability|between 0 and 1|in \[0, 1\]|\(0, 1\)", ("0.5",)),
    (r"not supported between instances of '(?:list|tuple)'", (*_ARRAYS, *_NUMBERS)),
    (r"not supported between instances of 'NoneType'|with NoneType|'NoneType' and|and 'NoneType'", _NUMBERS),
    (r"unsupported operand|can't multiply sequence|can only concatenate|must be real number|not 'list'", _NUMBERS),
    (r"expected str|must be (?:a )?str|string type", _TEXTS),
    (r"must be (?:an? )?int|integer is required|cannot be interpreted as an integer", ("4", "1")),
    (r"must be (?:a )?(?:list|tuple|sequence)|expected (?:a )?(?:list|tuple|sequence)", _LISTS),
    (r"list index out of range|tuple index out of range", ("[4, 4, 4, 4, 4]", "(4, 4, 4, 4)")),
)
#: Attributes that only recurrent layers and cells have.
_OF_CELLS = frozenset(("begin_state", "reset", "state_info", "unroll"))
_QUOTED = re.compile(r"'([\w.+\- ]{1,30})'|\"([\w.+\- ]{1,30})\"")
_OPTIONS = re.compile(
    r"\bone of|\bin \[|\bin \{|\bin \(|options?|choices|support|Literal\[|expected|expect\b|must be", re.I
)
_ATTRIBUTE = re.compile(r"object has no attribute '(\w+)'")
_ISINSTANCE = re.compile(r"isinstance\(\s*[\w.]+\s*,\s*\(?([\w., ]+)\)?\s*\)")
_RESHAPED = re.compile(r"shape: \([\d, ]*\) cannot be reshaped to \(([\d, ]+)\)")
_NO_INPUTS = re.compile(r"\b(?:forward|__call__)\(\) missing \d+ required positional")
#: The error of `index` for an item that a list must hold; from Python 3.14 on the call alone names the item.
_ABSENT = re.compile(r"ValueError: ('[^']{1,30}'|\d+) is not in list")
_ABSENT_UNNAMED = "list.index(x): x not in list"
_SOUGHT = re.compile(r"\.index\(\s*('[^']{1,30}'|\"[^\"]{1,30}\"|\d+)\s*\)")
_COUNT = re.compile(r"expected (\d+)")
_LENGTH = re.compile(r"len\([\w.]+\)\s*==\s*(\d+)")


def requested_values(failure: Failure) -> Iterator[str]:
    """Yield expressions for an argument that an error suggests, the likeliest first."""
    sentence, statement = failure.sentence, failure.blame.statement
    attribute = missing_attribute(failure)
    if attribute is not None:
        yield from _ATTRIBUTES.get(attribute, ())
    if calls_a_layer(failure):
        yield from _FACTORIES
    for name in asserted_types(failure):
        yield from _TYPES.get(name, ())
    absent = _SOUGHT.search(statement) if _ABSENT_UNNAMED in sentence else _ABSENT.search(sentence)
    if absent is not None:
        item = absent[1].replace('"', "'")
        yield f"[{item}, 'a', 'b', 'c']"
    filled = _RESHAPED.search(sentence)
    if filled is not None:
        yield f"[0.5] * {prod(int(size) for size in filled[1].split(',') if size.strip())}"
    if "unpack" in sentence or _LENGTH.search(statement):
        yield from _of_length(sentence, statement)
    if _OPTIONS.search(f"{sentence} {statement}"):
        yield from (repr(left or right) for left, right in _QUOTED.findall(f"{statement} {sentence}"))
    for pattern, values in _SENTENCES:
        if re.search(pattern, sentence):
            yield from values


def objects_with(attribute: str) -> tuple[str, ...]:
    """Return expressions for recurrent layers and cells if only these have the attribute; empty for any other."""
    return _ATTRIBUTES.get(attribute, ()) if attribute in _OF_CELLS else ()


def missing_attribute(failure: Failure) -> str | None:
    """Return the attribute in an error like "object has no attribute 'x'", None for other errors."""
    match = _ATTRIBUTE.search(failure.sentence)
    return match[1] if match else None


def calls_a_layer(failure: Failure) -> bool:
    """Whether a layer was called without inputs."""
    return _NO_INPUTS.search(failure.sentence) is not None


def asserted_types(failure: Failure) -> list[str]:
    """Return the unqualified names of the types in the `isinstance` calls of the failing statement."""
    lists = (names.split(",") for names in _ISINSTANCE.findall(failure.blame.statement))
    return [name.strip().split(".")[-1] for names in lists for name in names if name.strip()]


def _of_length(sentence: str, statement: str) -> Iterator[str]:
    match = _COUNT.search(sentence) or _LENGTH.search(statement)
    count = int(match[1]) if match else statement.split("=", maxsplit=1)[0].count(",") + 1
    if 1 < count < 9:
        items = ", ".join(["4"] * count)
        yield from (f"({items})", f"[{items}]", f"[({items}), ({items})]")
