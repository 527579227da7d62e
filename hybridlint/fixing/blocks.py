"""The blocks of a file for fixing: the code that each trace runs, and blocks that still raise or differ.

A block is a class with a ``hybrid_forward``, its own or one of a base class in the file. Its trace runs the functions
that it names and the methods of its bases. The classes of its children are blocks of their own; a block compiles only
if they do, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.core.applied_fixes import BlockState
from hybridlint.fixing.finding_kinds import row_of
from hybridlint.rule import Family, Severity
from hybridlint.runtime.facts.records import record
from hybridlint.text.definitions import classes
from hybridlint.text.syntax import each

if TYPE_CHECKING:
    from hybridlint.rule import Finding
    from hybridlint.text.source import SourceFile

#: Codes of findings about files and comments.
OF_FILES = "HYB0"


@record(frozen=True, slots=True)
class FileBlocks:
    """The classes and functions of a file, the ones that each class's trace runs, and each class's children."""

    spans: tuple[tuple[str, int, int], ...]
    traced: Mapping[str, frozenset[str]]
    children: Mapping[str, frozenset[str]]
    #: The classes that a trace begins in.
    entries: frozenset[str]

    def definition_at(self, row: int) -> str:
        """Return the innermost class or else the function of the module around a row; "" outside of all."""
        around = [name for name, first, last in self.spans if first <= row <= last]
        return around[-1] if around else ""

    def running(self, name: str) -> Iterator[str]:
        """Yield the blocks whose traces run the code of a class or function."""
        return (block for block in self.entries if name in self.traced[block])

    def with_children(self, block: str) -> frozenset[str]:
        """Return the names of the code that the trace of a block runs, including its children."""
        seen, pending = {block}, [block]
        while pending:
            new = self.children[pending.pop()] - seen
            seen |= new
            pending += new
        return frozenset().union(*(self.traced[name] for name in seen))


@lru_cache(maxsize=4)
def blocks_in(tree: ast.Module) -> FileBlocks:
    """Return the blocks of a module."""
    found: dict[str, ast.ClassDef | ast.FunctionDef] = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    found |= dict(classes(tree.body))
    known = {name.rpartition(".")[2]: name for name in found}
    named = {name: {known[n] for n in _names(node) if n in known} - {name} for name, node in found.items()}
    bases = {name: {known[n] for n in _bases(node) if n in known} for name, node in found.items()}
    # What a function makes is the child of who calls it; what it runs is traced with its caller.
    runs = {
        name: {n for n in named[name] if isinstance(found[n], ast.FunctionDef)} | bases[name] - {name} for name in found
    }
    traced = {name: frozenset(_reached(name, runs)) for name in found}
    blocks = {name for name, node in found.items() if isinstance(node, ast.ClassDef)}
    entries = {name for name in blocks if any(_begins_trace(found[part]) for part in traced[name])}
    children = {
        name: frozenset(c for part in traced[name] for c in named[part] & entries - bases[part]) for name in found
    }
    spans = ((name, node.lineno, node.end_lineno or node.lineno) for name, node in found.items())
    return FileBlocks(tuple(sorted(spans, key=lambda span: span[1])), traced, children, frozenset(entries))


def left_to_raise(
    source: SourceFile, findings: Iterable[Finding], *, doubts: bool = False, unusual: bool = False
) -> Mapping[str, Finding]:
    """Return the classes and functions of a file whose code still raises or differs, each with the first finding.

    With `doubts` possible findings that have a fix count too, with `unusual` what raises with other settings alone.
    """
    definitions = blocks_in(source.tree)
    left: dict[str, Finding] = {}
    keeping = (f for f in findings if _keeps_from_compiling(f, doubts=doubts) or (unusual and is_unusual(f)))
    for finding in sorted(keeping, key=_severity):
        left.setdefault(definitions.definition_at(row_of(finding, source)), finding)
    left.pop("", None)
    return left


def block_states(
    before: SourceFile, found: Iterable[Finding], after: SourceFile, findings: Iterable[Finding]
) -> Iterator[BlockState]:
    """Yield the blocks that had findings before fixing, each with what is left in it.

    The last argument has the findings of the text `after` the fixes, possible ones included.
    """
    first = blocks_in(before.tree)
    wrong = left_to_raise(before, found)
    left, now = left_to_raise(after, findings, doubts=True), blocks_in(after.tree)
    for block in sorted(first.entries & now.entries):
        if not first.traced[block] & wrong.keys():
            continue
        rest = sorted((left[name] for name in now.with_children(block) & left.keys()), key=_severity)
        yield BlockState(block, *((row_of(rest[0], after), _effect(rest[0])) if rest else ()))


def _keeps_from_compiling(finding: Finding, *, doubts: bool) -> bool:
    """Return whether a block with a finding raises or differs once it is hybridized.

    A possible finding is about code that mostly is right, and a warning of what raises is about other uses of the
    block than the call, such as backward through an input that is returned.
    """
    if finding.severity is Severity.POSSIBLE:
        return doubts and finding.fix is not None
    if finding.severity is Severity.INFO or finding.rule.code.startswith(OF_FILES):
        return False
    if finding.severity is Severity.WARNING:
        return finding.rule.silent and finding.rule.family is not Family.SIDE_EFFECTS
    return True


def serves_block(finding: Finding, source: SourceFile) -> bool:
    """Return whether the fix of a finding is useful only if the block compiles afterwards."""
    return finding.fix is not None and not finding.rule.eager and finding.fix.serves_block(source.text)


def is_unusual(finding: Finding) -> bool:
    """Return whether a finding is of an error in code that only unusual settings or inputs run."""
    return finding.severity is Severity.WARNING and finding.rule.severity is Severity.ERROR


def _severity(finding: Finding) -> int:
    """Return the sort key that puts findings that surely raise first."""
    return (finding.severity is not Severity.ERROR) * 2 + finding.rule.silent


def _effect(finding: Finding) -> str:
    """Return the effect of a finding on a block: "raises" or "differs", perhaps with "may"."""
    if finding.severity is Severity.ERROR:
        return "differs" if finding.rule.silent else "raises"
    return "may differ" if finding.rule.silent else "may raise"


def _names(node: ast.AST) -> Iterator[str]:
    return (n.id for n in each(node, ast.Name))


def _bases(node: ast.ClassDef | ast.FunctionDef) -> Iterator[str]:
    bases = node.bases if isinstance(node, ast.ClassDef) else ()
    return (base.id for base in bases if isinstance(base, ast.Name))


def _begins_trace(node: ast.ClassDef | ast.FunctionDef) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        isinstance(item, ast.FunctionDef) and item.name == ENTRY for item in node.body
    )


def _reached(name: str, runs: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the code that a definition runs, itself included."""
    seen, pending = {name}, [name]
    while pending:
        new = set(runs[pending.pop()]) - seen
        seen |= new
        pending += new
    return seen
