"""Constructor arguments that a block stores in attributes and calls, so that they must be blocks."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple

#: Expressions for a block with one input and one output, and for a network whose children can be used.
LAYERS = ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)")
SEQUENTIALS = tuple(
    f"(lambda net: net.add({layer}, {layer}) or net)(nn.HybridSequential())"
    for layer in ("nn.Conv2D(4, 3, padding=1)", "nn.Dense(4)")
)


#: Calls that make a parameter.
_PARAMETERS = frozenset(("get", "get_constant", "Parameter", "Constant"))
#: The block that stands in for a network if only its numbers of inputs and outputs are known.
_STAND_IN = "nn.HybridLambda"
_RESULTS = ("F.tanh(x)", "F.sigmoid(x)")
#: The number of outputs that is assumed for a network if a loop iterates over its result.
_ITERATED = 2


class BlockUsage(Enum):
    """How a block uses a block argument: it only calls the block, or uses the block's children too."""

    CALLED = "called"
    TAKEN_APART = "taken apart"


class BlockCallShape(NamedTuple):
    """How a block calls another block: with how many inputs, and how many outputs it unpacks from the result."""

    inputs: int = 1
    outputs: int = 1

    @property
    def plain(self) -> bool:
        """Whether the call has one input and one output, as for an ordinary layer."""
        return self.inputs == 1 and self.outputs == 1

    @property
    def network(self) -> str | None:
        """An expression for a lambda block with as many outputs, None if the call has several inputs."""
        results = ", ".join(_RESULTS[k % len(_RESULTS)] for k in range(self.outputs))
        return f"{_STAND_IN}(lambda F, x: ({results}))" if self.inputs == 1 else None


def stands_in(texts: Iterable[str]) -> bool:
    """Whether one of these argument expressions is a lambda block that stands in for a network."""
    return any(_STAND_IN in text for text in texts)


class ArgumentUse(NamedTuple):
    """How a block uses another block that is an argument of its constructor."""

    part: BlockUsage
    call: BlockCallShape


def parts(cls: Any) -> dict[str, ArgumentUse]:
    """Return how a class uses each constructor argument that it stores in an attribute and calls, by argument name."""
    trees = list(_trees(cls))
    kept = {attribute: name for tree in trees for attribute, name in _kept(tree)}
    called = {attribute for tree in trees for attribute in _called(tree)}
    apart = {name for tree in trees for name in _taken_apart(tree)}
    calls = {attribute: call for tree in trees for attribute, call in _calls(tree)}
    return {
        name: ArgumentUse(
            BlockUsage.TAKEN_APART if {name, f"self.{attribute}"} & apart else BlockUsage.CALLED,
            calls.get(attribute, BlockCallShape()),
        )
        for attribute, name in kept.items()
        if attribute in called
    }


def called_like(cls: Any, call: BlockCallShape) -> bool:
    """Whether the hybrid_forward of a class takes and returns as many arrays as `call`; False if it has no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls.hybrid_forward))).body[0]
    except (AttributeError, OSError, TypeError, SyntaxError, ValueError):
        return False
    if not isinstance(tree, ast.FunctionDef):
        return False
    own = set(_registered(cls))
    names = [argument.arg for argument in tree.args.args[2:] if argument.arg not in own]
    least = len(names) - sum(default is not None for default in tree.args.defaults)
    counts = {_count(node.value) for node in ast.walk(tree) if isinstance(node, ast.Return)}
    fits = least <= call.inputs and (call.inputs <= len(names) or tree.args.vararg is not None)
    return fits and (call.outputs in counts or (call.outputs > 1 and 0 in counts))


def _registered(cls: Any) -> Iterator[str]:
    """Yield the attributes of a class that hold its own parameters; hybrid_forward gets these besides its inputs."""
    for tree in _trees(cls):
        for node in ast.walk(tree):
            made = getattr(node.value, "func", None) if isinstance(node, ast.Assign) else None
            if isinstance(node, ast.Assign) and getattr(made, "attr", "") in _PARAMETERS:
                yield from filter(None, map(_own, node.targets))


def _count(value: ast.expr | None) -> int:
    """Return the number of outputs in the expression of a return statement, 0 if unknown."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return 0 if any(isinstance(part, ast.Starred) for part in value.elts) else len(value.elts)
    called = getattr(value.func, "id", "") if isinstance(value, ast.Call) else ""
    return 0 if value is None or called in ("tuple", "list") else 1


def _trees(cls: Any) -> Iterator[ast.AST]:
    for base in getattr(cls, "__mro__", ()):
        if base.__module__.startswith(("mxnet.", "builtins", "hybridlint.")):
            continue
        try:
            yield ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError, ValueError):
            continue


def _kept(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield pairs of an attribute and the constructor argument that is assigned to it unchanged."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            names = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
                    yield from ((attribute, node.value.id) for t in node.targets if (attribute := _own(t)))


def _called(tree: ast.AST) -> Iterator[str]:
    """Yield the attributes of self that a function calls, or whose elements it calls in a loop."""
    names = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and (attribute := _own(node.func)):
            yield attribute
        elif isinstance(node, (ast.For, ast.comprehension)):
            bound = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
            if bound & names:
                yield from filter(None, map(_own, _sources(node.iter)))


def _calls(tree: ast.AST) -> Iterator[tuple[str, BlockCallShape]]:
    """Yield (attribute, call) for each call of an attribute of self without starred arguments."""
    looped = {node.iter for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension))}
    several = {source.id for loop in looped for source in _sources(loop) if isinstance(source, ast.Name)}
    unpacked = {
        id(node.value): _outputs(target, several)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    for node in ast.walk(tree):
        attribute = _own(node.func) if isinstance(node, ast.Call) else ""
        inputs = node.args if isinstance(node, ast.Call) else []
        if attribute and inputs and not any(isinstance(argument, ast.Starred) for argument in inputs):
            yield attribute, BlockCallShape(len(inputs), unpacked.get(id(node), 1))


def _outputs(target: ast.expr, several: Collection[str]) -> int:
    """Return how many outputs are assigned to a target; `several` are the names that loops iterate over."""
    if isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(part, ast.Starred) for part in target.elts):
        return len(target.elts)
    return _ITERATED if isinstance(target, ast.Name) and target.id in several else 1


def _sources(node: ast.expr) -> list[ast.expr]:
    """Return the iterables of a loop: the arguments of `enumerate`, `reversed` or `zip`, or the expression itself."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return list(node.args) if isinstance(node, ast.Call) and called in ("enumerate", "reversed", "zip") else [node]


def _taken_apart(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        looped = _sources(node.iter) if isinstance(node, (ast.For, ast.comprehension)) else []
        for source in [node.value] if isinstance(node, ast.Subscript) else looped:
            if isinstance(source, ast.Name):
                yield source.id
            elif attribute := _own(source):
                yield f"self.{attribute}"


def _own(node: ast.AST) -> str:
    """Return the name of the attribute of `self` that an expression is, "" for any other expression."""
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if isinstance(node, ast.Attribute) and plain else ""
