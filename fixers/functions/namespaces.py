"""Fixers of functions of ``mx.nd``: the same functions of the namespace that hybrid_forward receives as `F`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext, OpCall
from hybridlint.analysis.model.values import ContainerValue, Tensor
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.functions.devices import DeviceChoice, context_of, is_default, with_imports
from hybridlint.fixers.toolkit.arguments import by_name, with_arguments, without_argument
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import find
from hybridlint.runtime.facts.surface import NO_CONTEXT, namespace_lacks
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def through_namespace(event: OpCall) -> Fix | None:
    """Write ``mx.nd.relu(x)`` as ``F.relu(x)``."""
    if not isinstance(event.node, ast.Call) or event.namespace.root not in {"nd", "np", "npx"}:
        return None
    if not is_called_there(event):
        return None
    if event.namespace.root != "nd" and event.operator is None:
        # F.np lacks many functions of mx.np.
        return None
    name = event.name
    pairs = list(zip(event.arguments.values, event.arguments.nodes, strict=False))
    twin = _broadcasts_eagerly(name)
    if event.namespace.root == "nd" and twin is not None and event.namespace.path == ():
        tensors = sum(isinstance(value, Tensor) for value, _ in pairs)
        name = twin if tensors == 2 else name
    handed = _handed_over(event, event.node)
    if handed is not None:
        return _handed(event, handed, name)
    fix = _through_namespace(event.frame, event.node, event.namespace.root, event.namespace.path, name)
    if fix is None or name == event.name or all(proved_value(event.frame, *pair) for pair in pairs):
        return fix
    # The function may get a number, which the broadcasting function of F does not take.
    return replace(fix, applicability=Applicability.UNSAFE)


def is_called_there(event: OpCall) -> bool:
    """Whether an event's node calls the function: ``nn.Lambda("relu")`` makes it, and the call is elsewhere."""
    return set(event.arguments.nodes) <= set(walk(event.node))


def _handed_over(event: OpCall, call: ast.Call) -> ast.expr | None:
    """Return the argument by which a call passes on the event's function: ``nd.relu`` in ``map(nd.relu, xs)``."""
    if (dotted_parts(call.func) or ("",))[-1] == event.name:
        return None
    return next((part for part in call.args if (dotted_parts(part) or ("",))[-1] == event.name), None)


def _handed(event: OpCall, part: ast.expr, name: str) -> Fix | None:
    """Write ``map(nd.relu, xs)`` as ``map(F.relu, xs)``."""
    frame, namespace = event.frame, event.namespace
    if frame.functions is None or namespace.root != "nd" or namespace_lacks(namespace.path, name):
        return None
    target = ".".join((frame.functions, *namespace.path, name))
    new = expression("{target}", target=target)
    return rewrite(frame, part, new, safe_if(name == event.name), message=f"Hand over `{target}`")


def creation(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``mx.nd.ones(shape)`` as ``F.ones(shape)``; None if the expression is no such call."""
    if not isinstance(node, ast.Call):
        return None
    path = dotted_parts(node.func)
    if path is None or "nd" not in path[:-1]:
        return None
    inner = path[path.index("nd") + 1 : -1]
    if not lookup.makes_array(path[-1]) and inner != ("random",) and not (inner == () and _draws(path[-1])):
        return None
    return _through_namespace(frame, node, "nd", inner, path[-1])


def _draws(name: str) -> bool:
    """Whether a function draws random numbers in a given shape, as ``nd.uniform`` does.

    Such functions are older than ``nd.random``.
    """
    operator = find(name)
    return operator is not None and operator.random and not operator.inputs


def _broadcasts_eagerly(name: str) -> str | None:
    """Return the broadcasting counterpart of a function that broadcasts in `nd` and not in `sym`, or None."""
    operator = None if namespace_lacks((), name) else lookup.of_numbers(name)
    return None if operator is None else operator.facts.broadcast_twin


def _through_namespace(frame: CodeContext, node: ast.Call, root: str, path: tuple[str, ...], name: str) -> Fix | None:
    functions = frame.functions
    if functions is None or (root == "nd" and namespace_lacks(path, name)):
        return None
    given = {k.arg: k for k in node.keywords}
    if "out" in given:
        return None
    prefix = (functions,) if root == "nd" else (functions, root)
    target = ".".join((*prefix, *path, name))
    written = lookup.makes_array(name) or lookup.of_numbers(name) is not None
    numpy = (
        root != "nd" and lookup.function((root, *path), name) is not None and not namespace_lacks((root, *path), name)
    )
    known = find(name) is not None or written or path == ("random",) or numpy
    context = given.get("ctx")
    if context is None:
        choice, kept, call = None, True, with_arguments(frame, node, {})
    elif (choice := _context(frame, context, name)) is None:
        kept, call = is_default(context.value), without_argument(frame, node, context)
    else:
        kept, call = True, with_arguments(frame, node, {context: by_name("ctx", choice.new)})
    new = call.with_changes(func=expression("{target}", target=target))
    unlisting = _takes_list_as_one(frame, node, name) if root == "nd" else None
    if unlisting is not None:
        named = (by_name(key, arg.value) for key, arg in zip(unlisting, new.args[1 : len(node.args)], strict=False))
        new = new.with_changes(args=(*_one_by_one(new.args[0]), *named, *new.args[len(node.args) :]))
    fix = rewrite(frame, node, new, safe_if(known, kept, unlisting is None), message=f"Call `{target}`")
    return fix if choice is None else with_imports(choice, fix)


def _one_by_one(listed: cst.Arg) -> Sequence[cst.Arg]:
    """Return the arguments in the place of one that is a list: the items of a list that is written out, or a star."""
    items = listed.value
    if not isinstance(items, cst.List | cst.Tuple) or not all(isinstance(e, cst.Element) for e in items.elements):
        return [listed.with_changes(star="*")]
    return [cst.Arg(element.value) for element in items.elements]


def _takes_list_as_one(frame: CodeContext, node: ast.Call, name: str) -> Sequence[str] | None:
    """Return the parameters behind the tensors of a function that takes these one by one, and is passed a list.

    The call raises in both modes, as does every parameter that is passed by position there. None for other calls.
    """
    operator = find(name)
    if operator is None or not operator.variadic or not node.args or isinstance(node.args[0], ast.Starred):
        return None
    held = frame.seen.value(node.args[0])
    listed = isinstance(held, ContainerValue) and held.kind in {"list", "tuple"}
    params = [key for key in operator.params if key != "num_args"]
    return params if listed and len(node.args) <= len(params) + 1 else None


def _context(frame: CodeContext, keyword: ast.keyword, name: str) -> DeviceChoice | None:
    """Return the context of a call for eager runs only; None if the fix leaves the context out."""
    return None if is_default(keyword.value) or name in NO_CONTEXT else context_of(frame, keyword.value)
