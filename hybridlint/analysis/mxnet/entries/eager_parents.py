"""Code that runs eagerly around compiled children: the inputs that it passes them, and whether a graph accepts these.

A plain Block, or a class whose own ``hybridize`` compiles only its children, calls each child like an outermost block:
its inputs are arrays, and lists of arrays, of one structure for all calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, Namespace, SelfRef, Value
from hybridlint.analysis.mxnet.blocks.eager_by_choice import runs_itself, stays_eager
from hybridlint.analysis.mxnet.blocks.eager_callers import as_arrays
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.mxnet.entries.input_structures import with_structures
from hybridlint.analysis.mxnet.entries.named_blocks import named_blocks
from hybridlint.analysis.mxnet.inputs.signature import bind_arguments
from hybridlint.analysis.project.instances import Instance, blocks_in, creations
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.analysis.syntax.functions import run_body
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo
    from hybridlint.analysis.run.run import AnalysisRun

#: How deeply blocks hold each other, as far as they are looked at.
_DEEPEST = 4


def around_children(run: AnalysisRun, info: ClassInfo) -> None:
    """Emit an event for each input that a compiled child refuses, in a class that stays eager itself."""
    method = info.methods.get("forward") or (info.methods.get(ENTRY) if info.hybrid else None)
    if not info.hybrid and (own := info.method("hybridize")) is not None and not _goes_on(own[0]):
        return
    instance = instance_of(run, info)
    given = {} if info.hybrid else dict(named_blocks(info, instance))
    compiled = frozenset(_compiled(run, instance, _DEEPEST)) if method is not None else frozenset()
    compiled |= {block.creation for block in given.values() if block.creation is not None}
    if method is None or not compiled or not method.args.args:
        return
    this = SelfRef(instance)
    act = Activation(run, info.module, method, owner=info, this=this, mode=info.mode, role=Role(inner=True))
    names = [argument.arg for argument in (*method.args.posonlyargs, *method.args.args)]
    first = 2 if method.name == ENTRY else 1
    act.flow.names |= {f"self.{name}": block for name, block in given.items()}
    act.flow.names |= dict(zip(names, (this, Namespace("nd"))[:first], strict=False))
    bind_arguments(act, method, instance, [], first=first)
    act.flow.names |= {name: as_arrays(value) for name, value in act.flow.names.items()}
    run.begin()
    # What this code does is no part of any trace.
    outer, run.trail = run.trail, EffectLog()
    run.blocks.around, run.blocks.around_calls, run.blocks.lost_names = compiled, [], []
    with run.reporting.silently():
        run.surroundings.stack.append(method)
        try:
            run_body(act)
        except RecursionError:
            pass
        finally:
            del run.surroundings.stack[:]
    # The first read of each function tells what to unpack.
    lost = {event.frame.function: event for event in reversed(run.blocks.lost_names)}
    run.blocks.around, run.blocks.lost_names, run.trail = None, None, outer
    methods = [method for one in info.lineage for method in one.methods.values()]
    run.events += [*with_structures(run.blocks.around_calls, methods), *lost.values()]


def _goes_on(hybridize: ast.FunctionDef) -> bool:
    """Return whether a ``hybridize`` of a class that stays eager compiles all children."""
    names = {n.id for n in walk(hybridize) if isinstance(n, ast.Name)}
    return "super" in names or any(isinstance(n, ast.Attribute) and n.attr == "_children" for n in walk(hybridize))


def _compiled(run: AnalysisRun, instance: Instance, depth: int) -> Iterator[ast.AST]:
    """Yield the calls that built the hybrid blocks which ``hybridize()`` of a block reaches."""
    children = (child for child in instance.children if child.container is None or _registered(instance, child.value))
    held = [child.value for child in children]
    for value in (*held, *instance.added):
        for block in blocks_in(value):
            for one in block.alternatives or (block,):
                yield from _reached(run, one, depth)


def _registered(instance: Instance, value: Value) -> bool:
    return creations(value) <= instance.registered


def _reached(run: AnalysisRun, block: BlockRef, depth: int) -> Iterator[ast.AST]:
    eager = block.info is not None and (stays_eager(block.info) or runs_itself(block.info))
    if block.hybrid and block.creation is not None and not eager:
        yield block.creation
    if not depth:
        return
    for part in run.blocks.parts.of(block.creation):
        for one in blocks_in(part):
            yield from _reached(run, one, depth - 1)
    if block.info is not None:
        yield from _compiled(run, instance_of(run, block.info), depth - 1)
