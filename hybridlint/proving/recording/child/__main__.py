"""Entry point of the watched process, with one task as a JSON argument.

It is started by file path, so that it also runs in an interpreter where hybridlint is not installed.
"""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    # This file's folder may be first on the path; its modules must not shadow the user's.
    root = os.path.abspath(os.path.join(__file__, *[os.pardir] * 5))
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))]
    sys.path.append(root)

    from hybridlint.proving.recording.child.program import run

    run(json.loads(sys.argv[1]))
