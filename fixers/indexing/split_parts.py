"""How code reads the parts of a split tensor: by the names of its cuts, or from a list."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.names import free_name
from hybridlint.fixers.toolkit.nodes import in_row
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import delete_statement, insert_statements, join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

_MESSAGE = "Split the tensor into its parts"


def taken_apart(
    frame: CodeContext,
    places: Mapping[ast.Subscript, int],
    split: cst.BaseExpression,
    applicability: Applicability,
) -> Fix | None:
    """Return the fix that takes all cuts of one tensor from one call that splits it.

    `places` says which part each cut is; every part is among them. The cuts ``a, b = x[:, :n], x[:, n:]``, or those of
    assignments in a row, become one assignment ``a, b = F.split(...)``. Others become ``x_parts[0]`` and ``x_parts[1]``
    of a list that is made before the first of them. None if no statement could make that list for all.
    """
    whole = _tuple_of(frame, places)
    if whole is not None:
        return rewrite(frame, whole, split, applicability)
    block = _block_with(frame, places)
    if block is None:
        return None
    run = _assignments(block, places)
    if run is not None:
        names = in_row([frame.concrete(statement.targets[0]) for statement in run])
        new = statements("{names} = {split}", names=names, split=split)
        return replace_statements(frame, run, new, applicability, message=_MESSAGE)
    return _listed(frame, block, places, split, applicability)


def _listed(
    frame: CodeContext,
    block: Sequence[ast.stmt],
    places: Mapping[ast.Subscript, int],
    split: cst.BaseExpression,
    applicability: Applicability,
) -> Fix | None:
    """Return the fix that splits the tensor into a list before the first cut and reads it at all cuts."""
    first = next(statement for statement in block if any(cut in walk(statement) for cut in places))
    if hasattr(first, "body") or _is_bound_in(frame, first, places):
        return None
    (tensor,) = {cut.value.id for cut in places if isinstance(cut.value, ast.Name)}
    name = free_name(frame, f"{tensor}_parts")
    made = statements("{name} = {split}", name=name, split=split)
    fixes: list[Fix | None] = [insert_statements(frame, made, applicability, message=_MESSAGE, before=first)]
    for cut, place in places.items():
        new = expression("{name}[{place}]", name=name, place=place)
        fixes.append(rewrite(frame, cut, new, applicability))
    fixes += [delete_statement(frame, each, applicability, message=_MESSAGE) for each in _only_bounds(frame, places)]
    return join_fixes(_MESSAGE, fixes)


def _only_bounds(frame: CodeContext, places: Mapping[ast.Subscript, int]) -> Iterator[ast.Assign]:
    """Yield the assignments of settings to names, ``n = self.units``, that nothing but the cuts reads."""
    cuts = {id(n) for cut in places for n in walk(cut.slice)}
    names = {n.id for cut in places for n in walk(cut.slice) if isinstance(n, ast.Name)}
    function = frame.function or ast.Pass()
    for statement in (n for n in walk(function) if isinstance(n, ast.Assign)):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Name(id="self"))) if (
                name in names and len(frame.flow.rebindings_of(name)) == 1
            ):
                if all(id(n) in cuts for n in frame.flow.reads_of(name)):
                    yield statement
            case _:
                pass


def are_all_numbers(numbers: Iterable[int], count: int) -> bool:
    """Return whether numbers are those below a count, which may be huge."""
    found = set(numbers)
    return len(found) == count and all(0 <= number < count for number in found)


def of_one_binding(frame: CodeContext, node: ast.Subscript, cuts: Sequence[ast.Subscript]) -> list[ast.Subscript]:
    """Return the slices that read the same binding of the name as the given slice."""
    if not isinstance(node.value, ast.Name):
        return []
    version = frame.flow.version(node.value)
    if version is None:
        return [node]
    return [cut for cut in cuts if isinstance(cut.value, ast.Name) and frame.flow.version(cut.value) == version]


def _tuple_of(frame: CodeContext, places: Mapping[ast.Subscript, int]) -> ast.Tuple | None:
    """Return the cuts in ``a, b = x[:, :n], x[:, n:]``; None if they stand elsewhere, or in another order."""
    for statement in (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Assign)):
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=parts) as whole):
                numbers = [places.get(part) for part in parts if isinstance(part, ast.Subscript)]
                if len(names) == len(parts) == len(places) and numbers == [*range(len(places))]:
                    return whole
            case _:
                pass
    return None


def _assignments(block: Sequence[ast.stmt], places: Mapping[ast.Subscript, int]) -> list[ast.Assign] | None:
    """Return the consecutive assignments that bind the cuts in order, one for each part; None for other code."""
    run = [s for s in block if isinstance(s, ast.Assign) and isinstance(s.value, ast.Subscript) and s.value in places]
    numbers = [places[s.value] for s in run if isinstance(s.value, ast.Subscript)]
    named = all(len(s.targets) == 1 and isinstance(s.targets[0], ast.Name) for s in run)
    if not named or len(run) != len(places) or numbers != [*range(len(places))]:
        return None
    start = block.index(run[0])
    return run if [*block[start : start + len(run)]] == run else None


def _block_with(frame: CodeContext, places: Mapping[ast.Subscript, int]) -> list[ast.stmt] | None:
    """Return the innermost block that has all cuts in it; None if an expression may run them elsewhere."""
    found: list[ast.stmt] | None = None
    wanted = set(places)
    for node in walk(frame.function or ast.Pass()):
        if isinstance(node, ast.Lambda) and not wanted.isdisjoint(walk(node)):
            return None
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and wanted <= {part for each in block for part in walk(each)}:
                found = block
    return found


def _is_bound_in(frame: CodeContext, statement: ast.stmt, places: Mapping[ast.Subscript, int]) -> bool:
    """Whether a statement binds the tensor that its cuts read. Code inserted before it would read another tensor."""
    bound = names_in(statement).stores
    return any(isinstance(cut.value, ast.Name) and cut.value.id in bound for cut in places)
