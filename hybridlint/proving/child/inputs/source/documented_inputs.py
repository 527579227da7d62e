"""Input specs from a block's docstrings and comments: shapes with named sizes, lists of tensors, integer tensors."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from hybridlint.proving.child.brief.code import facts_of
from hybridlint.proving.child.build.values import documented
from hybridlint.proving.child.inputs.source import input_hints
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec

_LIST = re.compile(r"\b(list|tuple)s?\b(?! of int)", re.IGNORECASE)
_WHOLE = re.compile(r"\b(index|indices|ids?|tokens?|labels?|integers?|int(?:32|64)?|vocab\w*)\b", re.IGNORECASE)
_REAL = re.compile(
    r"\b(embedd?ings?|embedded|float(?:32|64)?|features?|logits?|probabilit\w+|scores?)\b", re.IGNORECASE
)
#: A shape that follows a name.
DECLARED = re.compile(
    r"`?\b(?P<name>[A-Za-z_]\w*)`?\s*(?:'s)?\s*(?:shape|has shape|is of shape|is|:|=)*[:\s=]*(?P<shape>[(\[].*?[)\]])"
)
_TIMES = re.compile(
    r"`?\b(?P<name>[A-Za-z_]\w*)`?\s*(?:has shape|of shape|shape|is|[:=(])*\s*(?P<shape>\w+(?: x \w+)+)"
)
#: What sentences call the only input of a block.
_INPUT = ("input", "inputs", "images", "image")
#: The smallest number for a named size. The numbers differ, so that a number in an error message identifies its size.
_LEAST = 5


def documented_specs(block: Any, function: Any, names: Sequence[str]) -> dict[str, Spec]:
    """Return specs for those inputs in `names` whose shapes are given in the block's docstrings or comments.

    `function` is the block's hybrid_forward or forward.
    """
    entries = documented.of_class(type(block), function.__name__, "__call__", "forward")
    commented = {**_prose(type(block), function), **facts_of(function).commented}
    found: dict[str, Spec] = {}
    only = next((commented[name] for name in _INPUT if name in commented), "") if len(names) == 1 else ""
    stated = {name: f"shape {commented.get(name, only)}" for name in names}
    others = documented.besides_batch([*(entries.get(name, "") for name in names), *stated.values()])
    for name in names:
        text = entries.get(name, "")
        shape = documented.shape(text, others) or documented.shape(stated[name], others)
        if shape is not None:
            found[name] = _spec(block, name, text, shape)
    return found


def says_list(block: Any, function: Any, name: str) -> bool:
    """Whether a docstring of the block says that an input is a list or a tuple."""
    entries = documented.of_class(type(block), function.__name__, "__call__", "forward")
    return _LIST.search(entries.get(name, "").split("\n", maxsplit=1)[0]) is not None


def _spec(block: Any, name: str, text: str, shape: tuple[int | str, ...]) -> Spec:
    sized = tuple(_size(block, size, k) for k, size in enumerate(shape))
    whole = input_hints.whole_numbers(name) or (_WHOLE.search(text) is not None and _REAL.search(text) is None)
    if input_hints.is_length(name):
        spec = TensorSpec(sized, low=1, high=4, integers=True)
    elif whole or "mask" in name.lower():
        spec = TensorSpec(sized, low=0, high=2 if "mask" in name.lower() else 3, integers=True)
    else:
        spec = TensorSpec(sized)
    return [spec, spec] if _LIST.search(text.split("\n", maxsplit=1)[0]) else spec


def _size(block: Any, size: int | str, place: int) -> int | str:
    """Return the size of one axis: the block's integer attribute of that name, else the name itself.

    A first axis (`place` 0) that is documented as 1 becomes the batch, which varies. A product of numbers and a name is
    that many times the name, any other is a size of its own.
    """
    if isinstance(size, str) and "*" in size:
        return _product(block, size.split("*"))
    if not isinstance(size, str) or size == BATCH:
        return BATCH if size == 1 and place == 0 else size
    for name in (size, f"_{size}", re.sub(r"^(num|n)_", "", size), f"num_{size}", f"_num_{size}"):
        value = getattr(block, name, None)
        if type(value) is int and 0 < value < 10_000:
            return value
    return size


def _product(block: Any, factors: Sequence[str]) -> int | str:
    known = [int(factor) if factor.isdigit() else _size(block, factor, 1) for factor in factors]
    number = math.prod(size for size in known if isinstance(size, int))
    named = [size for size in known if isinstance(size, str)]
    if not named:
        return number
    return f"{number if number > 1 else ''}{named[0]}" if len(named) == 1 else "_".join(factors)


def _prose(cls: Any, function: Any) -> dict[str, str]:
    """Return the shapes that docstrings state in prose: "scores (T, N, K)" or "actions: T x N x A"."""
    found: dict[str, str] = {}
    for owner in (function, cls):
        text = " ".join((getattr(owner, "__doc__", None) or "").split())
        for match in DECLARED.finditer(text):
            if "," in match["shape"]:
                found.setdefault(match["name"], match["shape"])
        for match in _TIMES.finditer(text):
            found.setdefault(match["name"], f"({', '.join(match['shape'].split(' x '))})")
    return found


def sizes_of(names: Sequence[str], known: dict[str, int], step: int = 0) -> dict[str, int]:
    """Return a number for each size name: the one in `known`, else distinct numbers (5, 7, 9, ...) plus `step`."""
    return {name: known.get(name, _LEAST + 2 * k + step) for k, name in enumerate(names)}
