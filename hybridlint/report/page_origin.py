"""Where an HTML page comes from: the version of the tool, the command, and the time."""

from __future__ import annotations

import os
import shlex
import sys
from datetime import datetime, timezone
from pathlib import PurePath

from hybridlint import __version__


def origin() -> str:
    """Return a line that tells how the page was made.

    The time is that of SOURCE_DATE_EPOCH where it is set (reproducible-builds.org), otherwise now.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(given), timezone.utc) if given.isdigit() else datetime.now(timezone.utc)
    return f"hybridlint {__version__}, {moment:%Y-%m-%d %H:%M} UTC: {_command()}"


def _command() -> str:
    """Return the command line as one types it, "from Python" where hybridlint is called as a library."""
    name, *arguments = sys.argv or [""]
    program = PurePath(name)
    if program.stem != "hybridlint" and program.parent.name != "hybridlint":
        return "from Python"
    return shlex.join(["hybridlint", *arguments])
