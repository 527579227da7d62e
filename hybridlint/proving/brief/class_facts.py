"""Uses of attributes of self in a class: which it calls, takes apart, branches on, and tells of events."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from hybridlint.proving.brief.dotted_names import dotted_name, own_attribute
from hybridlint.proving.child.brief.code import AttributeCall, ClassFacts, Told
from hybridlint.text.syntax import is_stored

#: Calls that make a parameter.
_PARAMETERS = frozenset(("get", "get_constant", "Parameter", "Constant"))
#: The number of outputs that is assumed for a network if a loop iterates over its result.
_ITERATED = 2
#: Functions that take the items of a container as they are.
_CONTAINERS = ("list", "tuple", "enumerate", "reversed")


def read_class(node: ast.ClassDef) -> ClassFacts:
    """Return how the code of a class uses attributes of self."""
    nodes = list(ast.walk(node))
    assigns = [part for part in nodes if isinstance(part, ast.Assign)]
    return ClassFacts(
        kept=dict(_kept(nodes)),
        stored=frozenset(own for part in nodes if is_stored(part) and (own := own_attribute(part))),
        assigned=tuple(
            (dotted_name(target), part.value.id)
            for part in assigns
            if isinstance(part.value, ast.Name)
            for target in part.targets
            if isinstance(target, ast.Attribute) and dotted_name(target)
        ),
        holding=tuple(
            (own, held)
            for part in assigns
            if (held := _held(part.value))
            for own in map(own_attribute, part.targets)
            if own
        ),
        called=tuple(dict.fromkeys(_called(nodes))),
        calls=tuple(_calls(nodes)),
        apart=tuple(dict.fromkeys(_taken_apart(nodes))),
        parameters=tuple(
            own
            for part in assigns
            if getattr(getattr(part.value, "func", None), "attr", "") in _PARAMETERS
            for own in map(own_attribute, part.targets)
            if own
        ),
        branched=tuple(dict.fromkeys(_tested(nodes))),
        told=tuple(dict.fromkeys([*_told(nodes), *_told_in_loops(nodes)])),
    )


def _kept(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield pairs of an attribute and the constructor argument that is assigned to it unchanged."""
    for function in nodes:
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            names = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
                    yield from ((own, node.value.id) for own in map(own_attribute, node.targets) if own)


def _called(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the attributes of self that a class calls, or whose elements it calls in a loop."""
    names = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Call) and node.args and (attribute := own_attribute(node.func)):
            yield attribute
        elif isinstance(node, ast.For | ast.comprehension):
            bound = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
            if bound & names:
                yield from filter(None, map(own_attribute, _sources(node.iter)))


def _calls(nodes: list[ast.AST]) -> Iterator[AttributeCall]:
    """Yield each call of an attribute of self without starred arguments."""
    looped = {node.iter for node in nodes if isinstance(node, ast.For | ast.comprehension)}
    several = {source.id for loop in looped for source in _sources(loop) if isinstance(source, ast.Name)}
    unpacked = {
        id(node.value): _outputs(target, several)
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    for node in nodes:
        attribute = own_attribute(node.func) if isinstance(node, ast.Call) else ""
        inputs = node.args if isinstance(node, ast.Call) else []
        if attribute and inputs and not any(isinstance(argument, ast.Starred) for argument in inputs):
            yield AttributeCall(attribute, len(inputs), unpacked.get(id(node), 1))


def _outputs(target: ast.expr, several: Collection[str]) -> int:
    """Return how many outputs are assigned to a target; `several` are the names that loops iterate over."""
    if isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(part, ast.Starred) for part in target.elts):
        return len(target.elts)
    return _ITERATED if isinstance(target, ast.Name) and target.id in several else 1


def _sources(node: ast.expr) -> list[ast.expr]:
    """Return the iterables of a loop: the arguments of `enumerate`, `reversed` or `zip`, or the expression itself."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return list(node.args) if isinstance(node, ast.Call) and called in ("enumerate", "reversed", "zip") else [node]


def _taken_apart(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        looped = _sources(node.iter) if isinstance(node, ast.For | ast.comprehension) else []
        for source in [node.value] if isinstance(node, ast.Subscript) else looped:
            if isinstance(source, ast.Name):
                yield source.id
            elif attribute := own_attribute(source):
                yield f"self.{attribute}"


def _tested(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.If | ast.IfExp):
            yield from filter(None, (dotted_name(part) for part in ast.walk(node.test) if isinstance(part, ast.expr)))


def _held(value: ast.expr) -> str:
    if isinstance(value, ast.BoolOp):
        return _held(value.values[0])
    if isinstance(value, ast.IfExp):
        return _held(value.body) or _held(value.orelse)
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") in _CONTAINERS and value.args:
        return _held(value.args[0])
    return getattr(value, "id", "")


def _told(nodes: list[ast.AST]) -> Iterator[Told]:
    """Yield the methods that statements call on attributes of self; "" where one is called itself."""
    for call in _statements(nodes):
        if attribute := own_attribute(call.func):
            yield Told(attribute, "", items=False)
        if isinstance(call.func, ast.Attribute) and (owner := own_attribute(call.func.value)):
            yield Told(owner, call.func.attr, items=False)


def _told_in_loops(nodes: list[ast.AST]) -> Iterator[Told]:
    """Yield the methods that statements call on the items of attributes of self, in loops."""
    for loop in nodes:
        if not isinstance(loop, ast.For):
            continue
        source, target = loop.iter, loop.target
        while isinstance(source, ast.Call) and getattr(source.func, "id", "") in _CONTAINERS and source.args:
            source = source.args[0]
        variable = target.elts[-1] if isinstance(target, ast.Tuple) else target
        attribute = own_attribute(source)
        if not attribute or not isinstance(variable, ast.Name):
            continue
        for call in _statements(ast.walk(loop)):
            if getattr(call.func, "id", "") == variable.id:
                yield Told(attribute, "", items=True)
            elif isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == variable.id:
                yield Told(attribute, call.func.attr, items=True)


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Yield the calls whose result nothing uses."""
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield node.value
