"""The formats of findings: one module each, found by its name.

A format has ``render(results, manner) -> str`` and ``FOR_PROGRAMS``: whether programs read it, so that nothing else may
stand on standard output. ``json_lines.py`` is the format ``json-lines``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

DEFAULT = "frames"


class Format(Protocol):
    """What the module of a format defines."""

    FOR_PROGRAMS: bool

    def render(self, results: Sequence[Result], manner: ReportOptions) -> str:
        """Return the findings, possibly with ANSI colours."""


def names() -> tuple[str, ...]:
    """Return the names of the formats, the default first."""
    found = {module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)}
    return (DEFAULT, *sorted(found - {DEFAULT}))


def load(name: str) -> Format:
    """Return the format of a name in `names()`."""
    return cast(Format, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
