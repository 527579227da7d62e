"""``python -m hybridlint``, and the command ``hybridlint``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def entry() -> NoReturn:
    """Run the command line; a check ends its process at once.

    To free all that a large check holds takes the interpreter a tenth of the check's time, and nobody waits for it.
    Programs that `run` and `record` start end as Python's do, with what they have registered for their end.
    """
    from hybridlint.cli import main

    try:
        main()
    except SystemExit as end:
        if sys.argv[1:2] != ["check"] or not isinstance(end.code, int):
            raise
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code)


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        # `python -m` puts the current folder first, where a file of a checked project could stand in for a library.
        sys.path[0] = os.path.dirname(os.__file__)
    entry()
