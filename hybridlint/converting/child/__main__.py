"""The process that runs a Gluon module or its PyTorch twin in the sandbox.

It reads a task as JSON from standard input and writes its results into the folder `scratch` of the task.
"""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    # Python put the folder of this file first on the path: its modules must not shadow the user's.
    sys.path[:1] = []

    task = json.loads(sys.stdin.buffer.read())
    # What the project's code prints goes to standard error, and it reads nothing.
    os.dup2(2, 1)
    if task["side"] == "gluon":
        from hybridlint.converting.child.gluon_side import observe_blocks

        observe_blocks(task)
    else:
        from hybridlint.converting.child.torch_side import run_networks

        run_networks(task)
    sys.stderr.flush()
    os._exit(0)
