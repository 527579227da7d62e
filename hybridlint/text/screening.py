"""Screening of files by their text: most have no hybrid code, and are not analyzed at all."""

from __future__ import annotations

import re
from functools import lru_cache

# Every file with hybrid code contains one of these words. For other files the analysis is not even imported.
_HYBRID = re.compile(rb"hybrid_forward|HybridBlock|HybridSequential|HybridLambda|HybridConcurrent|HybridRecurrentCell")
# If the base class is in another file, the only sign may be a method that takes `F`. What begins with letters is looked
# for three times as fast as what begins with a boundary.
_METHOD = re.compile(rb"def \w+\(\s*self\s*,\s*F\s*[,)=:]")
# In a file about MXNet, a function that takes `F` or finds it is a sign, too. Elsewhere `F` may be anything.
_FUNCTION = re.compile(rb"def \w+\(\s*F\s*[,)=:]")
_FOUND, _FINDING = b"F = ", re.compile(rb"\bF = (?:self\.F\b|\w+\(\w)")
_LIBRARY = (b"mxnet", b"gluon")
#: A substring of all the words above; a plain search for it is much faster.
_PART = b"ybrid"
#: The same for the function.
_GIVEN = (b" F", b"(F")


@lru_cache(maxsize=16)
def mentions(text: str, part: str) -> bool:
    """Whether a text contains a part; for questions that are asked about each class of a file."""
    return part in text


def may_be_hybrid(text: bytes | str, *, plain: bool = False) -> bool:
    """Whether a file's text may contain hybrid code. With `plain`, Blocks that are not hybrid count too."""
    data = text.encode(errors="replace") if isinstance(text, str) else text
    if plain and b"def forward(" in data:
        return True
    if _PART in data and _HYBRID.search(data) is not None:
        return True
    if not any(given in data for given in _GIVEN):
        return False
    return _METHOD.search(data) is not None or (_names_library(data) and _has_function(data))


def _has_function(data: bytes) -> bool:
    """Whether a text has a function that takes `F`, or one that finds it."""
    return _FUNCTION.search(data) is not None or (_FOUND in data and _FINDING.search(data) is not None)


def _names_library(data: bytes) -> bool:
    return any(name in data for name in _LIBRARY)


@lru_cache(maxsize=16)
def names_library(text: str) -> bool:
    """Whether a text names MXNet, or a package that is called after Gluon."""
    return _names_library(text.encode(errors="replace"))
