"""Build networks of a public project by name, and say what each gives in each way.

    PYTHON -m hybridlint run -m tests.projects.others PROJECT FOLDER OTHER_FOLDER NAME [NAME ...]
    PYTHON_WITH_MXNET -m tests.projects.others PROJECT FOLDER OTHER_FOLDER NAME [NAME ...]

prints one line of JSON, and leaves each exported network in a folder below the one that is given; what was exported
below the other one is called as well. PROJECT is the folder that a project lies in, unpacked, and is named as in
`networks.PROJECTS`. With nothing but a project, prints the names of its networks, each with what MXNet's environment
is to hold. Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from .measured import Measured, folder_of
from .networks import PROJECTS
from .networks.network import Network, Networks


def networks(project: str) -> Networks:
    """Return what is measured of a project, by its name and version."""
    found: Networks = importlib.import_module(f"tests.projects.networks.{PROJECTS[project]}").NETWORKS
    return found


def answer(network: Network, folder: Path, theirs: Path) -> dict[str, Any]:
    """Return what a network gives; where its module cannot be imported, that alone."""
    measured = Measured()
    with measured.way("import"):
        module = importlib.import_module(network.module)
        measured.run(lambda: network.build(module), folder, theirs, network.gain)
    return measured.answer


def main(project: str, folder: str, theirs: str, *names: str) -> None:
    """Print what the networks of those names give."""
    sys.path.insert(0, project)
    known = networks(Path(project).name)
    print(json.dumps({name: answer(known[name], folder_of(folder, name), folder_of(theirs, name)) for name in names}))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        main(*sys.argv[1:])
    else:
        found = networks(Path(sys.argv[1]).name)
        print(json.dumps({name: network.environment for name, network in found.items()}))
