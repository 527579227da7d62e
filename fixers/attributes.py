"""Arrays that a block keeps in its attributes: as constants among its parameters."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.names import class_around, derives_from
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import Span
from hybridlint.text.syntax import walk


def constant_parameter(frame: Frame, node: ast.expr) -> Fix | None:
    """Keep the array of ``self.c`` with ``get_constant``, and take it as an argument of hybrid_forward.

    Only where ``__init__`` makes it, nothing changes it, and nothing else in the file reads an attribute of that name.
    """
    function, owner = frame.function, class_around(frame)
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            pass
        case _:
            return None
    if owner is None or not isinstance(function, ast.FunctionDef) or function.name != "hybrid_forward":
        return None
    made = _made(owner, name)
    uses = [n for n in walk(frame.source.tree) if isinstance(n, ast.Attribute) and n.attr == name]
    inside = {id(n) for n in walk(function)}
    others = [n for n in uses if id(n) not in inside and (made is None or n is not made.targets[0])]
    taken = {n.id for n in walk(function) if isinstance(n, ast.Name)} | {
        a.arg for a in walk(function) if isinstance(a, ast.arg)
    }
    if made is None or others or name in taken or not _only_reads(function, name):
        return None
    place = _end_of_arguments(frame, function)
    if place is None:
        return None
    value = frame.source.span(made.value)
    edits = [
        Edit(Span(value.start, value.start), f'self.params.get_constant("{name}", '),
        Edit(Span(value.end, value.end), ")"),
        Edit(place, f", {name}=None" if function.args.defaults else f", {name}"),
        *(Edit(frame.source.span(n), name) for n in uses if id(n) in inside),
    ]
    return Fix(f"Keep `self.{name}` as a constant among the parameters", tuple(edits), Applicability.UNSAFE)


def new_constant(frame: Frame, node: ast.Call) -> Fix | None:
    """Keep ``mx.nd.array([...])`` of numbers as a constant among the parameters, which `__init__` makes."""
    function, owner = frame.function, class_around(frame)
    if owner is None or not isinstance(function, ast.FunctionDef) or function.name != "hybrid_forward":
        return None
    init = next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    place = _end_of_arguments(frame, function)
    used = {n.id for n in walk(owner) if isinstance(n, ast.Name)}
    used |= {n.attr for n in walk(owner) if isinstance(n, ast.Attribute)} | {
        a.arg for a in walk(owner) if isinstance(a, ast.arg)
    }
    if place is None or not _is_written_out(node):
        return None
    name = next(n for n in ("constant", *(f"constant{i}" for i in range(1, len(used) + 2))) if n not in used)
    source = frame.source
    made = f'params.get_constant("{name}", {source.code(node.args[0])})'
    stored = _stored_last(frame, init, name, made) if init is not None else _stored_first(frame, function, name, made)
    if stored is None:
        return None
    argument = Edit(place, f", {name}=None" if function.args.defaults else f", {name}")
    edits = (stored, argument, Edit(source.span(node), name))
    return Fix(f"Keep the array as a constant, `self.{name}`", edits, Applicability.UNSAFE)


def _stored_last(frame: Frame, init: ast.FunctionDef, name: str, made: str) -> Edit | None:
    """Return the edit that stores an attribute at the end of `__init__`, or of the scope that ends it."""
    last = init.body[-1]
    last = last.body[-1] if isinstance(last, ast.With) else last
    source, owner = frame.source, init.args.args[0].arg
    start, end = source.line_starts[last.lineno - 1], source.span(last).end
    indent = source.text[start : source.span(last).start]
    if indent.strip() or isinstance(last, ast.Return):
        return None
    return Edit(Span(end, end), f"\n{indent}{owner}.{name} = {owner}.{made}")


def _stored_first(frame: Frame, function: ast.FunctionDef, name: str, made: str) -> Edit | None:
    """Return the edit that writes an `__init__` which stores an attribute."""
    source, owner = frame.source, function.args.args[0].arg
    start = source.line_starts[function.lineno - 1]
    indent = source.text[start : source.span(function).start]
    if indent.strip() or function.decorator_list:
        return None
    step = "\t" if "\t" in indent else "    "
    lines = (
        f"{indent}def __init__({owner}, *args, **kwargs):",
        f"{indent}{step}super().__init__(*args, **kwargs)",
        f"{indent}{step}with {owner}.name_scope():",
        f"{indent}{step * 2}{owner}.{name} = {owner}.{made}",
    )
    return Edit(Span(start, start), "\n".join(lines) + "\n\n")


def parameter_of_child(frame: Frame, node: ast.expr) -> Fix | None:
    """Write ``self.child.weight.data()`` as an argument, with the parameter registered for the block itself."""
    function, owner = frame.function, class_around(frame)
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=child), attr=parameter),
                attr="data",
            ),
            args=[],
            keywords=[],
        ):
            name = f"{child}_{parameter}"
        case _:
            return None
    if owner is None or not isinstance(function, ast.FunctionDef) or function.name != "hybrid_forward":
        return None
    init = next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    place, parts = _end_of_arguments(frame, function), list(walk(owner))
    used = {getattr(n, key, None) for n in parts for key in ("id", "attr", "arg")}
    made = [n for n in walk(init or ast.Pass()) if isinstance(n, ast.Assign)]
    built = any(isinstance(t, ast.Attribute) and t.attr == child for n in made for t in n.targets)
    stored = _stored_last(frame, init, name, f"{child}.{parameter}") if init is not None and built else None
    if place is None or stored is None or name in used:
        return None
    reads = [n for n in walk(function) if isinstance(n, ast.Call) and ast.dump(n) == ast.dump(node)]
    argument = Edit(place, f", {name}=None" if function.args.defaults else f", {name}")
    edits = (stored, argument, *(Edit(frame.source.span(n), name) for n in reads))
    return Fix(f"Take the parameter as an argument, `{name}`", edits, Applicability.UNSAFE)


def _is_written_out(node: ast.Call) -> bool:
    """Whether a call makes an array of numbers that stand in it."""
    if len(node.args) != 1 or any(k.arg != "ctx" for k in node.keywords):
        return False
    try:
        ast.literal_eval(node.args[0])
    except ValueError:
        return False
    return isinstance(node.args[0], ast.List | ast.Tuple)


def _made(owner: ast.ClassDef, name: str) -> ast.Assign | None:
    """Return the only assignment of the attribute, which `__init__` makes of a call."""
    init = next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    found = [
        n
        for n in walk(init or ast.Pass())
        if isinstance(n, ast.Assign) and any(isinstance(t, ast.Attribute) and t.attr == name for t in n.targets)
    ]
    if len(found) != 1 or len(found[0].targets) != 1 or not isinstance(found[0].value, ast.Call):
        return None
    return found[0]


def _only_reads(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function does nothing with the attribute but to read it, as a whole."""
    for node in walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=found, ctx=ast.Load()):
                continue
            case ast.Attribute(attr=found) if found == name:
                return False
            case ast.Subscript(value=ast.Attribute(attr=found)) | ast.Attribute(value=ast.Attribute(attr=found)):
                if found == name:
                    return False
            case ast.JoinedStr():
                return False
    return True


def _end_of_arguments(frame: Frame, function: ast.FunctionDef) -> Span | None:
    """Return where an argument can be added; None where the signature is not plain, or the file calls the function."""
    spec, owner = function.args, class_around(frame)
    if owner is not None and any(derives_from(n, owner.name) for n in walk(frame.source.tree)):
        # What a class registers, its children get as an argument too.
        return None
    called = any(isinstance(n, ast.Attribute) and n.attr == function.name for n in walk(frame.source.tree))
    if called or spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs or not spec.args:
        return None
    last = spec.defaults[-1] if spec.defaults else spec.args[-1]
    end = frame.source.span(last).end
    return Span(end, end)
