"""Outcomes of what no proof runs by itself: they follow from the blocks and networks that use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from hybridlint.analysis.project.program import ClassInfo
from hybridlint.hybridizing.candidates import names_in
from hybridlint.hybridizing.draft import Draft
from hybridlint.hybridizing.outcome import ConversionOutcome, ConversionStatus, Reason
from hybridlint.hybridizing.proof import outcome_of
from hybridlint.runtime.facts.records import replace

#: What an outcome is called in a sentence about another class.
_SHORT = {
    ConversionStatus.UNPROVED: "not proved",
    ConversionStatus.PART: "hybridized in part alone",
    ConversionStatus.IMPOSSIBLE: "not possible to convert",
}


def of_functions(
    made: Draft, known: Mapping[str, ClassInfo], rows: Mapping[str, int], found: Mapping[str, ConversionOutcome]
) -> dict[str, ConversionOutcome]:
    """Return outcomes for the functions that build networks and have none in `found`.

    Such a function is proved if all its users are: the converted classes and functions that name it, whose networks it
    builds a part of. `known` has the classes of the file, and `rows` the row of each definition, both by name.
    """
    functions = {node.name: node for node in made.before.tree.body if isinstance(node, ast.FunctionDef)}
    names = {name: names_in(info.node) for name, info in known.items() if name in found}
    names |= {name: names_in(functions[name]) for name in made.networks}
    users = {name: [user for user in names if user != name and name in names[user]] for name in made.networks}
    settled = dict(found)
    waiting = [name for name in made.networks if name not in found]
    while waiting:
        # Functions that call one another have no first one: any will do.
        name = next((n for n in waiting if not set(users[n]) & set(waiting)), waiting[0])
        waiting.remove(name)
        by = [settled[user] for user in users[name] if user in settled]
        settled[name] = _by_users(outcome_of(name, rows[name], None, made), by, rows[name])
    return {name: outcome for name, outcome in settled.items() if name not in found}


def _by_users(outcome: ConversionOutcome, users: Sequence[ConversionOutcome], row: int) -> ConversionOutcome:
    if users and all(user.status is ConversionStatus.PROVED for user in users):
        return replace(outcome, status=ConversionStatus.PROVED, proof=f"by {', '.join(user.block for user in users)}")
    reason = next((user.reasons[0] for user in users if user.reasons), None)
    text = "the proof cannot run: the function does more than build a network, or needs arguments"
    return replace(outcome, reasons=(reason or Reason(text, row),))


def of_bases(
    made: Draft, known: Mapping[str, ClassInfo], found: Mapping[str, ConversionOutcome]
) -> Iterator[tuple[str, ConversionOutcome]]:
    """Yield outcomes for classes that cannot run by themselves: they follow from their subclasses in the file."""
    for name in made.chosen:
        if name in found:
            continue
        info = known[name]
        heirs = [o for other, o in found.items() if other in known and info in known[other].lineage]
        outcome = outcome_of(name, info.node.lineno, None, made)
        if heirs and all(heir.status is ConversionStatus.PROVED for heir in heirs):
            proof = f"by {', '.join(heir.block for heir in heirs)}, derived from it"
            yield name, replace(outcome, status=ConversionStatus.PROVED, proof=proof)
            continue
        heir = next((heir for heir in heirs if heir.status is not ConversionStatus.PROVED), None)
        text = "it computes nothing by itself, and no class here derives from it"
        if heir is not None:
            # The heir's own outcome has the reason.
            text = f"`{heir.block}`, derived from it, is {_SHORT[heir.status]}"
        yield name, replace(outcome, reasons=(Reason(text, info.node.lineno),))
