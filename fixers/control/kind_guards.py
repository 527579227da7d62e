"""Fixers of guards on the kind of array: the branch that the eager run takes."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, GuardEvent
from hybridlint.analysis.model.values import Mode, Namespace, NumpyArray, Outputs
from hybridlint.fixers.evidence.tensors import is_no_number, proved_value
from hybridlint.fixers.toolkit.names import dotted_parts, plain_value
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import replace_statements, statements_with, taken_out
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace as changed
from hybridlint.runtime.facts.surface import ABSTRACT_CLASSES, has_attribute, namespace_has
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import walk

#: The value of `F.__name__` in an eager run.
_EAGER_NAME = "mxnet.ndarray"


def eager_side(event: GuardEvent) -> Fix | None:
    """Replace a guard such as ``F is mx.nd`` by the branch that the eager run takes, if that is known.

    A branch that reads a size is a step towards the operators that do without it.
    """
    if event.by_data:
        return _without_kind(event)
    fix = _by_count(event) or (_eager_body(event) if isinstance(event.node, ast.If) else _eager_value(event))
    return changed(fix, kind=FixKind.STEP) if fix is not None and event.guess else fix


def _without_kind(event: GuardEvent) -> Fix | None:
    """Drop the question for the kind of array before one for the numbers in it, which becomes a choice of operators.

    ``if F is nd and x.min().asscalar() < 0:`` asks for the numbers alone, and so does the body of ``if F is nd:``.
    """
    frame, node = event.frame, event.node
    match node:
        case ast.If(test=ast.BoolOp(values=[kind, *others]) as test) if others and _eager_truth(frame, kind):
            joined = [frame.concrete(other) for other in others]
            new = joined[0] if len(joined) == 1 else None
            fix = None if new is None else rewrite(frame, test, new, Applicability.UNSAFE)
        case ast.If(test=test, orelse=[]) if _eager_truth(frame, test):
            message = "Keep the branch that the eager run takes"
            fix = taken_out(frame, node, Applicability.UNSAFE, message=message)
        case _:
            fix = None
    return None if fix is None else changed(fix, kind=FixKind.STEP)


def _by_count(event: GuardEvent) -> Fix | None:
    """Ask for the number of outputs, not for a list: ``n > 1`` for ``isinstance(parts, list)``, split into `n`."""
    test = event.node.test if isinstance(event.node, ast.If | ast.IfExp) else event.node
    other = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    inner = test.operand if isinstance(test, ast.UnaryOp) and other else test
    match inner:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name() as parts, kind]) if _names_list(kind):
            pass
        case _:
            return None
    made = plain_value(event.frame, parts)
    number = _number_of_outputs(made) if isinstance(made, ast.Call) else None
    if number is None or isinstance(number, ast.Constant):
        return None
    new = expression("{number} == 1" if other else "{number} > 1", number=event.frame.concrete(number))
    return rewrite(event.frame, test if other and isinstance(test, ast.expr) else inner, new, Applicability.UNSAFE)


def _number_of_outputs(call: ast.Call) -> ast.expr | None:
    """Return the argument of a call that says into how many equal parts it splits a tensor."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    operator = lookup.of_tensors(name) or lookup.function((), name)
    if operator is None or "num_outputs" not in operator.params:
        return None
    return next((k.value for k in call.keywords if k.arg == "num_outputs"), None)


def _names_list(kind: ast.expr) -> bool:
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {"list"} <= {(dotted_parts(part) or ("",))[-1] for part in parts} <= {"list", "tuple"}


def _eager_body(event: GuardEvent) -> Fix | None:
    """Replace an ``if`` that only assigns by the side that the eager run takes."""
    node = event.node
    assert isinstance(node, ast.If)
    truth = _eager_truth(event.frame, node.test)
    body = node.body if truth else node.orelse
    if truth is None or not all(isinstance(part, ast.Assign) for part in (*node.body, *node.orelse)) or not body:
        return None
    asked = [n.args[0] for n in walk(node.test) if isinstance(n, ast.Call) and n.args]
    safety = safe_if(all(_is_array(event.frame, n) for n in asked))
    if any(_reads_numbers(event.frame, part) for part in body):
        return None
    new = statements_with(event.frame, body, {})
    return replace_statements(event.frame, node, new, safety, message="Keep the branch that the eager run takes")


def _is_array(frame: CodeContext, node: ast.expr) -> bool:
    """Whether the subject of a guard was an operator's result, an array, or F, in each call of the function."""
    value = frame.seen.value(node)
    return isinstance(value, Outputs | Namespace) or proved_value(frame, value, node) or is_no_number(frame, node)


def _eager_value(event: GuardEvent) -> Fix | None:
    """Replace a conditional expression by the side that the eager run takes."""
    for node in walk(event.frame.statement) if event.frame.statement is not None else ():
        if not isinstance(node, ast.IfExp) or (node is not event.node and node.test is not event.node):
            continue
        truth = _eager_truth(event.frame, node.test)
        if truth is None:
            return None
        side = node.body if truth else node.orelse
        if _reads_numbers(event.frame, side):
            return None
        return rewrite(event.frame, node, event.frame.concrete(side), Applicability.SAFE)
    return None


def _reads_numbers(frame: CodeContext, side: ast.AST) -> bool:
    """Return whether a side computes with the numbers in an array, as numpy does. No graph can contain it."""
    return any(isinstance(node, ast.expr) and isinstance(frame.seen.value(node), NumpyArray) for node in walk(side))


def _eager_truth(frame: CodeContext, test: ast.expr) -> bool | None:
    """Return the truth value of a guard in an eager run, such as True for ``F is mx.nd``; None if unknown."""
    answer: bool | None = None
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            inverse = _eager_truth(frame, inner)
            answer = None if inverse is None else not inverse
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]) if name == frame.functions:
            last = (dotted_parts(other) or ("",))[-1]
            if last in {"nd", "ndarray", "sym", "symbol"}:
                answer = (last in {"nd", "ndarray"}) == isinstance(op, ast.Is | ast.Eq)
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), ops=[ast.Is() | ast.Eq()], comparators=[kind]):
            answer = _names_array(kind, frame.mode)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            answer = _names_array(kind, frame.mode)
        case ast.Call(func=ast.Name(id="hasattr"), args=[ast.Name(id=subject), ast.Constant(value=str() as name)]):
            on_namespace = subject == frame.functions
            answer = namespace_has((), name, "eager") if on_namespace else has_attribute(name, "eager", frame.mode)
        case ast.Call(func=ast.Name(id="callable"), args=[_]):
            answer = False
        case ast.Call(func=ast.Attribute(value=named, attr="endswith"), args=[ast.Constant(value=str() as part)]):
            answer = _EAGER_NAME.endswith(part) if _is_name(frame, named) else None
        case ast.Compare(left=ast.Constant(value=str() as part), ops=[ast.In()], comparators=[named]):
            answer = part in _EAGER_NAME if _is_name(frame, named) else None
        case ast.Compare(left=named, ops=[ast.Eq()], comparators=[ast.Constant(value=str() as part)]):
            answer = part == _EAGER_NAME if _is_name(frame, named) else None
    return answer


def _is_name(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression is ``F.__name__``."""
    return frame.functions is not None and dotted_parts(node) == (frame.functions, "__name__")


def _names_array(kind: ast.expr, mode: Mode) -> bool | None:
    if isinstance(kind, ast.Tuple):
        answers = [_names_array(part, mode) for part in kind.elts]
        return True if True in answers else None if None in answers else False
    path = dotted_parts(kind)
    if path is None:
        return None
    if path[-1] in ABSTRACT_CLASSES:
        return ABSTRACT_CLASSES[path[-1]][0]
    if path[-1] == "ndarray":
        return mode == "np"
    # An array of numpy mode is an NDArray too. Only an operator's outputs differ by mode and are a list eagerly.
    return True if path[-1] in {"NDArray", "list"} else False if path[-1] == "Symbol" else None
