"""``python -m hybridlint``, and the command ``hybridlint``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from hybridlint.cli import main


def entry() -> NoReturn:
    """Run the command line; a check ends its process at once.

    To free all that a large check holds takes the interpreter a tenth of the check's time, and nobody waits for it.
    Programs that `run` and `record` start end as Python's do, with what they have registered for their end.
    """
    try:
        main()
    except SystemExit as end:
        if sys.argv[1:2] != ["check"] or not isinstance(end.code, int):
            raise
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code)


if __name__ == "__main__":
    entry()
