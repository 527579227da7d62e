"""The watched process: started by path with one task as JSON.

It is started by path, so that it also runs under an interpreter into which hybridlint is not installed.
"""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    # The folder of this file may come first on the path: its modules must not stand in for the user's.
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))]
    sys.path.append(root)

    from hybridlint.record.child.program import run

    run(json.loads(sys.argv[1]))
