"""A ``for`` loop over rows by the use of its names: those that it carries, fills, sums up, or leaves behind."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.bindings import loaded, stored
from hybridlint.fixers.loops.lists import Making, appended, making
from hybridlint.fixers.loops.sums import Sum, first_number, handed_in, summed
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class Filled:
    """A list, how it is `made`, and the `statement` of a loop that adds an `element` to it in each step."""

    name: str
    made: Making
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


def row_loop(frame: Frame, loop: ast.For, block: Sequence[ast.stmt]) -> RowLoop | None:
    """Return what a loop of a block does with names; None if it does more than bind them and append to lists."""
    at = block.index(loop)
    lists = _lists(frame, loop, block[:at])
    if lists is None:
        return None
    body = loop.body[: len(loop.body) - len(lists)]
    bound: set[str] = set()
    early: list[str] = []
    for statement in body:
        if not isinstance(statement, ast.Assign) or not all(_plain(t) for t in statement.targets):
            return None
        early += [name for name in loaded([statement.value]) if name not in bound]
        bound |= set(stored([statement]))
    carried = tuple(dict.fromkeys(name for name in early if name in bound))
    sums = [each for name in carried if (each := summed(frame, name, loop, block[:at])) is not None]
    carried = tuple(name for name in carried if name not in {each.name for each in sums})
    behind = read_first(block[at + 1 :])
    rows, names = set(stored([loop.target])), {each.name for each in lists}
    read = {*loaded(body), *loaded([each.element for each in lists])}
    if rows & (bound | behind) or names & {*bound, *read}:
        return None
    if not all(handed_in(name, block[:at]) or first_number(name, block[:at]) for name in carried):
        return None
    last = tuple(sorted(bound - {*carried} & behind))
    if any(each.name not in last for each in sums):
        return None
    return RowLoop(loop, carried, last, lists, tuple(sums))


def _lists(frame: Frame, loop: ast.For, before: Sequence[ast.stmt]) -> tuple[Filled, ...] | None:
    """Return the lists that the last statements of a loop fill; None if code before it does not show their making."""
    lists: list[Filled] = []
    for statement in reversed(loop.body):
        name, element = appended(statement)
        if name is None or element is None:
            break
        made = next((found for s in reversed(before) if (found := making(s, name)) is not None), None)
        if made is None or (made.first is not None and not _is_row(frame, made)):
            return None
        lists.insert(0, Filled(name, made, statement, element))
    return tuple(lists) if len({each.name for each in lists}) == len(lists) else None


def _is_row(frame: Frame, made: Making) -> bool:
    """Whether a list begins with a tensor, and the name that this is to have is free."""
    taken = {n.id for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name)}
    held = None if made.first is None else frame.seen.value(made.first)
    return isinstance(held, Tensor) and made.kept not in taken


def _plain(target: ast.expr) -> bool:
    """Whether a target is a name, or a tuple or list of such targets."""
    return isinstance(target, ast.Name) or (isinstance(target, ast.Tuple | ast.List) and all(map(_plain, target.elts)))


def read_first(block: Iterable[ast.stmt], bound: frozenset[str] = frozenset()) -> set[str]:
    """Return the names that statements read before they surely bind them."""
    found: set[str] = set()
    for statement in block:
        match statement:
            case ast.For(target=target, iter=source, body=body, orelse=[]):
                found |= {*loaded([source])} - bound | read_first(body, bound | {*stored([target])})
            case ast.Assign(targets=targets, value=value) if all(map(_plain, targets)):
                found |= {*loaded([value])} - bound
                bound |= {*stored(targets)}
            case _:
                found |= {*loaded([statement])} - bound
    return found
