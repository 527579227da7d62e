"""The user's statement that raised an error, and the names in it and in the calls that led to it."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Iterator, Sequence
from types import FrameType, TracebackType
from typing import Any, NamedTuple

#: Packages whose code is never the user's.
_ENGINE = ("mxnet", "hybridlint", "numpy", "importlib", "contextlib")
_STRING = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_WORD = re.compile(r"(?<![\w.])(?:(?:self|cls)\.)?_*([A-Za-z]\w*)")
_FIELD = re.compile(r"\.([A-Za-z_]\w*)|\[['\"](\w+)['\"]\]")
#: A name with attributes that is subscripted.
_SUBSCRIPTED = re.compile(r"(?<![\w.\])])([A-Za-z_]\w*(?:\.\w+)*)\[")
_CONDITION = re.compile(r"\s*(?:if|elif|assert|for|while)\b")
#: How many lines above a `raise` to look for its condition.
_ABOVE = 4
#: Most keys of a dictionary that are reported.
_MOST_KEYS = 6


class FailureSite(NamedTuple):
    """The innermost statement of the user's code that failed, and the names near it.

    Names are without leading underscores; those of the innermost statement come first. `own` is True if the
    user's code raised the error itself, rather than something that it called. `fields` are the attributes and the
    string keys that the statements use. If a key was `missing` from a dictionary, `keys` has those that it
    holds, all as expressions.
    """

    statement: str = ""
    names: tuple[str, ...] = ()
    own: bool = False
    fields: tuple[str, ...] = ()
    missing: str = ""
    keys: tuple[str, ...] = ()


def blame(error: BaseException) -> FailureSite:
    """Return the user's failing statement for an error, and the names in the user's frames of its traceback."""
    statement = ""
    names: dict[str, None] = {}
    fields: dict[str, None] = {}
    own = False
    through = list(calls(error))
    for call in reversed(through):
        if is_engine(call.tb_frame):
            continue
        # Frames of the engine, of which there are many, are not looked up in their files.
        (summary,) = traceback.extract_tb(call, limit=1)
        text = statement_of(summary)
        own = own or (not statement and call is through[-1])
        statement = statement or text
        names.update(dict.fromkeys(_WORD.findall(_STRING.sub("", text))))
        fields.update(dict.fromkeys(attribute or key for attribute, key in _FIELD.findall(text)))
    missing, keys = (
        _keys(error, through[-1].tb_frame, statement) if through and isinstance(error, KeyError) else ("", ())
    )
    return FailureSite(statement, tuple(names), own, tuple(fields), missing, keys)


def calls(error: BaseException) -> Iterator[TracebackType]:
    """Yield the calls through which an error passed, the outermost first."""
    call = error.__traceback__
    while call is not None:
        yield call
        call = call.tb_next


def _keys(error: KeyError, frame: FrameType, statement: str) -> tuple[str, tuple[str, ...]]:
    """Return the key of a KeyError and the keys of the dictionary that lacks it, as expressions; ("", ()) if none."""
    for owner in _SUBSCRIPTED.findall(_STRING.sub("", statement)):
        held = _value(owner.split("."), frame)
        if isinstance(held, dict) and error.args and error.args[0] not in held:
            return repr(error.args[0]), tuple(repr(key) for key in held if isinstance(key, (str, int)))[:_MOST_KEYS]
    return "", ()


def _value(names: Sequence[str], frame: FrameType) -> Any:
    """Return the value of a variable in a frame, or of what its attributes lead to."""
    value = frame.f_locals.get(names[0], frame.f_globals.get(names[0]))
    for name in names[1:]:
        value = getattr(value, "__dict__", {}).get(name)
    return value


def is_engine(frame: FrameType) -> bool:
    """Whether a frame belongs to a package whose code is never the user's."""
    return str(frame.f_globals.get("__name__", "")).split(".")[0] in _ENGINE


def statement_of(frame: traceback.FrameSummary) -> str:
    """Return the expression that failed; before Python 3.11 the line. A `raise` comes with its condition."""
    first = frame.lineno or 0
    last = getattr(frame, "end_lineno", None) or first
    lines = [linecache.getline(frame.filename, row) for row in range(first, min(last, first + 9) + 1)]
    if lines[0].strip().startswith("raise"):
        above = [linecache.getline(frame.filename, row) for row in range(first - 1, max(first - _ABOVE, 0), -1)]
        condition = next((line for line in above if _CONDITION.match(line)), "")
        return f"{condition.strip()} {lines[0].strip()}".strip()
    start, end = getattr(frame, "colno", None), getattr(frame, "end_colno", None)
    if start is None or end is None:
        return " ".join(line.strip() for line in lines)
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return " ".join(line.strip() for line in lines)
