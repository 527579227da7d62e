"""The arguments of hybrid_forward: which are tensors, which lists, dicts or settings, and what shapes are declared."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from hybridlint.analysis.docstrings import documented_shapes
from hybridlint.analysis.lattice import join_all
from hybridlint.analysis.tables import JOINING, words
from hybridlint.analysis.values import (
    STATIC_UNKNOWN,
    External,
    ForeignTensor,
    Function,
    Items,
    Lineage,
    OperatorRef,
    ParameterRef,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime.dims import Dim, DimLike
from hybridlint.runtime.types import TensorType
from hybridlint.syntax import expression, walk

if TYPE_CHECKING:
    from hybridlint.analysis.instances import Instance
    from hybridlint.analysis.state import Activation
    from hybridlint.source import SourceFile

_DIRECTIVE = re.compile(r"#\s*hybridlint:\s*shapes\((.*)\)\s*$")
_PLURAL = re.compile(r"(?:[a-z0-9]s|_list|_tuple|args|list|seq|pyramid)\d*$")
# What is told of images and outputs: height and width, or all sizes.
_SIZES = re.compile(r"(?:^|_)(?:size|shape)s?$")
# What recurrent code calls its states: a list of tensors, a list of such lists, or one tensor.
_STATES = frozenset({"states", "state", "begin_state", "begin_states", "init_states"})
_TO_LIST = frozenset({"append", "extend", "insert", "pop", "index", "items", "keys", "values"})
_OF_BLOCKS = frozenset({"collect_params", "begin_state", "unroll", "state_info", "hybridize", "initialize"})
_OF_ITERTOOLS = words("chain zip_longest islice product combinations permutations accumulate")
_GOES_THROUGH = words("zip enumerate len list tuple reversed map sorted iter") | _OF_ITERTOOLS


def bind_arguments(
    act: Activation, node: ast.FunctionDef, instance: Instance, calls: list[tuple[Value, ...]], *, first: int = 2
) -> None:
    """Bind what hybrid_forward gets beside self and F. `calls` are the arguments of calls that the file holds."""
    spec = node.args
    names = act.flow.names
    positional = [*spec.posonlyargs, *spec.args][first:]
    defaults = dict(zip(reversed(positional), reversed(spec.defaults), strict=False))
    shapes = declared_shapes(act.module.source, node)
    documented = _documented(act, node)
    recorded = act.run.recorded.get(instance.info.node.name, {})
    uses = Uses(node)
    act.tensors = uses.tensors
    parameters = instance.parameters
    recurrent = any(base.endswith("Cell") for base in instance.info.foreign_bases)
    for index, argument in enumerate([*positional, *spec.kwonlyargs]):
        name = argument.arg
        default = defaults.get(argument)
        if name in shapes:
            names[name] = _tensor(act, TensorType(shapes[name]), "argument")
        elif name in parameters:
            names[name] = _parameter(act, parameters[name], optional=_is_none(default))
        elif name in recorded:
            names[name] = _tensor(act, TensorType(recorded[name]), "argument", optional=_is_none(default))
        elif recurrent and name in {"states", "state"}:
            names[name] = Items("list", None, _tensor(act, TensorType(), "argument"))
        else:
            bound = _argument(act, name, default, uses, [c[index] for c in calls if index < len(c)])
            if isinstance(bound, Tensor) and name in documented:
                bound = replace(bound, type=TensorType(documented[name]))
            names[name] = bound
    if spec.vararg is not None:
        names[spec.vararg.arg] = Items("tuple", None, Unknown() if uses.nested(spec.vararg.arg) else _plain(act))
    if spec.kwarg is not None:
        names[spec.kwarg.arg] = _rest_of(act, {k: v for k, v in parameters.items() if k not in names})


def _documented(act: Activation, node: ast.FunctionDef) -> Mapping[str, tuple[DimLike, ...]]:
    """Return the shapes that the docstrings of the class and of its method declare."""
    owner = act.owner.node if act.owner is not None else None
    of_class = documented_shapes(ast.get_docstring(owner)) if owner is not None else {}
    return {**of_class, **documented_shapes(ast.get_docstring(node))}


def _rest_of(act: Activation, rest: Mapping[str, ParameterRef]) -> Items:
    """Return what ``**params`` holds: the parameters that no argument names. Some may be declared out of sight."""
    if not rest:
        return Items("dict", None, _tensor(act, TensorType(), "parameter"))
    return Items("dict", tuple(_parameter(act, known) for known in rest.values()), keys=tuple(rest))


def declared_shapes(source: SourceFile, node: ast.FunctionDef) -> Mapping[str, tuple[DimLike, ...]]:
    """Read ``# hybridlint: shapes(x=(2, 3), y=("N", 1))`` above a function; a string names an unknown size."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    for row in range(first - 1, max(first - 4, 0), -1):
        line = source.line(row).strip()
        if not line.startswith("#"):
            break
        found = _DIRECTIVE.search(line)
        if found:
            return dict(_parsed_shapes(found.group(1)))
    return {}


class Uses:
    """How a function's body uses its arguments: as tensors or as containers."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.as_list: set[str] = set()
        self.surely_list: set[str] = set()
        self.as_tensor: set[str] = set()
        self.either: set[str] = set()
        #: Arguments of which it is asked whether they are containers.
        self.probed: set[str] = set()
        #: Arguments that are assigned to several names at once.
        self.unpacked: set[str] = set()
        #: Arguments that are zipped with each other: the rows of two tensors nobody pairs like that.
        self.zipped: set[str] = set()
        for inner in walk(node):
            self._look(inner)

    def is_list(self, name: str) -> bool:
        """Whether an argument is used as a container: by what no tensor survives, or by weaker signs and its name."""
        if name in self.surely_list:
            return True
        if name in self.zipped - self.as_tensor:
            return True
        return name in self.as_list and name not in self.as_tensor and _PLURAL.search(name) is not None

    @property
    def tensors(self) -> frozenset[str]:
        """Names that are used as tensors and as nothing else."""
        return frozenset(self.as_tensor - self.as_list - self.surely_list - self.either - self.probed - _STATES)

    def nested(self, name: str) -> bool:
        """Whether the elements of a container may be containers."""
        return name in self.either | self.probed

    def is_either(self, name: str) -> bool:
        """Whether an argument may be a container as well as a tensor: that is asked, and not only tensors do for it."""
        as_tensor = name in self.as_tensor - self.as_list - self.surely_list - _STATES
        return name in self.either or (name in self.probed and not as_tensor)

    def _look(self, node: ast.AST) -> None:
        match node:
            case ast.BinOp(left=ast.List(), right=other) | ast.BinOp(left=other, right=ast.List()):
                self.surely_list |= _names(other)
            case ast.BinOp(left=left, right=right):
                self.as_tensor |= _names(left, right)
            case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=args), comparators=[classes]):
                self.either |= _names(*args) if _names_containers(classes) else set()
            case ast.Compare(left=left, comparators=rest):
                if not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                    self.as_tensor |= _names(left, *rest)
            case ast.Call(func=func, args=args):
                self._look_at_call(func, args)
            case ast.Starred(value=ast.Name(id=name)):
                self.as_list.add(name)
            case ast.Assign(targets=targets, value=value):
                if isinstance(targets[0], ast.Tuple | ast.List):
                    self.as_list |= _names(value)
                    self.unpacked |= _names(value)
                    if isinstance(value, ast.Subscript):
                        self.either |= _names(value.value)
                for target in targets:
                    if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice | ast.Tuple):
                        self.as_list |= _names(target.value)
            case ast.For(iter=source) | ast.comprehension(iter=source):
                self.as_list |= _names(source)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int()) | ast.UnaryOp()):
                self.as_list.add(name)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str())):
                # A dict, which no operator takes.
                self.either.add(name)
            case _:
                return

    def _look_at_call(self, func: ast.expr, args: list[ast.expr]) -> None:
        match func:
            case ast.Name(id=name):
                # A block or a function, which somebody gives as an argument.
                self.either.add(name)
                self._look_at_function(name, args)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute) if attribute in _OF_BLOCKS:
                self.either.add(owner)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
                self._look_at_method(owner, attribute, args)
            case ast.Attribute(value=ast.Attribute(), attr=attribute) if attribute in JOINING:
                self.as_list |= _names(*args[:1])
            case ast.Subscript(slice=index):
                # As many children as there are elements, and each gets its own.
                self.surely_list |= {name for arg in args for name in _elements(arg, index)}
            case _:
                return

    def _look_at_method(self, owner: str, attribute: str, args: list[ast.expr]) -> None:
        (self.surely_list if attribute in _TO_LIST else self.as_tensor).add(owner)
        if owner == "F":
            self.as_tensor |= _names(*args)
            spread = _names(*(arg.value for arg in args if isinstance(arg, ast.Starred)))
            # Whole tensors stand beside others of their kind, not beside rows.
            (self.surely_list if _names(*args) else self.as_list).update(spread)
        elif attribute in _OF_ITERTOOLS:
            self.as_list |= _names(*args)

    def _look_at_function(self, name: str, args: list[ast.expr]) -> None:
        if name == "isinstance" and len(args) == 2 and _names_containers(args[1]):
            self.probed |= _names(args[0])
        elif name in _GOES_THROUGH:
            self.as_list |= _names(*args)
            if name == "zip" and any(map(_of_children, args)):
                self.surely_list |= _names(*args)
            elif name == "zip" and len(_names(*args)) == len(args) > 1:
                self.zipped |= {each for each in _names(*args) if len(each) > 1}


def _argument(act: Activation, name: str, default: ast.expr | None, uses: Uses, given: list[Value]) -> Value:
    kinds = [v for v in given if not isinstance(v, Unknown)]
    if kinds and any(isinstance(v, Items) for v in kinds):
        return join_all(
            [Items(v.kind, None, act.tensor(origin="element")) if isinstance(v, Items) else v for v in kinds]
        )
    if kinds and all(isinstance(v, Static) and v.value is not None for v in kinds):
        return Static(STATIC_UNKNOWN)
    held = Unknown() if default is None else act.module.expression(default)
    if isinstance(held, ForeignTensor | Function | OperatorRef | External):
        return held
    if uses.is_either(name) or (_SIZES.search(name) and name not in uses.as_tensor):
        # `isinstance(x, (list, tuple))`: the author expects either.
        return Unknown()
    if default is not None and not _is_none(default):
        return Static(STATIC_UNKNOWN)
    if name in _STATES and name not in uses.as_tensor:
        listed = name in uses.as_list and not _is_none(default)
        return Items("list", None, act.tensor(origin="element")) if listed else Unknown()
    if _is_none(default) and name in uses.unpacked - uses.as_tensor:
        # States of which the caller may have none: a tuple of them.
        return Unknown()
    if uses.is_list(name):
        return Unknown() if _is_none(default) else Items("list", None, act.tensor(origin="element"))
    return _tensor(act, TensorType(), "argument", optional=_is_none(default) or Static(None) in kinds)


def _tensor(act: Activation, known: TensorType, origin: str, *, optional: bool = False) -> Tensor:
    return act.tensor(type=known, origin=origin, lineage=Lineage(act.run.token()), optional=optional)


def _parameter(act: Activation, known: ParameterRef, *, optional: bool = False) -> Tensor:
    return replace(_tensor(act, known.type, "parameter", optional=optional), flows=known.trained)


def _plain(act: Activation) -> Tensor:
    return act.tensor(origin="argument")


def _elements(argument: ast.expr, index: ast.expr) -> set[str]:
    """Return the name whose element at an index an argument is."""
    match argument:
        case ast.Subscript(value=ast.Name(id=name), slice=own) if ast.dump(own) == ast.dump(index):
            return {name}
        case _:
            return set()


def _of_children(argument: ast.expr) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "_children" for n in walk(argument))


def _names_containers(classes: ast.expr) -> bool:
    return any(isinstance(n, ast.Name) and n.id in {"list", "tuple"} for n in walk(classes))


def _is_none(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Constant) and default.value is None


def _names(*nodes: ast.expr) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name)}


def _parsed_shapes(text: str) -> Iterator[tuple[str, tuple[DimLike, ...]]]:
    try:
        call = expression(f"f({text})")
    except SyntaxError:
        return
    assert isinstance(call, ast.Call)
    for keyword in call.keywords:
        try:
            sizes = ast.literal_eval(keyword.value)
        except (ValueError, TypeError):
            continue
        if keyword.arg is not None and isinstance(sizes, tuple | list):
            yield keyword.arg, tuple(Dim.named(s) if isinstance(s, str) else int(s) for s in sizes)
