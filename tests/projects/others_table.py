"""The section of docs/projects.md on public projects other than gluoncv and gluonnlp."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from . import page, ways
from .answers import NEAR

KEPT = Path(__file__).parent / "others.json"
SECTION = "others"

_INTRODUCTION = f"""## Other projects

Projects of the package index that use MXNet, in the versions that are named, unmodified. MXNet runs them on Python 3.8
with the numpy, pandas and pydantic of their time. Here they run on Python 3.11 with numpy 2.4, pandas 3.1 and scipy
1.17; of pydantic, gluonts asks for a version before 2. Its older versions, such as 0.4.2, ask for one before 1.5, which
does not run on Python 3.9 or later: they are not imported.

A network agrees where it gives what it gives on MXNet, in each way in which MXNet runs it: eagerly, hybridized,
exported and imported, exported by MXNet and imported here, and the gradients of its parameters. Distances are relative
to the largest element of an output, and may be {NEAR:g}. Where MXNet raises, the runtime must raise as well.
`python -m tests.projects.others_judge --mxnet COMMAND FOLDER` measures all of it."""

_GRADIENTS = """Networks of gluoncv2 and gluonfr were asked of MXNet without oneDNN, all but those with recurrent
layers. With it, MXNet's gradients of max pooling that is recorded outside of training go to other elements."""

_ADDRESS = re.compile(r"\(?/[\w./-]+\)?|<\S+ object at 0x\w+>")


#: Patterns of networks -> why they do not agree.
_WHY = (
    ("gluoncv2.*/ibnb?_", "gradients grow to 1e22 through instances that hardly vary, and roundings with them"),
    ("gluoncv2.*/shakeshake", "its backward draws random numbers"),
    ("gluoncv2.*/ntsnet", "an input that was used beside a recorded parameter counts as recorded on MXNet, not here"),
    ("sockeye.*/Embedding", "the gradient is row_sparse, and its operator was not told; arrays are dense here"),
)


class Verdict(Enum):
    """How a network here stands to that on MXNet."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NEITHER = "MXNet does not run it"


def verdict(network: Mapping[str, Any]) -> Verdict:
    """Judge a network."""
    if not ways.agrees(network):
        return Verdict.DIFFERS
    return Verdict.AGREES if "eager" in network else Verdict.NEITHER


def imported(network: Mapping[str, Any]) -> bool:
    """Whether the module of a network could be imported here."""
    return not {"import", "process"} & network["here"]["errors"].keys()


def text(known: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the section in Markdown."""
    projects: dict[str, dict[str, Mapping[str, Any]]] = {}
    for key, network in known.items():
        project, _, name = key.partition("/")
        projects.setdefault(project, {})[name] = network
    parts = [
        f"{_INTRODUCTION}\n\n{_GRADIENTS}",
        _table(_HEAD, [*(_row(*item) for item in projects.items()), _row("all", dict(known))]),
        "### Networks that do not agree",
        _table(("network", "on MXNet", "here", "why"), _differing(known)),
        "### Networks that MXNet does not run",
        _table(("network", "on MXNet", "here"), _neither(known)),
        "### All networks",
        _table(("project", "networks, with the largest distance"), _all(projects)),
    ]
    return "\n\n".join(parts)


_HEAD = (
    "project",
    "networks",
    "imported here",
    "run by MXNet",
    "agree",
    "eagerly",
    "hybridized",
    "exported",
    "gradients",
)


def _row(project: str, networks: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    verdicts = [verdict(network) for network in networks.values()]
    ran = len(verdicts) - verdicts.count(Verdict.NEITHER)
    compared = [
        sum(network["here"]["apart"].get(way, float("inf")) <= NEAR for network in networks.values())
        for way in ("eager", "hybridized", "imported", "gradients")
    ]
    brought = sum(map(imported, networks.values()))
    agree = f"**{verdicts.count(Verdict.AGREES)}**"
    return project, *map(str, (len(networks), brought, ran)), agree, *map(str, compared)


def _differing(known: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for key, network in known.items():
        if verdict(network) is Verdict.DIFFERS:
            apart = {way: gap for way, gap in network["here"]["apart"].items() if gap > NEAR}
            here = _errors(network["here"]["errors"], apart) or ", ".join(
                f"{way}: {gap:.0e}" for way, gap in apart.items()
            )
            why = next((reason for pattern, reason in _WHY if re.match(pattern, key)), "")
            yield f"`{key}`", _errors(network["errors"], apart) or "runs", here, why


def _neither(known: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for key, network in known.items():
        if verdict(network) is Verdict.NEITHER:
            here = "fails too" if network["here"]["errors"] else "runs"
            yield f"`{key}`", _errors(network["errors"], network["errors"]), here


def _all(projects: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[tuple[str, ...]]:
    for project, networks in projects.items():
        told = (f"`{name}` {ways.worst(network)}".strip() for name, network in networks.items())
        yield project, ", ".join(told)


def _errors(errors: Mapping[str, str], told: Mapping[str, Any]) -> str:
    """Return what was raised in some ways, or before any of them."""
    kept = {"import", "process", "eager", *told}
    return "; ".join(f"{way}: {_cell(said)}" for way, said in errors.items() if way in kept)


def _cell(said: str) -> str:
    return _ADDRESS.sub("...", said).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ("---",) * len(head), *rows])


if __name__ == "__main__":
    page.write(SECTION, text(ways.load(KEPT)))
