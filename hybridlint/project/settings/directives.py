"""Directives: comments that say how a block is built and called.

``# hybridlint: verify(args=(3,), kwargs={"use_bias": False}, inputs=[("N", 3)])`` stands above a class or in it. Inputs
may also be given by name: ``verify(x=("N", 3), mask=("N", 1, "int32", range(2)))``. ``# hybridlint: shapes(x=(2, 3))``
above or in hybrid_forward gives inputs by name only. A comment continues on the next lines until its brackets close.

A shape is a tuple of sizes, in which named sizes vary ("N" is the batch). An optional dtype follows, then optionally
``range(low, high)`` for integers or ``uniform(low, high)``. A list is an input that is a list. Any other expression is
passed unchanged.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import DTYPE_FLAGS
from hybridlint.text.line_endings import reader_of
from hybridlint.text.literals import literal_value
from hybridlint.text.source import SourceFile
from hybridlint.text.suggest import did_you_mean
from hybridlint.text.syntax import expression

_MARKER = re.compile(
    r"#\s*hybridlint\s*:\s*(?!ignore|disable|enable)(?P<kind>[A-Za-z_][\w-]*)\s*(?P<call>.*)", re.DOTALL
)
#: Directives after ``# hybridlint:``; the first two are for the proof.
KINDS = ("verify", "shapes", "ignore", "ignore-class", "ignore-file", "disable", "enable")
_FORWARD = {ENTRY, "forward"}
EXAMPLE = '# hybridlint: verify(args=(3,), x=("N", 3, 8, 8))'


class DirectiveError(ValueError):
    """Raised for a directive that cannot be read; the message is one sentence, `row` is the row of the comment."""

    def __init__(self, reason: str, row: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row = row


@record(frozen=True, slots=True)
class DeclaredSetup:
    """How to build and call a class: expressions for the constructor, and inputs in the form of `read_spec`."""

    args: tuple[str, ...] | None = None
    kwargs: Mapping[str, str] | None = None
    inputs: tuple[Mapping[str, Any], ...] | None = None
    named: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def merged(self, other: DeclaredSetup) -> DeclaredSetup:
        """Return the recipe completed with the parts of another one; this one takes precedence."""
        inputs = self.inputs if self.inputs is not None or self.named else other.inputs
        return DeclaredSetup(
            other.args if self.args is None else self.args,
            other.kwargs if self.kwargs is None else self.kwargs,
            inputs,
            {**({} if self.inputs is not None else other.named), **self.named},
        )

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as JSON data, without the parts that are not given."""
        data = {"args": self.args, "kwargs": self.kwargs, "inputs": self.inputs, "named": self.named or None}
        return {key: value for key, value in data.items() if value is not None}


def read_recipes(source: SourceFile) -> tuple[dict[str, DeclaredSetup], dict[str, DirectiveError]]:
    """Return how a file's directives say to build and call each class, by qualified name, and the errors in directives.

    Raises SourceError if the file does not parse.
    """
    recipes: dict[str, DeclaredSetup] = {}
    errors: dict[str, DirectiveError] = {}
    if "hybridlint" not in source.text:
        return recipes, errors
    for directive in directives(source):
        name = directive.owner
        if name is None:
            continue
        try:
            recipe = directive.recipe()
        except DirectiveError as error:
            errors[name] = DirectiveError(error.reason, directive.row)
            continue
        known = recipes.get(name, DeclaredSetup())
        recipes[name] = recipe.merged(known) if directive.kind == "verify" else known.merged(recipe)
    return recipes, errors


@record(frozen=True, slots=True)
class Directive:
    """A comment for the proof: its kind, the text of its brackets, and the place that it applies to.

    `owner` is the block class, or the function that builds a network, that it applies to; None for other places.
    `takes` are the arguments of the `function` whose inputs the directive names; None if they are not known.
    """

    row: int
    kind: str
    text: str
    placed: bool
    owner: str | None
    function: str
    takes: tuple[str, ...] | None

    def recipe(self) -> DeclaredSetup:
        """Return the recipe that the directive contains. Raises DirectiveError."""
        if self.kind not in KINDS:
            raise DirectiveError(no_directive(self.kind))
        return parse(self.text, self.kind)


def no_directive(kind: str) -> str:
    """Return the message about a directive that does not exist."""
    known = ", ".join(f"`{name}`" for name in KINDS)
    return f"there is no directive `{kind}`: there are {known}.{did_you_mean(kind, KINDS)}"


def directives(source: SourceFile) -> Iterator[Directive]:
    """Yield the directives of a file for the proof, and those of an unknown kind.

    Raises SourceError if the file does not parse.
    """
    if "hybridlint" not in source.text:
        return
    places = list(_classes(source.tree))
    for row, last, kind, text in _comments(source.text):
        place = _place(places, row, last)
        owner = None if place is None or _aside(place, kind) else place.name
        function, takes = _called(place, places)
        yield Directive(row, kind, text, place is not None, owner, function, takes)


def parse(text: str, kind: str = "verify") -> DeclaredSetup:
    """Return the recipe in the brackets of a directive: ``(args=(3,), x=("N", 3))``. Raises DirectiveError."""
    call = _call(text, kind)
    args: tuple[str, ...] | None = None
    kwargs: Mapping[str, str] | None = None
    inputs: tuple[Mapping[str, Any], ...] | None = None
    named: dict[str, Mapping[str, Any]] = {}
    for keyword in call.keywords:
        if kind == "verify" and keyword.arg == "args":
            args = tuple(map(ast.unparse, _items(keyword.value, "args")))
        elif kind == "verify" and keyword.arg == "kwargs":
            kwargs = _keywords(keyword.value)
        elif kind == "verify" and keyword.arg == "inputs" and not _is_shape(keyword.value):
            inputs = tuple(map(read_spec, _items(keyword.value, "inputs")))
        else:
            named[str(keyword.arg)] = read_spec(keyword.value)
    return DeclaredSetup(args, kwargs, inputs, named)


def _is_shape(node: ast.expr) -> bool:
    """Whether an expression is a single shape; then `inputs` is the name of an input."""
    return isinstance(node, ast.Tuple) and bool(node.elts) and isinstance(node.elts[0], ast.Constant | ast.Name)


def read_spec(node: ast.expr) -> dict[str, Any]:
    """Return an input as JSON data: an array by shape, a list of inputs, or an expression. Raises DirectiveError."""
    if isinstance(node, ast.List):
        return {"list": [read_spec(item) for item in node.elts]}
    if not isinstance(node, ast.Tuple):
        return {"expression": ast.unparse(node)}
    shape: list[int | str] = []
    more: dict[str, Any] = {}
    for item in node.elts:
        if isinstance(item, ast.Tuple) and not shape:
            shape += read_spec(item)["shape"]
        elif isinstance(item, ast.Call):
            more.update(_bounds(item))
        else:
            _size_or_dtype(item, shape, more)
    return {"shape": shape, **more}


def _size_or_dtype(item: ast.expr, shape: list[int | str], more: dict[str, Any]) -> None:
    value = item.id if isinstance(item, ast.Name) else _constant(item)
    if isinstance(value, str) and value in DTYPE_FLAGS:
        more["dtype"] = value
    elif (isinstance(value, str) and value.lstrip("0123456789").isidentifier()) or (
        isinstance(value, int) and not isinstance(value, bool) and value >= 0
    ):
        shape.append(value)
    else:
        raise DirectiveError(f'`{ast.unparse(item)}` is no size: give a whole number or a name such as "N"')


def _bounds(call: ast.Call) -> dict[str, Any]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    values = [_constant(argument) for argument in call.args]
    if name not in {"range", "uniform"} or not 1 <= len(values) <= 2 or call.keywords:
        raise DirectiveError(f"`{ast.unparse(call)}` is no range of values: use range(low, high) or uniform(low, high)")
    if not all(isinstance(value, int | float) for value in values):
        raise DirectiveError(f"`{ast.unparse(call)}` needs numbers")
    low, high = values if len(values) == 2 else (0, values[0])
    if not low < high:
        raise DirectiveError(f"`{ast.unparse(call)}` is an empty range")
    return {"low": low, "high": high, "integers": name == "range"}


def _constant(node: ast.expr) -> Any:
    try:
        return literal_value(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None


def _call(text: str, kind: str) -> ast.Call:
    try:
        node = expression(f"{kind}{text.strip()}")
    except SyntaxError as error:
        reason = "its brackets do not close" if "never closed" in error.msg or "EOF" in error.msg else error.msg
        raise DirectiveError(f"the directive `{kind}` cannot be read: {reason}; an example is `{EXAMPLE}`") from error
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise DirectiveError(f"the directive `{kind}` takes its arguments in brackets; an example is `{EXAMPLE}`")
    if node.args:
        raise DirectiveError(
            f"the directive `{kind}` takes keyword arguments only, `{ast.unparse(node.args[0])}` has no name"
        )
    if any(keyword.arg is None for keyword in node.keywords):
        raise DirectiveError(f"the directive `{kind}` takes no ** arguments")
    return node


def _items(node: ast.expr, name: str) -> list[ast.expr]:
    if not isinstance(node, ast.Tuple | ast.List):
        given = ast.unparse(node)
        raise DirectiveError(f"`{name}` must be a tuple or a list; with one element that is `({given},)`")
    return node.elts


def _keywords(node: ast.expr) -> dict[str, str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        return {str(k.arg): ast.unparse(k.value) for k in node.keywords}
    if not isinstance(node, ast.Dict):
        raise DirectiveError(f"`kwargs` must be a dict, not `{ast.unparse(node)}`")
    result: dict[str, str] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = None if key is None else _constant(key)
        if not isinstance(name, str):
            raise DirectiveError("the keys of `kwargs` must be strings")
        result[name] = ast.unparse(value)
    return result


def _comments(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the directives in a text: first and last row, kind, and the text after it."""
    pending: tuple[int, str, str] | None = None
    for row, comment, alone in _comment_tokens(text):
        if pending is not None and alone and row == pending[0] + pending[2].count("\n") + 1:
            pending = (pending[0], pending[1], f"{pending[2]}\n{comment.lstrip('#')}")
        else:
            if pending is not None:
                yield _placed(*pending)
            match = _MARKER.match(comment)
            pending = (row, match["kind"], match["call"]) if match else None
        if pending is not None and _closed(pending[2]):
            yield _placed(*pending)
            pending = None
    if pending is not None:
        yield _placed(*pending)


def _placed(row: int, kind: str, text: str) -> tuple[int, int, str, str]:
    # A comment that never closes must not swallow what is written below it.
    text = text if _closed(text) else text.split("\n", 1)[0]
    return row, row + text.count("\n"), kind, text


def _closed(text: str) -> bool:
    return text.count("(") <= text.count(")")


def _comment_tokens(text: str) -> Iterator[tuple[int, str, bool]]:
    try:
        for token in tokenize.generate_tokens(reader_of(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string, not token.line[: token.start[1]].strip()
    except (tokenize.TokenError, SyntaxError):
        return


@record(frozen=True, slots=True)
class _Place:
    """The rows of a class, method or function from its first decorator to its end.

    `name` is the name of the class or function, `arguments` are a method's without `self` and `F`, None if it is
    variadic.
    """

    name: str
    first: int
    last: int
    method: str | None = None
    arguments: tuple[str, ...] | None = None


def _classes(node: ast.AST, prefix: str = "") -> Iterator[_Place]:
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.Module):
            yield from _functions(child)
        if isinstance(child, ast.ClassDef):
            name = f"{prefix}{child.name}"
            yield _Place(name, _first_row(child), child.end_lineno or child.lineno)
            yield from _methods(child, name)
            yield from _classes(child, f"{name}.")
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _classes(child, prefix)


def _functions(node: ast.AST) -> Iterator[_Place]:
    """Yield the function, or named lambda, that a top-level statement defines. Such a function may build a network."""
    if isinstance(node, ast.FunctionDef):
        yield _Place(node.name, _first_row(node), node.end_lineno or node.lineno)
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name):
        yield _Place(node.targets[0].id, node.lineno, node.end_lineno or node.lineno)


def _methods(cls: ast.ClassDef, name: str) -> Iterator[_Place]:
    for method in cls.body:
        if isinstance(method, ast.FunctionDef):
            last = method.end_lineno or method.lineno
            yield _Place(name, _first_row(method), last, method.name, _arguments(method))


def _arguments(method: ast.FunctionDef) -> tuple[str, ...] | None:
    """Return the arguments of a method without `self` and, in hybrid_forward, `F`; None if it is variadic."""
    spec = method.args
    if spec.vararg is not None or spec.kwarg is not None:
        return None
    names = [argument.arg for argument in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    return tuple(names[2 if method.name == ENTRY else 1 :])


def _first_row(node: ast.ClassDef | ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _place(places: list[_Place], row: int, last: int) -> _Place | None:
    """Return the class or function that a directive applies to: the one right below it, or the innermost around it."""
    below = [place for place in places if place.first == last + 1]
    around = [place for place in places if place.first <= row <= place.last]
    return below[-1] if below else max(around, key=lambda place: place.first, default=None)


def _aside(place: _Place, kind: str) -> bool:
    """Whether a directive describes no inputs of a block: ``shapes`` of a method that is not forward."""
    return kind == "shapes" and place.method is not None and place.method not in _FORWARD


def _called(place: _Place | None, places: list[_Place]) -> tuple[str, tuple[str, ...] | None]:
    """Return the function whose inputs a directive names, and its arguments if they are known."""
    if place is not None and place.method is not None and place.method != "__init__":
        return place.method, place.arguments
    # A function that builds a network has no inputs of its own, and a class may inherit its forward.
    forward = [p for p in places if place is not None and p.name == place.name and p.method in _FORWARD]
    return (ENTRY, None) if not forward else (str(forward[0].method), forward[0].arguments)
