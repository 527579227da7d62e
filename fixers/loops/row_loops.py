"""A ``for`` loop over rows by the use of its names: carried, filled, summed, or left after the loop."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from hybridlint.analysis.dataflow.liveness import live_before_block
from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.loops.flows import changed_in, flow_of
from hybridlint.fixers.loops.lists import ListMaking, appended_element, making
from hybridlint.fixers.loops.sums import Sum, first_number, handed_in, loop_sum
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class Filled:
    """A list, how it is `made`, and the `statement` of a loop that appends an `element` in each step."""

    name: str
    made: ListMaking
    statement: ast.stmt
    element: ast.expr


@record(frozen=True, slots=True)
class RowLoop:
    """A ``for`` loop with its names by their use.

    `carried` are the names whose values pass from step to step: the states. `last` are the names that are read after
    the loop, with the values of the last step. `lists` are those that each step fills at its end. Of `last`, `sums` are
    added up over the steps instead.
    """

    node: ast.For
    carried: tuple[str, ...]
    last: tuple[str, ...]
    lists: tuple[Filled, ...] = ()
    sums: tuple[Sum, ...] = ()

    @property
    def filling(self) -> list[ast.stmt]:
        """The last statements of the loop, which fill the lists."""
        return [each.statement for each in self.lists]


def row_loop(
    frame: CodeContext, loop: ast.For, block: Sequence[ast.stmt], *, rebindable: Collection[str] = ()
) -> RowLoop | None:
    """Return how a loop of a block uses names; None unless it only binds names and appends to lists.

    Of the loop's own targets, a step may bind those in `rebindable` anew.
    It may bind them in branches and in loops of its own, such as one over layers, and store into lists of states.
    """
    at = block.index(loop)
    lists = _lists(frame, loop, block[:at])
    if lists is None:
        return None
    body = [statement for statement in loop.body if statement not in [each.statement for each in lists]]
    flow = flow_of(body)
    if flow is None:
        return None
    bound = flow.surely | flow.perhaps
    rows, names = {*names_in(loop.target).stores}, {each.name for each in lists}
    bound -= rows & {*rebindable}
    carried = tuple(name for name in flow.early if name in bound or name in flow.changed)
    sums = [each for name in carried if (each := loop_sum(frame, name, loop, block[:at])) is not None]
    carried = tuple(name for name in carried if name not in {each.name for each in sums})
    behind = live_before_block(block[at + 1 :])
    read = names_in(*body, *(each.element for each in lists)).reads.keys()
    if rows & (bound | behind) or names & {*bound, *read}:
        return None
    if not all(_begins(frame, name, block[:at]) for name in carried):
        return None
    last = tuple(sorted(bound - {*carried} & behind))
    if any(each.name not in last for each in sums) or not {*last} <= flow.surely - flow.lists:
        return None
    return RowLoop(loop, carried, last, lists, tuple(sums))


def _begins(frame: CodeContext, name: str, before: Sequence[ast.stmt]) -> bool:
    """Whether code before a loop passes a state of foreach by a name: a tensor, or a list of tensors."""
    spec = frame.function.args if isinstance(frame.function, ast.FunctionDef) else None
    known = {*names_in(*before).stores, *(arg.arg for arg in (spec.args if spec is not None else []))}
    values = [value for s in before if isinstance(s, ast.Assign) for value in _values(s, name)]
    if name not in known or any(_holds_no_tensors(value) for value in values):
        return False
    return handed_in(name, before) or first_number(name, before) is not None


def _values(statement: ast.Assign, name: str) -> list[ast.expr]:
    """Return the visible values that an assignment binds to a name."""
    found: list[ast.expr] = []
    for target in statement.targets:
        match target, statement.value:
            case ast.Name(id=bound), value if bound == name:
                found.append(value)
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                found += [v for n, v in zip(names, values, strict=True) if isinstance(n, ast.Name) and n.id == name]
            case _:
                pass
    return found


def _holds_no_tensors(value: ast.expr) -> bool:
    """Whether an expression makes a list or dict that foreach takes for no states, such as ``[None] * n``."""
    match value:
        case ast.BinOp(left=ast.List() as made, op=ast.Mult()) | ast.BinOp(op=ast.Mult(), right=ast.List() as made):
            return _holds_no_tensors(made)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return not parts or any(isinstance(part, ast.Constant) or _holds_no_tensors(part) for part in parts)
        case ast.ListComp(elt=part):
            return isinstance(part, ast.Constant) or _holds_no_tensors(part)
    return isinstance(value, ast.Dict | ast.DictComp | ast.GeneratorExp)


def _lists(frame: CodeContext, loop: ast.For, before: Sequence[ast.stmt]) -> tuple[Filled, ...] | None:
    """Return the lists that statements of a loop fill; None if code before it does not show their making.

    What stands behind such a statement must not bind the names of its element anew: foreach takes it at the end.
    """
    lists: list[Filled] = []
    own = {name for statement in loop.body if isinstance(statement, ast.Assign) for name in names_in(statement).stores}
    for place, statement in enumerate(loop.body):
        name, element = appended_element(statement)
        if name is None or element is None or name in own:
            continue
        made = next((found for s in reversed(before) if (found := making(s, name)) is not None), None)
        if made is None or (made.first is not None and not _is_row(frame, made)):
            return None
        behind = loop.body[place + 1 :]
        if names_in(element).reads.keys() & {*names_in(*behind).stores, *changed_in(behind)}:
            return None
        lists.append(Filled(name, made, statement, element))
    return tuple(lists) if len({each.name for each in lists}) == len(lists) else None


def _is_row(frame: CodeContext, made: ListMaking) -> bool:
    """Whether a list begins with a tensor, and the name that this is to have is free."""
    taken = {n.id for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name)}
    held = None if made.first is None else frame.seen.value(made.first)
    return isinstance(held, Tensor) and made.kept not in taken
