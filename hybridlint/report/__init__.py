"""Output formats, one module each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.result import Result

FORMATS = ("full", "concise", "json")


def render(output_format: str, results: Sequence[Result], *, unsafe: bool) -> str:
    """Return the findings in one of `FORMATS`, possibly with ANSI colours. `unsafe` counts unsafe fixes as fixes."""
    module = importlib.import_module(f"hybridlint.report.{output_format}")
    text: str = module.render(results, unsafe=unsafe)
    return text
