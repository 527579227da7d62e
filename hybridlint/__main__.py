"""``python -m hybridlint``, and the command ``hybridlint``."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn


def entry() -> NoReturn:
    """Run the command line. After ``check`` the process exits without cleanup, and it collects no garbage before.

    Freeing the objects of a large check would take a tenth of the check's time, and so would one look at all that a
    small one has made. Programs started by `run` and `record` end normally, with their exit handlers.
    """
    if sys.argv[1:2] == ["check"] and "--watch" not in sys.argv:
        gc.disable()
    from hybridlint.frontends.cli import main

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
        # `python -m` puts the current folder first, where a file of the checked project could shadow a library.
        sys.path[0] = os.path.dirname(os.__file__)
    entry()
