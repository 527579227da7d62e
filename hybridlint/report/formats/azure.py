"""Logging commands of Azure Pipelines, which appear as issues of a build.

The syntax and its escapes: https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.report.style import uri_path

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

FOR_PROGRAMS = True

#: There is no type below a warning.
_TYPES = {"error": "error", "warning": "warning", "info": "warning", "possible": "warning"}
_IN_DATA = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A", ";": "%3B", "]": "%5D"})


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return one command per finding."""
    return "".join(_command(uri_path(result.path), found) for result in results for found in result.diagnostics)


def _command(path: str, found: Diagnostic) -> str:
    properties = {
        "type": _TYPES[found.severity],
        "sourcepath": path,
        "linenumber": str(found.location.row),
        "columnnumber": str(found.location.column),
        "code": found.code,
    }
    shown = "".join(f"{key}={value.translate(_IN_PROPERTIES)};" for key, value in properties.items())
    return f"##vso[task.logissue {shown}]{found.message.translate(_IN_DATA)}\n"
