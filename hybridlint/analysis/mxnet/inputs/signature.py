"""The arguments of hybrid_forward: whether each is a tensor, list, dict or setting, and declared shapes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hybridlint.analysis.model.lattice import join_all
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    External,
    Function,
    OperatorRef,
    Outputs,
    ParameterRef,
    ProjectObject,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.inputs.argument_receivers import holds_children, resolver
from hybridlint.analysis.mxnet.inputs.body_uses import UseContext, uses_of
from hybridlint.analysis.mxnet.inputs.declared_kinds import DeclaredKind, declared_kinds
from hybridlint.analysis.mxnet.inputs.docstrings import documented_shapes
from hybridlint.analysis.mxnet.inputs.layer_inputs import layer_held, takes_only_tensors, takes_states
from hybridlint.analysis.mxnet.inputs.uses import STATES, Uses, is_carried
from hybridlint.analysis.mxnet.shapes.demanded_shapes import Demand, demanded_shapes
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import record, replace
from hybridlint.runtime.facts.types import Shape, TensorType, unknown_shape
from hybridlint.text.literals import literal_value
from hybridlint.text.parameters import defaults_of
from hybridlint.text.syntax import expression

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.text.source import SourceFile

_DIRECTIVE = re.compile(r"#\s*hybridlint:\s*shapes\((.*)\)\s*$")
#: Classes of recurrent cells, whose second input is the list of their states.
_RECURRENT = re.compile(r"(?i:rnn|recurrent|lstm|gru)(?:\w|\.)*Cell$")
#: Names of counts.
_COUNTS = re.compile(r"^(?:num|n|nb|number)_|_(?:num|count)$")
#: Names of sizes of images and outputs: height and width, or all sizes.
_SIZES = re.compile(r"(?:^|_)(?:size|shape)s?$")


def bind_arguments(
    act: Activation, node: ast.FunctionDef, instance: ProjectObject, calls: list[tuple[Value, ...]], *, first: int = 2
) -> None:
    """Bind the arguments of hybrid_forward from position `first` on (after self and F) to inferred values.

    `calls` holds the argument values of each call of it in the file.
    """
    spec = node.args
    names = act.flow.names
    positional = [*spec.posonlyargs, *spec.args][first:]
    functions = spec.args[1].arg if first == 2 and len(spec.args) > 1 else None
    told = _told(act, node, instance, functions)
    act.tensors = told.uses.tensors
    for index, argument in enumerate([*positional, *spec.kwonlyargs]):
        given = [call[index] for call in calls if index < len(call)]
        names[argument.arg] = _bound(act, argument, index, told, given)
    if spec.vararg is not None:
        # Every call of a block passes at least one input.
        filled = not positional and first == 2
        names[spec.vararg.arg] = _further_inputs(act, spec.vararg.arg, told, filled=filled)
    if spec.kwarg is not None:
        names[spec.kwarg.arg] = _rest_of(act, {k: v for k, v in told.parameters.items() if k not in names})


@record(frozen=True, slots=True)
class _Told:
    """Facts about a function's arguments by name, from the code, its comments and a record."""

    defaults: Mapping[str, ast.expr]
    #: The parameters of the block.
    parameters: Mapping[str, ParameterRef]
    #: Shapes: by the comment above the function, by docstrings, and as a run of the program had them.
    shapes: Mapping[str, tuple[DimLike, ...]]
    documented: Mapping[str, tuple[DimLike, ...]]
    recorded: Mapping[str, Shape]
    #: Kinds by annotations and docstrings.
    declared: Mapping[str, DeclaredKind]
    #: What the body shows: uses, and what its operators demand of shapes.
    uses: Uses
    demands: Mapping[str, Demand]
    #: Whether the block is a recurrent cell, whose second input is the list of its states.
    recurrent: bool


def _told(act: Activation, node: ast.FunctionDef, instance: ProjectObject, functions: str | None) -> _Told:
    around = UseContext(
        lambda part: holds_children(instance, part),
        lambda part: takes_only_tensors(act, instance, part),
        resolver(act.run, node, act.owner.module if act.owner is not None else act.module, instance),
        recurrent=lambda part: takes_states(instance, part),
    )
    return _Told(
        defaults_of(node.args),
        instance.parameters,
        declared_shapes(act.module.source, node),
        _documented(act, node),
        act.run.blocks.recorded.get(instance.info.node.name, {}),
        declared_kinds(act.module, node, act.owner),
        uses_of(node, around),
        demanded_shapes(node, functions, lambda part: layer_held(instance, part)),
        any(_RECURRENT.search(base) for base in instance.info.foreign_bases),
    )


def _bound(act: Activation, argument: ast.arg, index: int, told: _Told, given: Sequence[Value]) -> Value:
    """Return the value of the argument at a position; `given` has what the calls in the file pass there."""
    name, default = argument.arg, told.defaults.get(argument.arg)
    if name in told.shapes:
        return _tensor(act, TensorType(told.shapes[name]), "argument")
    if name in told.parameters:
        return _parameter(act, told.parameters[name], optional=_is_none(default))
    if name in told.recorded:
        return _tensor(act, TensorType(told.recorded[name]), "argument", optional=_is_none(default))
    if told.recurrent and (index == 1 or name in {"states", "state"}):
        return ContainerValue("list", None, _tensor(act, TensorType(), "argument"))
    bound = _argument(act, name, default, _Known(told.uses, given, told.declared.get(name)))
    if isinstance(bound, Tensor) and name in told.documented:
        return replace(bound, type=TensorType(told.documented[name]))
    demand = told.demands.get(name)
    return bound if demand is None or not isinstance(bound, Tensor) else _as_demanded(bound, demand)


def _as_demanded(bound: Tensor, demand: Demand) -> Tensor:
    """Return a tensor argument with what every call that runs through demands of its shape."""
    if bound.type.shape is not None or bound.lineage is None:
        return bound
    if demand.rank is None:
        return replace(bound, lineage=replace(bound.lineage, last=demand.last))
    sizes = unknown_shape(demand.rank)
    return replace(bound, type=bound.type.with_shape(sizes if demand.last is None else (*sizes[:-1], demand.last)))


def _further_inputs(act: Activation, name: str, told: _Told, *, filled: bool) -> ContainerValue:
    """Return the tuple ``*args``, whose elements are tensors, or unknown if some may be containers."""
    uses = told.uses
    nested = uses.nested(name) or uses.holds_lists(name) or told.declared.get(name) in {"list", "other"}
    element = replace(_plain(act), presumed=uses.may_hold_lists(name))
    return ContainerValue("tuple", None, Unknown() if nested else element, filled=filled)


def _documented(act: Activation, node: ast.FunctionDef) -> Mapping[str, tuple[DimLike, ...]]:
    """Return the shapes that the docstrings of the class and of the method declare."""
    owner = act.owner.node if act.owner is not None else None
    of_class = documented_shapes(ast.get_docstring(owner)) if owner is not None else {}
    return {**of_class, **documented_shapes(ast.get_docstring(node))}


def _rest_of(act: Activation, rest: Mapping[str, ParameterRef]) -> ContainerValue:
    """Return the dict ``**params``: the declared parameters for which hybrid_forward has no argument of its own.

    Further parameters may be declared elsewhere.
    """
    if not rest:
        return ContainerValue("dict", None, _tensor(act, TensorType(), "parameter"))
    return ContainerValue("dict", tuple(_parameter(act, known) for known in rest.values()), keys=tuple(rest))


def declared_shapes(source: SourceFile, node: ast.FunctionDef) -> Mapping[str, tuple[DimLike, ...]]:
    """Return the shapes that a comment above a function declares: ``# hybridlint: shapes(x=(2, 3), y=("N", 1))``.

    A string names an unknown size.
    """
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    for row in range(first - 1, max(first - 4, 0), -1):
        line = source.line(row).strip()
        if not line.startswith("#"):
            break
        found = _DIRECTIVE.search(line)
        if found:
            return dict(_parsed_shapes(found.group(1)))
    return {}


@record(frozen=True)
class _Known:
    """The evidence about an argument: its uses, its values in the file's calls, and its declared kind."""

    uses: Uses
    given: Sequence[Value]
    declared: DeclaredKind | None

    @cached_property
    def kinds(self) -> list[Value]:
        """The values in the calls, without unknown ones and elements of arguments, which may be lists again."""
        return [v for v in self.given if not isinstance(v, Unknown) and not _is_element(v)]

    @property
    def are_elements(self) -> bool:
        """Whether every call in the file passes an element of a list argument. It may be a tensor or a list."""
        return bool(self.kinds) and all(isinstance(v, Tensor) and v.origin == "element" for v in self.kinds)

    @property
    def are_tensors(self) -> bool:
        """Whether every call of the file passes a tensor that is known to be one."""
        alike = all(isinstance(v, Tensor) and v.origin != "element" and not v.presumed for v in self.given)
        return bool(self.given) and alike

    def optional(self, default: ast.expr | None) -> bool:
        """Return whether the argument may be None."""
        return _is_none(default) or StaticValue(None) in self.kinds


def _is_element(value: Value) -> bool:
    return isinstance(value, Tensor) and value.origin == "element"


def _argument(act: Activation, name: str, default: ast.expr | None, known: _Known) -> Value:
    """Return the value of an argument, inferred from calls first, then from declarations, then from uses."""
    uses, kinds = known.uses, known.kinds
    if kinds and any(isinstance(v, ContainerValue) for v in kinds):
        return join_all(
            [
                ContainerValue(v.kind, None, act.tensor(origin="element")) if isinstance(v, ContainerValue) else v
                for v in kinds
            ]
        )
    if kinds and all(isinstance(v, Outputs) for v in kinds):
        return join_all(kinds)
    if kinds and all(isinstance(v, StaticValue) and v.value is not None for v in kinds):
        return StaticValue(STATIC_UNKNOWN)
    if kinds and all(isinstance(v, StaticValue | DataDependentValue) for v in kinds):
        # A number that the caller reads from a tensor, which is reported there.
        return Unknown()
    held = Unknown() if default is None else act.module.expression(default)
    if isinstance(held, CapturedArray | Function | OperatorRef | External):
        return held
    if known.declared is not None and known.declared != "tensor":
        return _declared(act, known.declared, default)
    counted = _SIZES.search(name) if name not in uses.as_tensor else _COUNTS.search(name)
    if uses.is_either(name) or (counted and name not in uses.passed):
        # `isinstance(x, (list, tuple))`: the author expects tensors and containers.
        return Unknown(either=default is None and uses.is_checked(name))
    if default is not None and not _is_none(default):
        return StaticValue(STATIC_UNKNOWN)
    if known.declared == "tensor" and name not in uses.surely_list:
        return _tensor(act, TensorType(), "argument", optional=known.optional(default))
    return _used(act, name, default, known)


def _declared(act: Activation, declared: DeclaredKind, default: ast.expr | None) -> Value:
    """Return the value of an argument that is not declared to be a tensor alone."""
    if declared == "other" or (default is not None and declared == "list"):
        return Unknown()
    if declared == "list":
        return ContainerValue("list", None, act.tensor(origin="element"))
    return Unknown() if _is_none(default) else StaticValue(STATIC_UNKNOWN)


def _used(act: Activation, name: str, default: ast.expr | None, known: _Known) -> Value:
    """Return the value of an argument, inferred from the uses in the body."""
    uses = known.uses
    if known.are_tensors:
        return _tensor(act, TensorType(), "argument", optional=known.optional(default))
    if name in uses.as_states & (uses.as_list | uses.subscripted | uses.unpacked) and name not in uses.as_tensor:
        return Unknown() if _is_none(default) else ContainerValue("list", None, _tensor(act, TensorType(), "argument"))
    if name in STATES and name not in uses.as_tensor:
        listed = name in uses.as_list and not _is_none(default)
        return ContainerValue("list", None, act.tensor(origin="element")) if listed else Unknown()
    carried = is_carried(name) and name in uses.as_list | uses.subscripted and name not in uses.as_tensor
    if carried or uses.holds_lists(name):
        return Unknown()
    if name in uses.unpacked - uses.as_tensor and (_is_none(default) or (known.given and not known.kinds)):
        # A tuple of states, which the caller may leave out, or which came to the caller in a list of such.
        return Unknown()
    if uses.is_list(name):
        return Unknown() if _is_none(default) else ContainerValue("list", None, act.tensor(origin="element"))
    listed = uses.may_be_list(name)
    origin = "element" if listed and known.are_elements else "argument"
    tensor = _tensor(act, TensorType(), origin, optional=known.optional(default))
    return replace(tensor, presumed=not known.kinds and listed)


def _tensor(act: Activation, known: TensorType, origin: str, *, optional: bool = False) -> Tensor:
    return act.tensor(type=known, origin=origin, lineage=ShapeProvenance(act.run.token()), optional=optional)


def _parameter(act: Activation, known: ParameterRef, *, optional: bool = False) -> Tensor:
    return replace(_tensor(act, known.type, "parameter", optional=optional), flows=known.trained)


def _plain(act: Activation) -> Tensor:
    return act.tensor(origin="argument")


def _is_none(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Constant) and default.value is None


def _parsed_shapes(text: str) -> Iterator[tuple[str, tuple[DimLike, ...]]]:
    try:
        call = expression(f"f({text})")
    except SyntaxError:
        return
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        try:
            sizes = literal_value(keyword.value)
        except (ValueError, TypeError, MemoryError, RecursionError):
            continue
        known = isinstance(sizes, tuple | list) and all(isinstance(size, str | int) for size in sizes)
        if keyword.arg is not None and known:
            yield keyword.arg, tuple(Dim.named(s) if isinstance(s, str) else int(s) for s in sizes)
