"""Classes and children: hybrid counterparts of what is not hybrid."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import BlockDef, ChildDef
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.names import dotted
from hybridlint.source import Span


def hybrid_sequential(event: ChildDef) -> Fix | None:
    """Write ``nn.Sequential(...)`` as ``nn.HybridSequential(...)``."""
    return _rename_layer(event, "Sequential", "HybridSequential", Applicability.SAFE)


def hybrid_lambda(event: ChildDef) -> Fix | None:
    """Write ``nn.Lambda("relu")`` as ``nn.HybridLambda("relu")``; a function would have to take F."""
    call = _call(event, "Lambda")
    if call is None or not call.args or not isinstance(call.args[0], ast.Constant):
        return None
    return _rename_layer(event, "Lambda", "HybridLambda", Applicability.SAFE)


def children_in_sequential(event: ChildDef) -> Fix | None:
    """Write ``self.a = [Dense(1), Dense(2)]`` as a HybridSequential, where the list is written out."""
    node = event.node if isinstance(event.node, ast.Assign) else event.frame.statement
    if event.container != "list" or not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List):
        return None
    elements = node.value.elts
    prefixes = {dotted(e.func)[:-1] if dotted(e.func) else None for e in elements if isinstance(e, ast.Call)}  # type: ignore[index]
    if not elements or len(prefixes) != 1 or len([e for e in elements if isinstance(e, ast.Call)]) != len(elements):
        return None
    prefix = prefixes.pop()
    if not prefix or prefix[-1] not in {"nn"} or len(node.targets) != 1:
        return None
    source = event.frame.source
    if "#" in source.code(node):
        return None
    target = source.code(node.targets[0])
    indent = source.text[source.line_starts[node.lineno - 1] : source.span(node).start]
    if indent.strip():
        return None
    added = ", ".join(source.code(e) for e in elements)
    content = f"{target} = {'.'.join(prefix)}.HybridSequential()\n{indent}{target}.add({added})"
    return Fix("Keep the children in a HybridSequential", (Edit(source.span(node), content),), Applicability.UNSAFE)


def to_hybrid_forward(event: BlockDef, forward: ast.FunctionDef) -> Fix | None:
    """Write ``def forward(self, x)`` as ``def hybrid_forward(self, F, x)``, where the class declares no parameters."""
    arguments = forward.args.args
    if not arguments or event.frame.source.code(forward).startswith("@") or _calls_super_forward(forward):
        return None
    if any(isinstance(n, ast.Name) and n.id == "F" for n in ast.walk(forward)) or _declares_parameters(event):
        return None
    source = event.frame.source
    head = source.span(forward)
    name_at = source.text.find("forward", head.start)
    first = source.span(arguments[0])
    edits = (
        Edit(Span(name_at, name_at + len("forward")), "hybrid_forward"),
        Edit(Span(first.end, first.end), ", F"),
    )
    return Fix("Write it as hybrid_forward", edits, Applicability.UNSAFE)


def _rename_layer(event: ChildDef, old: str, new: str, applicability: Applicability) -> Fix | None:
    call = _call(event, old)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    end = event.frame.source.span(call.func).end
    return Fix(f"Use {new}", (Edit(Span(end - len(old), end), new),), applicability)


def _call(event: ChildDef, layer: str) -> ast.Call | None:
    """Return the call that builds the child."""
    for node in ast.walk(event.node):
        if isinstance(node, ast.Call):
            path = dotted(node.func)
            if path is not None and path[-1] == layer:
                return node
    return None


def _calls_super_forward(forward: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "forward" for n in ast.walk(forward))


def _declares_parameters(event: BlockDef) -> bool:
    init = event.methods.get("__init__")
    if init is None:
        return False
    return any(isinstance(n, ast.Attribute) and n.attr == "params" for n in ast.walk(init))
