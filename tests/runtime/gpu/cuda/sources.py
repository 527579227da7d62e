"""Generated source as single kernels, which can be put together anew."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hybridlint.runtime.compiled.engines.cuda.functions import PRELUDE

_BEGIN = re.compile(r'(?=extern "C" __global__)')
_NAME = re.compile(r"(?<=__global__ void )\w+")


def kernels(source: str) -> list[str]:
    """Return the texts of a source's kernels. Those that differ in their names alone are the same."""
    return [_NAME.sub("kernel", text, count=1).strip() for text in _BEGIN.split(source)[1:]]


def forms(texts: Iterable[str]) -> list[str]:
    """Return one kernel of each form, whatever the numbers in it are."""
    return list({re.sub(r"\d+", "0", text): text for text in sorted(texts)}.values())


def module(texts: Sequence[str]) -> tuple[str, list[str]]:
    """Return kernels as one source, and their names."""
    names = [f"kernel{number}" for number in range(len(texts))]
    named = [_NAME.sub(name, text, count=1) for name, text in zip(names, texts, strict=True)]
    return "\n".join([PRELUDE, *named, ""]), names
