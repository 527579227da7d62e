"""Build blocks of gluonnlp 0.10.0 by name, and say what each gives in each way.

    PYTHON -m hybridlint run -m tests.projects.nlp FOLDER OTHER_FOLDER NAME [NAME ...]
    PYTHON_WITH_MXNET -m tests.projects.nlp FOLDER OTHER_FOLDER NAME [NAME ...]

prints one line of JSON, and leaves each exported block in a folder below the one that is given; what was exported below
the other one is called as well. Without a name, prints all names. Both interpreters run this file, so it stays within
Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from .measured import Measured, folder_of
from .nlp_blocks import BLOCKS, MODELS

_CASES = {**BLOCKS, **MODELS}


def answer(name: str, folder: str, theirs: str) -> dict[str, Any]:
    """Return what a block gives."""
    nlp = importlib.import_module("gluonnlp")
    return Measured().run(lambda: _CASES[name](nlp), folder_of(folder, name), folder_of(theirs, name))


def main(folder: str, theirs: str, *names: str) -> None:
    """Print what the blocks of those names give."""
    print(json.dumps({name: answer(name, folder, theirs) for name in names}))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(*sys.argv[1:])
    else:
        print(json.dumps(list(_CASES)))
