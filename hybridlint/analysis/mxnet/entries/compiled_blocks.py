"""Blocks that code of a file builds, compiles by ``hybridize()`` and calls: the structures of their inputs.

A compiled instance keeps the structure of its first call, until ``hybridize()`` is called again.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from hybridlint.analysis.dispatch import execute
from hybridlint.analysis.model.events import CompiledCall
from hybridlint.analysis.model.values import ClassRef, Unknown
from hybridlint.analysis.mxnet.blocks.eager_by_choice import runs_itself, stays_eager
from hybridlint.analysis.mxnet.entries.input_structures import with_structures
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.analysis.syntax.functions import run_body
from hybridlint.runtime.facts.records import record
from hybridlint.text.parameters import names_of
from hybridlint.text.syntax import walk

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def compiled_calls(run: AnalysisRun, without: frozenset[str]) -> Iterator[CompiledCall]:
    """Yield each call of a compiled block of the file whose inputs have another structure than an earlier call's.

    Calls in definitions called `without` are left out.
    """
    if ".hybridize(" not in run.module.source.text:
        return
    tree = run.module.source.tree
    yield from _differing(run, None, [node for node in tree.body if not isinstance(node, _DEFINITIONS)])
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in without:
            yield from _differing(run, node, node.body)


@record(frozen=True, slots=True)
class _CompiledBlock:
    """A block that a name holds: the call that built it, and the rows where it is already compiled."""

    creation: ast.Call
    rows: tuple[int, ...]


def _differing(run: AnalysisRun, function: ast.FunctionDef | None, body: Sequence[ast.stmt]) -> Iterator[CompiledCall]:
    own = list(_own_nodes(body))
    blocks = {name: block for name, block in _compiled(run, own).items() if _may_differ(own, name)}
    if not blocks:
        return
    expected = {id(part) for node in own if _expects_failure(node) for part in walk(node)}
    events = [event for event in _calls(run, function, body, blocks) if id(event.node) not in expected]
    for block in blocks.values():
        for period in range(1, len(block.rows) + 1):
            within = [one for one in events if one.block.creation is block.creation and _period(block, one) == period]
            yield from (event for event in with_structures(within, body) if event.other is not None)


def _period(block: _CompiledBlock, event: CompiledCall) -> int:
    """Return how often a block was compiled before a call."""
    return bisect_right(block.rows, getattr(event.node, "lineno", 0))


def _own_nodes(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes of statements, without those of functions and classes that they define."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop(0)
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            yield node
            waiting += ast.iter_child_nodes(node)


def _compiled(run: AnalysisRun, own: Sequence[ast.AST]) -> Mapping[str, _CompiledBlock]:
    """Return the hybrid blocks of the file that code builds under names of their own and compiles."""
    stored = [node.id for node in own if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    built = dict(pair for node in own if isinstance(node, ast.Assign) for pair in _built(run, node))
    rows: dict[str, list[int]] = {}
    for node in own:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="hybridize"), args=args, keywords=keywords):
                off = [one for one in (*args, *(k.value for k in keywords if k.arg == "active")) if _is_false(one)]
                rows.setdefault(name, []).extend([0, node.lineno] if off else [node.lineno])
            case _:
                pass
    return {
        name: _CompiledBlock(creation, tuple(sorted(rows[name])))
        for name, creation in built.items()
        # A block that is set eager in between is not followed.
        if stored.count(name) == 1 and name in rows and 0 not in rows[name]
    }


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _built(run: AnalysisRun, node: ast.Assign) -> Iterator[tuple[str, ast.Call]]:
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        for left, right in pairs:
            if isinstance(left, ast.Name) and isinstance(right, ast.Call) and _is_hybrid(run, right.func):
                yield left.id, right


def _is_hybrid(run: AnalysisRun, built: ast.expr) -> bool:
    made = run.module.expression(built) if isinstance(built, ast.Name | ast.Attribute) else None
    return isinstance(made, ClassRef) and made.info.hybrid and not (stays_eager(made.info) or runs_itself(made.info))


def _may_differ(own: Sequence[ast.AST], name: str) -> bool:
    """Return whether the text allows calls of a block to differ: in number of inputs, by None or by lists."""
    calls = [node for node in own if isinstance(node, ast.Call) and _calls_name(node, name)]
    special = (ast.Constant, ast.List, ast.Tuple, ast.ListComp, ast.Name)
    counts = {len(call.args) for call in calls}
    return len(calls) > 1 and (len(counts) > 1 or any(isinstance(one, special) for call in calls for one in call.args))


def _calls_name(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def _expects_failure(node: ast.AST) -> bool:
    """Return whether code catches exceptions of the statements in it: ``try``, ``with pytest.raises(...)``."""
    if isinstance(node, ast.With):
        called = [one.context_expr.func for one in node.items if isinstance(one.context_expr, ast.Call)]
        names = [one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in called]
        return any("raises" in name.lower() for name in names)
    return isinstance(node, ast.Try) and bool(node.handlers)


def _calls(
    run: AnalysisRun, function: ast.FunctionDef | None, body: Sequence[ast.stmt], blocks: Mapping[str, _CompiledBlock]
) -> Sequence[CompiledCall]:
    """Interpret code, and return its calls of compiled blocks in order."""
    act = Activation(run, run.module, function, mode=run.module.mode, role=Role(inner=True))
    act.flow.names |= {} if function is None else dict.fromkeys(names_of(function.args), Unknown())
    run.begin()
    # What this code does is no part of any trace.
    outer, run.trail = run.trail, EffectLog()
    compiled = frozenset(block.creation for block in blocks.values())
    with (
        run.reporting.silently(),
        TemporaryAttribute(run.blocks, "around", compiled),
        TemporaryAttribute(run.blocks, "around_calls", []),
    ):
        with suppress(RecursionError):
            run_body(act) if function is not None else execute(act, body)
        events = list(run.blocks.around_calls)
        del run.surroundings.stack[:]
    run.trail = outer
    return events
