"""The classes and functions of a file that can be converted, and the reasons why some classes cannot."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.model.values import External, Namespace
from hybridlint.analysis.mxnet.classes import BLOCK, ENTRY, HYBRID_BLOCK
from hybridlint.hybridizing.outcome import Reason
from hybridlint.runtime.facts.abstract.layers import is_hybrid_layer, layer_class
from hybridlint.text import definitions
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import ClassInfo, Module
    from hybridlint.text.source import SourceFile

#: The argument of `hybrid_forward` that holds the namespace of operators.
FUNCTIONS = "F"
#: The prefix of a hybrid class's name: HybridSequential is the counterpart of Sequential.
_HYBRID = "Hybrid"


def named(source: SourceFile) -> list[str]:
    """Return the names of the classes of a file, and of its functions that build a network. Raises SourceError."""
    module = new_project().module(source)
    return [*(name for name, _ in classes(module)), *plain_networks(module)]


def classes(module: Module) -> Iterator[tuple[str, ClassInfo]]:
    """Yield the classes of a file with their qualified names, in the order of the file."""
    yield from ((name, module.class_info(node)) for name, node in definitions.classes(module.source.tree.body))


def plain_networks(module: Module) -> dict[str, ast.FunctionDef]:
    """Return the functions of a file that build a container with a hybrid counterpart, such as Sequential, by name."""
    functions = (node for node in module.source.tree.body if isinstance(node, ast.FunctionDef))
    return {node.name: node for node in functions if any(_makes_container(module, part) for part in walk(node))}


def _makes_container(module: Module, node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return False
    match module.expression(node.func):
        case External(name=dotted):
            return hybrid_container(dotted) is not None
        case _:
            return False


def is_plain(info: ClassInfo) -> bool:
    """Whether a class is a block that `hybridize()` does not compile: a plain Block, or one with its own `forward`."""
    if not info.block or ENTRY in info.methods:
        return False
    return not info.hybrid or ("forward" in info.methods and not is_abstract(info.methods["forward"]))


def is_abstract(method: ast.FunctionDef) -> bool:
    """Whether the body of a method is empty, `pass` or `raise`, so that subclasses must define it."""
    body = [n for n in method.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    return not body or all(isinstance(n, ast.Pass | ast.Raise) for n in body)


def declares_only(info: ClassInfo) -> bool:
    """Whether a class cannot run by itself: it has an abstract `forward`, or none and no container as its base."""
    found = info.method("forward")
    if found is not None:
        return is_abstract(found[0])
    return not any(_name(base) not in {BLOCK, HYBRID_BLOCK} for base in info.foreign_bases if _is_gluon(base))


def hybrid_name(dotted: str) -> str | None:
    """Return the name of a Gluon class's hybrid counterpart: HybridBlock for Block; None if it has none.

    A class that is hybrid already keeps its name.
    """
    name = _name(dotted)
    if is_hybrid_layer(name) or name == HYBRID_BLOCK:
        return name
    return _HYBRID + name if is_hybrid_layer(_HYBRID + name) or name == BLOCK else None


def hybrid_container(dotted: str) -> str | None:
    """Return the name of the hybrid counterpart of a Gluon container such as Sequential, None for other classes."""
    made = layer_class(_name(dotted)) if _is_gluon(dotted) else None
    new = hybrid_name(dotted) if made is not None and hasattr(made, "add") else None
    return None if new == _name(dotted) else new


def refusal(name: str, info: ClassInfo) -> Reason | None:
    """Return the reason why a class cannot be converted, None if its definition shows no obstacle."""
    if "<locals>" in name:
        function = name.partition(".")[0]
        text = f"the class is defined inside the function `{function}`: move it to the level of the module"
        return Reason(text, info.node.lineno)
    for node in info.node.bases:
        base = info.module.resolve_class(node)
        if isinstance(base, str) and _is_gluon(base) and hybrid_name(base) is None:
            return Reason(f"its base {_name(base)} has no hybrid counterpart", node.lineno)
    forward = info.methods.get("forward")
    return None if forward is None else _of_head(forward) or _of_body(info, forward)


def _of_head(forward: ast.FunctionDef) -> Reason | None:
    obstacle = next(_of_signature(forward.args), None)
    if forward.decorator_list:
        row = forward.decorator_list[0].lineno
        return Reason("`forward` is decorated: write what the decorator does into it", row)
    return None if obstacle is None else Reason(obstacle, forward.lineno)


def _of_signature(spec: ast.arguments) -> Iterator[str]:
    """Yield a sentence for each property of `forward`'s signature that `hybrid_forward` cannot have."""
    inputs = spec.args[1:]
    if not spec.args:
        yield "`forward` has no `self`"
    if spec.posonlyargs:
        yield "`forward` has positional-only arguments: remove the `/`"
    for named in spec.kwonlyargs:
        yield f"`{named.arg}` of `forward` is keyword-only, and a block is called with positional inputs alone"
    if spec.kwarg is not None:
        yield f"`forward` takes `**{spec.kwarg.arg}`, and a hybrid block gets its parameters there: name the arguments"
    if not inputs and spec.vararg is None:
        yield "`forward` takes no input, and a hybrid block is traced by its first one"
    if FUNCTIONS in {a.arg for a in [*inputs, *filter(None, [spec.vararg])]}:
        yield f"`forward` calls an input `{FUNCTIONS}`, which is the name of the operators' namespace"


def _of_body(info: ClassInfo, forward: ast.FunctionDef) -> Reason | None:
    for node in walk(forward):
        match node:
            case ast.Yield() | ast.YieldFrom() | ast.Await():
                return Reason("`forward` is a generator: return a list", node.lineno)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == FUNCTIONS:
                if not is_namespace(info.module, value):
                    return Reason(f"`forward` uses the name `{FUNCTIONS}` for something else: rename it", node.lineno)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                return Reason(f"`forward` changes `{names[0]}` outside of the block", node.lineno)
            case _:
                continue
    return None


def names_in(node: ast.AST) -> frozenset[str]:
    """Return the names that a piece of code uses."""
    return frozenset(part.id for part in walk(node) if isinstance(part, ast.Name))


def is_namespace(module: Module, node: ast.expr) -> bool:
    """Whether an expression is the namespace ``nd`` as a whole."""
    return isinstance(node, ast.Name | ast.Attribute) and module.expression(node) == Namespace("nd")


def _is_gluon(dotted: str) -> bool:
    return dotted.startswith("mxnet.gluon.")


def _name(dotted: str) -> str:
    return dotted.rpartition(".")[2]
