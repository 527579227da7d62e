"""Lists that a loop fills row by row: where code creates them, and how it uses them afterwards."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.loops.row_reductions import gathering
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.nodes import in_row
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import delete_statement
from hybridlint.fixers.toolkit.templates import expression, statement
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class ListMaking:
    """The assignment that makes an empty list, alone (``rows = []``) or beside others (``rows, state = [], first``).

    Alone, it may also put the row `first` into the list.
    """

    statement: ast.Assign
    name: str
    first: ast.expr | None = None

    @property
    def kept(self) -> str:
        """The name of the new variable that holds the first item, as a tensor of one row."""
        return f"first_{self.name}"

    def with_first(self, frame: CodeContext, message: str) -> Fix | None:
        """Return the fix that keeps the first item, as a tensor of one row, in the place of the list."""
        assert self.first is not None
        template = "{name} = {F}.expand_dims({row}, axis=0)"
        new = statement(template, name=self.kept, F=frame.functions or "", row=frame.concrete(self.first))
        return rewrite(frame, self.statement, new, Applicability.UNSAFE, message=message)


def remove_lists(frame: CodeContext, lists: Sequence[ListMaking], message: str) -> list[Fix | None]:
    """Return the fixes that make some lists no more; one statement may make several of them."""
    fixes = [one.with_first(frame, message) for one in lists if one.first is not None]
    for made in {id(one.statement): one.statement for one in lists if one.first is None}.values():
        gone = {one.name for one in lists if one.statement is made}
        kept: list[tuple[ast.expr, ast.expr]] = []
        match made:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                kept = [
                    (n, v) for n, v in zip(names, values, strict=True) if not (isinstance(n, ast.Name) and n.id in gone)
                ]
        if kept:
            left, right = ([frame.concrete(pair[side]) for pair in kept] for side in (0, 1))
            new = statement("{names} = {values}", names=in_row(left), values=in_row(right))
            fixes.append(rewrite(frame, made, new, Applicability.UNSAFE, message=message))
        else:
            fixes.append(delete_statement(frame, made, Applicability.UNSAFE, message=message))
    return fixes


def making(statement: ast.stmt, name: str | None) -> ListMaking | None:
    """Return a statement as the one that makes the list of a name; None if it does not."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.List(elts=[])) if target == name:
            return ListMaking(statement, target)
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.List(elts=[first])) if target == name:
            return None if isinstance(first, ast.Starred) else ListMaking(statement, target, first)
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            pairs = list(zip(names, values, strict=True))
            bound = [v for n, v in pairs if _is_name(n, name)]
            if len(pairs) > 1 and len(bound) == 1 and isinstance(bound[0], ast.List) and not bound[0].elts:
                return ListMaking(statement, name or "")
    return None


def appended_element(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """Return the name of the list that a statement appends to, and the element; (None, None) for others.

    The statement may also put it in front of all, as ``rows.insert(0, element)`` does.
    """
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[element])):
            return name, element
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="insert"), args=[first, element])
        ) if literal(first) == 0:
            return name, element
    return None, None


def is_in_front(statement: ast.stmt) -> bool:
    """Return whether a statement that adds to a list puts the element in front of all."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and len(statement.value.args) == 2


def combine_rows(
    frame: CodeContext, functions: str, behind: Sequence[ast.stmt], own: Sequence[ast.stmt], name: str
) -> list[Fix | None] | None:
    """Return the fixes of the code that combines a list of rows; None if other code reads the list.

    The rows are one tensor after the fix. `behind` are the statements that may combine them, `own` the statements that
    create and fill the list. Code may reverse the list first, and read its length and items: the tensor has the same.
    It may bind the result to the name of the list, ``rows = F.stack(*rows)``: then no later code reads the list.
    """
    last = next((at for at, each in enumerate(behind) if _rebinds(frame, functions, each, name)), len(behind))
    statements = {id(n): s for s in behind[: last + 1] for n in walk(s)}
    others = [n for each in behind[last : last + 1] if isinstance(each, ast.Assign) for n in each.targets]
    inside = {id(n) for part in (*own, *behind[last + 1 :], *others) for n in walk(part)}
    fixes: list[Fix | None] = []
    gathers = False
    for node in walk(frame.function or ast.Pass()):
        if not isinstance(node, ast.Name) or node.id != name or id(node) in inside:
            continue
        holder = statements.get(id(node))
        if holder is None:
            return None
        reversed_ = _reversed(holder, name)
        if reversed_ is not None:
            new = expression("{F}.reverse({rows}, axis=0)", F=functions, rows=name)
            fixes += [rewrite(frame, reversed_, new, Applicability.UNSAFE)] if isinstance(node.ctx, ast.Load) else []
            continue
        whole = gathering(frame, functions, node, holder)
        if whole is not None:
            same = whole.keeps_rows and _rebinds(frame, functions, holder, name) and _is_value(holder, whole.call)
            message = "Drop what names the rows anew"
            fixes.append(
                delete_statement(frame, holder, Applicability.UNSAFE, message=message)
                if same
                else rewrite(frame, whole.call, whole.of(name), Applicability.UNSAFE)
            )
            gathers = True
        elif _is_read_by_row(parent_of(frame, node, holder), node):
            gathers = True
        elif not _is_length(parent_of(frame, node, holder)):
            return None
    return fixes if gathers else None


def _rebinds(frame: CodeContext, functions: str, statement: ast.stmt, name: str) -> bool:
    """Whether a statement combines a list of rows, binds the result to its name, and reads it nowhere else."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
            reads = [n for n in walk(value) if isinstance(n, ast.Name) and n.id == name]
            return len(reads) == 1 and gathering(frame, functions, reads[0], statement) is not None
    return False


def _is_value(statement: ast.stmt, value: ast.expr) -> bool:
    return isinstance(statement, ast.Assign) and statement.value is value


def _reversed(statement: ast.stmt, name: str) -> ast.expr | None:
    """Return the value of ``rows = rows[::-1]`` or ``rows = list(reversed(rows))``; None for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            pass
        case _:
            return None
    match value:
        case ast.Subscript(value=ast.Name(id=read), slice=ast.Slice(lower=None, upper=None, step=step)):
            return value if read == name and literal(step) == -1 else None
        case ast.Call(
            func=ast.Name(id="list"), args=[ast.Call(func=ast.Name(id="reversed"), args=[ast.Name(id=read)])]
        ):
            return value if read == name else None
    return None


def _is_read_by_row(parent: ast.AST | None, node: ast.expr) -> bool:
    """Whether code reads a list by an item or by a loop. A tensor of rows gives the same."""
    match parent:
        case ast.Subscript(value=held, slice=key, ctx=ast.Load()):
            return held is node and literal(key) is not None
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is node
    return isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "zip"


def _is_length(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _is_name(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name
