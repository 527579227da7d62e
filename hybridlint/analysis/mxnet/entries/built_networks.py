"""Functions of a file that build networks and attach hooks to their parts. The hooks run when the network is traced."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, Function, Hook
from hybridlint.analysis.mxnet.blocks.hooks import inside_of
from hybridlint.analysis.project.instances import blocks_in
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.analysis.syntax.functions import enter
from hybridlint.text.syntax import each

if TYPE_CHECKING:
    from hybridlint.analysis.run.run import AnalysisRun


def hooks_of_builders(run: AnalysisRun, without: frozenset[str]) -> Iterator[Hook]:
    """Yield the hooks that functions of the file put on parts of hybrid blocks which they build and return.

    Those of definitions called `without` are left out, and those of functions that no call enters with a block.
    """
    module = run.module
    if "register_forward" not in module.source.text:
        return
    for node in module.source.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in without and any(each(node, ast.Return)):
            yield from _attached_by(run, node)


def _attached_by(run: AnalysisRun, node: ast.FunctionDef) -> Iterator[Hook]:
    attached: list[Hook] = []
    act = Activation(run, run.module, None, mode=run.module.mode, role=Role(building=True))
    outer, run.trail = run.trail, EffectLog()
    with run.reporting.silently(), run.budget.afresh(), TemporaryAttribute(run.blocks, "attached", attached):
        built = enter(act, Function(node, run.module), None, node)
    run.trail = outer
    inside = {one for root in blocks_in(built) if root.hybrid for one in inside_of(run, root)}
    for hook in attached:
        if hook.module is run.module and inside & {one.creation for one in _each(hook)}:
            yield hook


def _each(hook: Hook) -> Iterator[BlockRef]:
    for block in blocks_in(hook.block):
        yield from block.alternatives or (block,)
