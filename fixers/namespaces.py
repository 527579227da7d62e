"""Functions of ``mx.nd``: the same of the namespace that hybrid_forward is given."""

from __future__ import annotations

import ast
from dataclasses import replace

from hybridlint.analysis.events import Frame, OpCall
from hybridlint.analysis.values import Tensor
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.calls import remove_argument
from hybridlint.fixers.devices import context_of, is_default
from hybridlint.fixers.names import dotted
from hybridlint.fixers.proofs import proved_value
from hybridlint.fixers.text import safe_if
from hybridlint.runtime.registry import find
from hybridlint.runtime.surface import namespace_lacks

#: Functions that make an array of nothing but a shape and scalars.
CREATIONS = frozenset({"zeros", "ones", "full", "arange", "eye", "linspace"})


#: Functions that broadcast as nd's and not as sym's.
_BROADCAST_EAGERLY = frozenset({"maximum", "minimum", "power"})


#: Functions of sym that know no context.
_WITHOUT_CONTEXT = frozenset({"arange", "linspace"})


def through_namespace(event: OpCall) -> Fix | None:
    """Write ``mx.nd.relu(x)`` as ``F.relu(x)``."""
    if not isinstance(event.node, ast.Call) or event.namespace.root not in {"nd", "np", "npx"}:
        return None
    if event.namespace.root != "nd" and event.operator is None:
        # Much of mx.np is not in F.np.
        return None
    name = event.name
    pairs = list(zip(event.arguments.values, event.arguments.nodes, strict=False))
    if event.namespace.root == "nd" and name in _BROADCAST_EAGERLY and event.namespace.path == ():
        tensors = sum(isinstance(value, Tensor) for value, _ in pairs)
        name = f"broadcast_{name}" if tensors == 2 else name
    fix = _through_namespace(event.frame, event.node, event.namespace.root, event.namespace.path, name)
    if fix is None or name == event.name or all(proved_value(event.frame, *pair) for pair in pairs):
        return fix
    # Of a number there is no other function.
    return replace(fix, applicability=Applicability.UNSAFE)


def creation(frame: Frame, node: ast.expr) -> Fix | None:
    """Write ``mx.nd.ones(shape)`` as ``F.ones(shape)``; None where the expression is no such call."""
    if not isinstance(node, ast.Call):
        return None
    path = dotted(node.func)
    if path is None or "nd" not in path[:-1]:
        return None
    inner = path[path.index("nd") + 1 : -1]
    if path[-1] not in CREATIONS and inner != ("random",) and not (inner == () and _draws(path[-1])):
        return None
    return _through_namespace(frame, node, "nd", inner, path[-1])


def _draws(name: str) -> bool:
    """Whether a function draws random numbers in a shape, under the name that it had before there was nd.random."""
    return name.startswith("random_") or name in {"normal", "uniform"}


def _through_namespace(frame: Frame, node: ast.Call, root: str, path: tuple[str, ...], name: str) -> Fix | None:
    functions = frame.functions
    if functions is None or (root == "nd" and namespace_lacks(path, name)):
        return None
    given = {k.arg for k in node.keywords}
    if "out" in given:
        return None
    prefix = (functions,) if root == "nd" else (functions, root)
    target = ".".join((*prefix, *path, name))
    known = find(name) is not None or name in CREATIONS | _BROADCAST_EAGERLY or path == ("random",)
    span = frame.source.span(node.func)
    edits = [Edit(span, target)]
    kept = True
    for keyword in node.keywords:
        if keyword.arg == "ctx":
            found, kept = _context(frame, node, keyword, name)
            if found is None:
                return None
            edits += found
    return Fix(f"Call `{target}`", tuple(edits), safe_if(known, kept))


def _context(frame: Frame, call: ast.Call, keyword: ast.keyword, name: str) -> tuple[tuple[Edit, ...] | None, bool]:
    """Return the edits that keep the context of a call for eager runs, or take it out, and whether they keep it."""
    choice = None if is_default(keyword.value) or name in _WITHOUT_CONTEXT else context_of(frame, keyword.value)
    if choice is not None:
        return (*choice.imports, Edit(frame.source.span(keyword.value), choice.text)), True
    removal = remove_argument(frame, call, keyword, Applicability.SAFE)
    return (None if removal is None else removal.edits), is_default(keyword.value)
