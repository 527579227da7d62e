"""The versions of hybridlint that a project's settings ask for."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path

from hybridlint import __version__
from hybridlint.core.errors import UsageError

_Release = tuple[int, ...]
_ONE = r"(==|!=|>=|<=|>|<)?\s*(\d{1,9}(?:\.\d{1,9}){0,9})"
_CONDITION = re.compile(_ONE)
#: A pattern of what may be asked for, for the schema of the settings.
VERSIONS = rf"^\s*{_ONE}\s*(,\s*{_ONE}\s*)*$"
_SIGNS: Mapping[str, Callable[[_Release, _Release], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


def check_version(path: Path, key: str, wanted: str, current: str = __version__) -> None:
    """Raise UsageError unless the current version is wanted: ``0.2``, or conditions as ``>=0.2, <1``."""
    conditions = [_CONDITION.fullmatch(part.strip()) for part in wanted.split(",")]
    if None in conditions:
        raise UsageError(
            f"{path}: `{key}` must be a version such as 0.2.0, or conditions such as >=0.2, <1, not {wanted[:40]!r}"
        )
    for condition in filter(None, conditions):
        if not _SIGNS[condition[1] or "=="](*_releases(current, condition[2])):
            raise UsageError(
                f"{path}: the project requires hybridlint {wanted}, and this is {current}: install another version"
            )


def _releases(one: str, other: str) -> tuple[_Release, _Release]:
    """Return the numbers of two versions, padded to equal length. A pre-release counts as its release."""
    numbers = (map(int, re.findall(r"\d+", re.split(r"[^\d.]", text)[0])) for text in (one, other))
    pairs = list(zip_longest(*numbers, fillvalue=0))
    return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
