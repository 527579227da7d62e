"""The examples on rules' pages as modules that can be checked: for trials of rules, tests and the documentation."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from hybridlint.analysis.dataflow.scopes import names_in_body
from hybridlint.analysis.mxnet.classes import HYBRID_BLOCK
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceFile

IMPORTS = """\
import mxnet as mx
import numpy as np
from mxnet import autograd, gluon, nd
from mxnet.gluon import HybridBlock, nn

IMPORTED = mx, np, autograd, gluon, nd, nn

"""
KNOWN = {"mx", "np", "autograd", "gluon", "nd", "nn", HYBRID_BLOCK, "F", "self", *dir(builtins)}
#: The codes of what is found on a line of an example.
MARK = re.compile(r"  # ((?:[A-Z]{3}\d{3}[ ,]*)+)$")


@record(frozen=True)
class Example:
    """An example of a page as a module: `rows` are those of the example within it."""

    text: str
    rows: range
    indent: int

    @property
    def source(self) -> SourceFile:
        """The module as a file."""
        return SourceFile(Path("example.py"), self.text)

    def taken_from(self, text: str) -> str:
        """Return the example's part of a module that was written from this one."""
        lines = text.split("\n")
        after = len(self.text.split("\n")) - self.rows.stop
        return textwrap.dedent("\n".join(lines[self.rows.start - 1 : len(lines) - after])).strip("\n")


def section(rule: Rule, name: str) -> str:
    """Return the example of a section of a rule's page. Raises ValueError if there is none."""
    found = re.search(rf"^{name}:\n\n((?:    .*(?:\n|$)|\n)+)", rule.page + "\n", re.MULTILINE)
    if found is None:
        raise ValueError(f"its page has no section `{name}:` with an indented example")
    return textwrap.dedent(found[1]).strip("\n")


def module_of(code: str) -> Example:
    """Return an example as a module: whole where it has a class, otherwise as the body of a hybrid_forward."""
    if re.search(r"^class ", code, re.MULTILINE):
        start = IMPORTS.count("\n") + 1
        return Example(f"{IMPORTS}{code}\n", range(start, start + code.count("\n") + 1), 0)
    lines = code.split("\n")
    directive = [f"    {lines.pop(0)}"] if lines[0].startswith("# hybridlint: shapes") else []
    body = textwrap.indent("\n".join(lines), " " * 8)
    arguments = ", ".join(("self", "F", *free_names("\n".join(lines))))
    head = [*IMPORTS.split("\n"), "class Net(HybridBlock):", *directive, f"    def hybrid_forward({arguments}):"]
    start = len(head) + 1
    return Example("\n".join([*head, body, ""]), range(start, start + len(lines)), 8)


def free_names(body: str) -> Iterator[str]:
    """Iterate over the names that a body reads before it binds them, in order of use."""
    (function,) = ast.parse(f"def body():\n{textwrap.indent(body, '    ')}").body
    assert isinstance(function, ast.FunctionDef)
    names = names_in_body(function)
    first_reads = {name: min((n.lineno, n.col_offset) for n in reads) for name, reads in names.reads.items()}
    bound_from = {name: min(getattr(n, "lineno", 0) for n in stores) for name, stores in names.stores.items()}
    early = {name for name, (row, _) in first_reads.items() if name not in bound_from or row <= bound_from[name]}
    return iter(sorted(early - KNOWN, key=first_reads.__getitem__))


def marks(code: str) -> tuple[str, set[tuple[int, str]]]:
    """Return an example without its marks, and the (row, code) that they name; rows count from 1."""
    lines, found = [], set()
    for line in code.split("\n"):
        mark = MARK.search(line)
        lines.append(MARK.sub("", line))
        found |= {(len(lines), name) for name in re.findall(r"[A-Z]{3}\d{3}", mark[1] if mark else "")}
    return "\n".join(lines), found


def places(example: Example, findings: list[Finding]) -> set[tuple[int, str]]:
    """Return the rows of an example on which something is found, with the codes."""
    shift = example.rows.start - 1
    return {(example.source.location(example.source.span(f.node).start)[0] - shift, f.rule.code) for f in findings}
