"""The child process: reads one task as JSON from standard input, and writes messages, one JSON object a line.

Given a socket and an engine, it makes a copy of itself for each request, which does so.

It is started by path, so that it also runs under an interpreter into which hybridlint is not installed.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Python put the folder of this file first on the path: its modules must not shadow the user's.
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    sys.path[:1] = []
    sys.path.append(root)

    from hybridlint.proving.child.process_start import main

    main(sys.argv[1:])
