"""Screening of files by their text: most have no hybrid code, and are not analyzed at all."""

from __future__ import annotations

import re
from functools import lru_cache

# Every file with hybrid code contains one of these words. For other files the analysis is not even imported.
_HYBRID = re.compile(rb"hybrid_forward|HybridBlock|HybridSequential|HybridLambda|HybridConcurrent|HybridRecurrentCell")
# If no block is in the file, the only sign may be a function that takes `F`, or finds it.
_METHOD = re.compile(rb"\bdef \w+\(\s*(?:self\s*,\s*)?F\s*[,)=:]|\bF = (?:self\.F\b|\w+\(\w)")
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
    return any(given in data for given in _GIVEN) and _METHOD.search(data) is not None
