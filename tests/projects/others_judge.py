"""Build networks of public projects beside the real MXNet 1.9.1 and compare what they give.

    PYTHON -m tests.projects.others_judge --mxnet COMMAND FOLDER [PROJECT ...]
    PYTHON -m tests.projects.others_judge FOLDER [PROJECT ...]
    PYTHON -m tests.projects.others_judge

FOLDER holds the projects, each unpacked in a folder that is named as in `networks.PROJECTS`. The first line asks MXNet
of all networks that are not known yet, and keeps its answers beside this file; the second compares all again with what
was kept. COMMAND starts an interpreter with mxnet==1.9.1; both need what the projects import besides. PROJECT is a
project, or one network of it, as in gluonfr-1.0.2/mobile_facenet. Some networks of a project share a process. In the
end the section of docs/projects.md is written anew, which is all that the last line does.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import others_table, page, ways
from .beside import HERE, Question, asked
from .networks import PROJECTS
from .others_table import KEPT, SECTION

_MODULE = "tests.projects.others"

#: How many networks one process builds: projects take long to import.
_AT_ONCE = 8


def questions(folder: Path, project: str) -> Iterator[tuple[Question, list[str]]]:
    """Yield what is to be asked of a project, with the names of the networks that are alike in their environment."""
    place = str(folder / project)
    by_environment: dict[str, list[str]] = {}
    for name, environment in asked(HERE, _MODULE, place).items():
        by_environment.setdefault(json.dumps(environment), []).append(name)
    for environment, names in by_environment.items():
        yield Question(_MODULE, (place,), json.loads(environment)), names


def main(given: Sequence[str]) -> None:
    """Judge networks, some at a time, and keep their answers as soon as they are there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mxnet", metavar="COMMAND", type=shlex.split, default=[])
    parser.add_argument("folder", nargs="?", metavar="FOLDER", type=Path)
    parser.add_argument("names", nargs="*", metavar="PROJECT")
    options = parser.parse_args(given)
    if options.folder is not None:
        _judge(options.folder.resolve(), options.names, options.mxnet)
    page.write(SECTION, others_table.text(ways.load(KEPT)))


def _judge(folder: Path, wanted: Sequence[str], mxnet: Sequence[str]) -> None:
    for project in PROJECTS:
        if not wanted or any(name.partition("/")[0] == project for name in wanted):
            for question, names in questions(folder, project):
                _judge_some(question, project, list(_due(project, names, wanted, anew=bool(mxnet))), mxnet)


def _due(project: str, names: Sequence[str], wanted: Sequence[str], *, anew: bool) -> Iterator[str]:
    """Yield the networks to judge: with MXNet those that are named, and those not known yet; else those known."""
    known = ways.load(KEPT)
    for name in names:
        key = f"{project}/{name}"
        named = key in wanted
        if ((named or not wanted or project in wanted) and (key in known) != anew) or (named and anew):
            yield name


def _judge_some(question: Question, project: str, names: Sequence[str], mxnet: Sequence[str]) -> None:
    for begin in range(0, len(names), _AT_ONCE):
        some = names[begin : begin + _AT_ONCE]
        known = {name: ways.load(KEPT).get(f"{project}/{name}", {}) for name in some}
        found = {f"{project}/{name}": told for name, told in question.judged(some, mxnet, known).items()}
        for key, told in found.items():
            print(key, _said(told), flush=True)
        ways.store(KEPT, {**ways.load(KEPT), **found})


def _said(found: Mapping[str, Any]) -> Any:
    return "agrees" if ways.agrees(found) else found["here"]


if __name__ == "__main__":
    main(sys.argv[1:])
