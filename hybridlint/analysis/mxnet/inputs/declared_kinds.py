"""Declared kinds of a function's arguments, from annotations, type comments and docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from hybridlint.analysis.model.tables import words
from hybridlint.analysis.model.values import ProjectClass, ProjectModule, ShapeProvenance, Unknown, Value
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.mxnet.inputs.docstrings import documented_arguments
from hybridlint.text.screening import mentions
from hybridlint.text.syntax import expression, parse_text

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.text.source import SourceFile

#: The declared kind: a tensor, a list or tuple of them, a Python value, or a union of kinds.
DeclaredKind: TypeAlias = Literal["tensor", "list", "setting", "other"]
#: Names of a module that are bound to an expression, such as a type alias.
_Aliases: TypeAlias = Callable[[str], ast.expr | None]

_LISTS = words(
    """
    list tuple sequence iterable iterator collection mutablesequence generator lists tuples sequences pair triple
    triplet
    """
)
_TENSORS = words("ndarray symbol _symbol tensor ndarrays symbols tensors")
_SETTINGS = words("int float bool str bytes integer boolean string double number")
_OTHERS = words(
    """
    dict mapping mutablemapping ordereddict namedtuple callable function block hybridblock dictionary set frozenset
    """
)
#: In code `ndarray` may also be numpy's.
_OF_NUMPY = frozenset({"np", "numpy", "onp", "_np"})
_TYPE_COMMENT = re.compile(r"#\s*type:\s*(?!ignore\b)(.+?)\s*$")
#: Words after which a text describes how something is made, not what it is.
_DETAILS = re.compile(
    r"\b(?:(?:of |with |in )?shape|default|optional|that|which|whose|where)\b|\.(?:\s|$)|[;({]|\s-+\s"
)
#: A text in brackets names what a list holds, or the axes of a shape: ``[NDArray or Symbol]``, ``[B, C, H, W]``.
_BRACKETED = re.compile(r"[`'\" ]*\[([^\]]*)")
_ALTERNATIVES = re.compile(r"\s+or\s+|[|/,]")
_WORD = re.compile(r"[A-Za-z_][\w.]*")
#: The number of words at a text's beginning that may name the kind.
_FIRST = 4
_DEEPEST = 4


def declared_kinds(
    module: ProjectModule, node: ast.FunctionDef, owner: ProjectClass | None
) -> Mapping[str, DeclaredKind]:
    """Return the declared kinds of a function's arguments, by name; a method's class may declare them too."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    written = {a.arg: a.annotation for a in arguments if a.annotation is not None}
    if node.args.vararg is not None and node.args.vararg.annotation is not None:
        written[node.args.vararg.arg] = node.args.vararg.annotation
    written |= _of_comments(module.source, node)
    kinds = {name: _of_annotation(annotation, _aliases_of(module)) for name, annotation in written.items()}
    texts = documented_arguments(_docstrings(node, owner), [a.arg for a in arguments])
    declared = {name: _of_text(text) for name, text in texts.items()} | {
        n: k for n, k in kinds.items() if k is not None
    }
    return {name: kind for name, kind in declared.items() if kind is not None}


def declared_result(act: Activation, node: ast.FunctionDef) -> Value:
    """Return the result of a function by its annotation: a tensor, or an unknown value."""
    kind = None if node.returns is None else _of_annotation(node.returns, _aliases_of(act.module))
    return act.tensor(lineage=ShapeProvenance(act.run.token())) if kind == "tensor" else Unknown()


def _docstrings(node: ast.FunctionDef, owner: ProjectClass | None) -> Iterator[str]:
    """Yield the docstrings that may describe a block's inputs, the nearest last."""
    if owner is not None and node.name in {ENTRY, "forward"}:
        for info in reversed(owner.lineage):
            yield _inputs_of(ast.get_docstring(info.node) or "")
        for name in ("__call__", "forward"):
            if name in owner.methods and owner.methods[name] is not node:
                yield ast.get_docstring(owner.methods[name]) or ""
    yield ast.get_docstring(node) or ""


def _inputs_of(text: str) -> str:
    """Return the part of a class's docstring about its inputs; the rest describes its constructor."""
    return "\n".join(line for line in text.splitlines() if line.lstrip(" -*\t").startswith("**") or "- **" in line)


def _of_comments(source: SourceFile, node: ast.FunctionDef) -> Mapping[str, ast.expr]:
    """Return the types in comments: ``x,  # type: List[NDArray]``, or ``# type: (Any, NDArray) -> NDArray``."""
    if not mentions(source.text, "# type:"):
        return {}
    arguments = [*node.args.posonlyargs, *node.args.args]
    found: dict[str, ast.expr] = {}
    for row in range(node.lineno, node.body[0].lineno):
        match = _TYPE_COMMENT.search(source.line(row))
        if match is None:
            continue
        if match[1].startswith("("):
            types = _signature(match[1])
            found |= {a.arg: kind for a, kind in zip(arguments[::-1], types[::-1], strict=False)}
            continue
        here = [a.arg for a in arguments if a.lineno == row]
        if len(here) == 1 and (kind := _parsed(match[1])) is not None:
            found[here[0]] = kind
    return found


def _signature(text: str) -> list[ast.expr]:
    try:
        tree = parse_text(text, "func_type")
    except SyntaxError:
        return []
    assert isinstance(tree, ast.FunctionType)
    return tree.argtypes


def _parsed(text: str) -> ast.expr | None:
    try:
        return expression(text)
    except (SyntaxError, ValueError):
        return None


def _aliases_of(module: ProjectModule) -> _Aliases:
    def alias(name: str) -> ast.expr | None:
        found = module.definitions.get(name)
        return found if isinstance(found, ast.expr) else None

    return alias


def _of_annotation(node: ast.expr, aliases: _Aliases, depth: int = 0) -> DeclaredKind | None:
    """Return the kind that an annotation names; None if it names none."""
    if depth > _DEEPEST:
        return None
    match node:
        case ast.Constant(value=str() as text):
            inner = _parsed(text)
            return _of_text(text) if inner is None else _of_annotation(inner, aliases, depth + 1)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _either(_of_annotation(side, aliases, depth + 1) for side in (left, right))
        case ast.Subscript(value=base, slice=index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            return _of_generic(_last_name(base), base, parts, aliases, depth + 1)
        case ast.Name(id=name) if (known := aliases(name)) is not None:
            return _of_annotation(known, aliases, depth + 1)
        case ast.Attribute(value=ast.Name(id=root), attr="ndarray") if root in _OF_NUMPY:
            return None
        case ast.Name() | ast.Attribute():
            return _of_word(_last_name(node))
        case _:
            return None


def _of_generic(name: str, base: ast.expr, parts: list[ast.expr], aliases: _Aliases, depth: int) -> DeclaredKind | None:
    if name in {"union", "optional"}:
        return _either(_of_annotation(part, aliases, depth) for part in parts)
    if name in {"annotated", "final"}:
        return _of_annotation(parts[0], aliases, depth)
    return "setting" if name == "literal" else _of_annotation(base, aliases, depth)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lower()
        case _:
            return ""


def _of_text(text: str) -> DeclaredKind | None:
    """Return the kind named in an argument's docstring entry: ``list of NDArray``, ``[NDArray]``."""
    inside = _BRACKETED.match(text)
    if inside is not None and "tensor" in map(_of_phrase, _ALTERNATIVES.split(inside[1])):
        return "list"
    head = _DETAILS.split(text.strip().strip("`'\" "), maxsplit=1)[0]
    return _either(map(_of_phrase, _ALTERNATIVES.split(head)))


def _of_phrase(phrase: str) -> DeclaredKind | None:
    found = _WORD.findall(phrase)[:_FIRST]
    named = [kind for word in found if (kind := _of_word(word.rpartition(".")[2].lower())) is not None]
    if named[:1] == ["setting"]:
        # "number of lists" against "float tensor".
        return "setting" if "of" in found or "tensor" not in named else "tensor"
    first: tuple[DeclaredKind, ...] = ("list", "other", "tensor")
    return next((kind for kind in first if kind in named), None)


def _of_word(word: str) -> DeclaredKind | None:
    if word in _LISTS:
        return "list"
    if word in _TENSORS:
        return "tensor"
    if word in _OTHERS:
        return "other"
    return "setting" if word in _SETTINGS else None


def _either(kinds: Iterable[DeclaredKind | None]) -> DeclaredKind | None:
    """Return the kind of a union of kinds."""
    known = {kind for kind in kinds if kind is not None}
    return "other" if len(known) > 1 else next(iter(known), None)
