"""Operators whose operands a proof saw to have unequal shapes: a rule that has them broadcast.

An array's operators broadcast and a Symbol's do not, so a converted block can fail where the analysis knows too little
of the operands to say so. The failure names the operator and its line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hybridlint.analysis.model.events import Binary
from hybridlint.analysis.model.values import StaticValue
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.fixers.arithmetic.python_operators import broadcasting_call, is_one_operator
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability
from hybridlint.text.source import SourceFile

#: What an engine says of two shapes: the name of the node, which ends with that of its operator and a number.
_UNEQUAL = re.compile(r"operator (?:\w+_)?_(?P<name>[a-z_]+)\d+: .*expected (?:shape )?[\[(].*, got [\[(]")


@record(frozen=True)
class Unequal:
    """A line of code, without its indentation, and the operator in it whose operands have unequal shapes."""

    line: str
    operator: str


def unequal(proof: ProofOutcome, source: SourceFile) -> Unequal | None:
    """Return the operator by which a block fails once it is hybridized; None if a proof tells of none.

    `source` is the converted file, to whose rows the proof refers.
    """
    said = _UNEQUAL.search(proof.reason) if proof.status is not ProofStatus.PROVED else None
    if said is None or proof.failed_row is None:
        return None
    return Unequal(_line(source, proof.failed_row), said["name"])


def rule_for(places: Collection[Unequal]) -> Rule:
    """Return a rule with a finding and its fix for each of the operators."""
    # The code is that of the rule about unequal shapes, so that no place has a finding of both.
    rule = Rule(__name__, code="HYB301", summary="operator on shapes that a proof saw to be unequal")

    @rule.on(Binary)
    def check(event: Binary) -> Iterator[Finding]:
        frame, node = event.frame, event.node
        row, _ = frame.source.location(frame.source.span(node).start)
        here = [place.operator for place in places if place.line == _line(frame.source, row)]
        left, right = event.left_node, event.right_node
        numbers = isinstance(event.left, StaticValue) or isinstance(event.right, StaticValue)
        if numbers or frame.functions is None or not any(_named(event, name) for name in here):
            return
        if not is_one_operator(node):
            return
        new = broadcasting_call(frame.functions, event.symbol, frame.concrete(left), frame.concrete(right))
        fix = None if new is None else rewrite(frame, node, new, Applicability.UNSAFE)
        if fix is not None:
            yield rule.at(node, f"`{event.symbol}` on unequal shapes fails once hybridized", fix=fix)

    return rule


def _named(event: Binary, name: str) -> bool:
    """Whether a node of this name computes the event's operator."""
    operator = lookup.strict(event.symbol)
    names = () if operator is None else (operator.name, *operator.aliases)
    return f"_{name}" in {each.lower() for each in names}


def _line(source: SourceFile, row: int) -> str:
    lines = source.text.splitlines()
    return lines[row - 1].strip() if 0 < row <= len(lines) else ""
