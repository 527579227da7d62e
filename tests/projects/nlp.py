"""Build one block of gluonnlp 0.10.0 by name, and say what it gives in each way.

    PYTHON -m hybridlint run -m tests.projects.nlp NAME FOLDER [OTHER_FOLDER]
    PYTHON_WITH_MXNET -m tests.projects.nlp NAME FOLDER [OTHER_FOLDER]

prints one line of JSON and leaves the exported block in a folder; with another folder, the block that was exported
there is called as well. Without a name, prints all names. Both interpreters run this file, so it stays within
Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from .measured import Measured
from .nlp_blocks import BLOCKS, MODELS

_CASES = {**BLOCKS, **MODELS}


def main(name: str, folder: str, other: str | None = None) -> None:
    """Print what the block of that name gives."""
    nlp = importlib.import_module("gluonnlp")
    answer = Measured().run(lambda: _CASES[name](nlp), Path(folder), Path(other) if other else None)
    print(json.dumps(answer))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(*sys.argv[1:])
    else:
        print(json.dumps(list(_CASES)))
