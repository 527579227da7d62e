"""Fixers of classes and child blocks: the hybrid counterparts of blocks that are not hybrid."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import BlockDef, ChildDef
from hybridlint.analysis.model.values import BlockRef
from hybridlint.analysis.mxnet.classes import BLOCK, ENTRY, HYBRID_BLOCK
from hybridlint.fixers.blocks.traceability import may_be_traced
from hybridlint.fixers.toolkit.class_hierarchy import derives_from
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.signature_edits import head_of, rewrite_head, with_parameter
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

#: Methods of a block that becomes hybrid.
_CONVERTED = frozenset({"__init__", "forward"})
#: Attributes that read the data of a tensor.
_READS = frozenset({"asnumpy", "asscalar", "item", "tolist"})
_OUTSIDE = _READS | {"backward", "grad", "attach_grad", "data", "autograd"}


def hybrid_sequential(event: ChildDef) -> Fix | None:
    """Write ``nn.Sequential(...)`` as ``nn.HybridSequential(...)``."""
    return _rename_layer(event, "Sequential", "HybridSequential", Applicability.SAFE)


def hybrid_lambda(event: ChildDef) -> Fix | None:
    """Write ``nn.Lambda("relu")`` as ``nn.HybridLambda("relu")``; a function would have to take F."""
    call = _call(event, "Lambda")
    if call is None or not call.args or not isinstance(call.args[0], ast.Constant):
        return None
    return _rename_layer(event, "Lambda", "HybridLambda", Applicability.SAFE)


def to_hybrid_forward(event: BlockDef, forward: ast.FunctionDef) -> Fix | None:
    """Write ``def forward(self, x)`` as ``def hybrid_forward(self, F, x)``, where the class declares no parameters.

    None if it does what no trace can hold: eager, the class works.
    """
    source, owner = event.frame.source, event.node
    assert isinstance(owner, ast.ClassDef)
    derived = any(derives_from(n, owner.name) for n in walk(source.tree))
    if _declares_parameters(event.methods.get("__init__")) or derived or len(forward.args.args) < 2:
        return None
    found = _renamed(source, forward) if may_be_traced(source.tree, owner) else None
    return None if found is None else replace(found, compiles=True)


def to_hybrid_block(event: ChildDef) -> Fix | None:
    """Make a child's class a HybridBlock, if the file defines the class and it computes only with tensors.

    Tentative: the class may do things that cannot be hybridized.
    """
    source, child = event.frame.source, event.child
    if not isinstance(child, BlockRef) or child.definition not in source.tree.body:
        return None
    owner = child.definition
    assert owner is not None
    methods = {n.name: n for n in owner.body if isinstance(n, ast.FunctionDef)}
    forward = methods.get("forward")
    if forward is None or len(owner.bases) != 1 or ENTRY in methods or not methods.keys() <= _CONVERTED:
        return None
    base = dotted_parts(owner.bases[0])
    derived = any(derives_from(n, owner.name) for n in walk(source.tree))
    if base is None or base[-1] != BLOCK or derived or _declares_parameters(methods.get("__init__")):
        return None
    known = len(base) > 1 or any(isinstance(n, ast.alias) and n.name == HYBRID_BLOCK for n in walk(source.tree))
    if not known or _leaves_graph(forward):
        return None
    name = expression("{name}", name=".".join([*base[:-1], HYBRID_BLOCK]))
    hybrid = rewrite(event.frame, owner.bases[0], name, Applicability.UNSAFE)
    return join_fixes(f"Make {owner.name} a HybridBlock", [hybrid, _renamed(source, forward)], kind=FixKind.STEP)


def reads_data(forward: ast.FunctionDef) -> bool:
    """Whether a method reads the data of tensors, which a graph does not have."""
    return any(isinstance(n, ast.Attribute) and n.attr in _READS for n in walk(forward))


def _leaves_graph(forward: ast.FunctionDef) -> bool:
    """Whether a method reads data or records gradients, which a graph cannot do."""
    return any(isinstance(n, ast.Attribute) and n.attr in _OUTSIDE for n in walk(forward))


def _renamed(source: SourceFile, forward: ast.FunctionDef) -> Fix | None:
    """Return the fix that turns a method into hybrid_forward; None if that name or `F` is already in use."""
    if not forward.args.args or forward.decorator_list or _calls_forward(source.tree):
        return None
    if any(isinstance(n, ast.Name) and n.id == "F" for n in walk(forward)):
        return None
    new = with_parameter(head_of(source, forward), "F", at=1).with_changes(name=cst.Name(ENTRY))
    return rewrite_head(source, forward, new, Applicability.UNSAFE, message="Write it as hybrid_forward")


def _rename_layer(event: ChildDef, old: str, new: str, applicability: Applicability) -> Fix | None:
    call = _call(event, old)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    layer = expression("{owner}.{new}", owner=event.frame.concrete(call.func.value), new=new)
    return rewrite(event.frame, call.func, layer, applicability, message=f"Use {new}")


def _call(event: ChildDef, layer: str) -> ast.Call | None:
    """Return the call of the class `layer` that builds the child."""
    for node in walk(event.node):
        if isinstance(node, ast.Call):
            path = dotted_parts(node.func)
            if path is not None and path[-1] == layer:
                return node
    return None


def _calls_forward(tree: ast.Module) -> bool:
    """Whether the file itself calls ``x.forward(...)``, whose arguments the fix would change."""
    return any(isinstance(n, ast.Attribute) and n.attr == "forward" for n in walk(tree))


def _declares_parameters(init: ast.FunctionDef | None) -> bool:
    return init is not None and any(isinstance(n, ast.Attribute) and n.attr == "params" for n in walk(init))
