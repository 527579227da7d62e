"""Recurrent layers and cells, whose states Gluon has in lists and PyTorch has not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.converting.context import ConversionContext
from hybridlint.converting.gluon_names import dotted_name
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.text import cst

if TYPE_CHECKING:
    import libcst

    from hybridlint.runtime.torch_code.layer_call import TorchLayer

_METHODS = ("unroll", "begin_state")
#: The arguments of `unroll`, in their order.
_UNROLL = ("length", "inputs", "begin_state", "layout", "merge_outputs", "valid_length")
_STACK = "SequentialCell("


def step_statements(context: ConversionContext, before: libcst.Assign, after: libcst.Assign) -> Sequence[str] | None:
    """Return the statements for a call that gives an output and a list of states, which Gluon's cells and layers do.

    None is returned for other statements. Raises NoTranslationError.
    """
    value, target = before.value, after.targets[0].target
    if not isinstance(value, cst.Call):
        return None
    layer = _layer_of(context, value.func)
    if layer is not None and layer.sequences:
        return _layer_statements(context, layer, _pair(target), value)
    if not isinstance(after.value, cst.Call):
        return None
    if layer is None:
        return _unroll_statements(context, value, target, after.value)
    if layer.text.startswith(_STACK):
        return None
    pair = _pair(target)
    if len(pair) != 2 or len(value.args) != 2:
        raise NoTranslationError("a step of a recurrent cell whose output and states are not assigned to two names")
    return _cell_statements(context, layer, pair, value, after.value)


def _pair(target: libcst.BaseExpression) -> list[libcst.BaseExpression]:
    """Return the targets that a tuple of results is assigned to."""
    return [element.value for element in target.elements] if isinstance(target, cst.Tuple) else []


def _unroll_statements(
    context: ConversionContext, value: libcst.Call, target: libcst.BaseExpression, after: libcst.Call
) -> Sequence[str] | None:
    """Return the statements for a cell with one state that is unrolled, None for other statements."""
    if not isinstance(value.func, cst.Attribute) or not is_method(context, value.func):
        return None
    layer = _layer_of(context, value.func.value)
    if value.func.attr.value != "unroll" or layer is None or not layer.text.startswith(("nn.GRUCell", "nn.RNNCell")):
        return None
    pair = _pair(target)
    if len(pair) != 2:
        raise NoTranslationError("`unroll` whose outputs and states are not assigned to two names")
    return _paired_statements(context, pair, context.code(after))


def _paired_statements(context: ConversionContext, pair: Sequence[libcst.BaseExpression], call: str) -> Sequence[str]:
    """Return the statements for a call that gives an output and one state."""
    output, states = pair
    name = context.scopes.new_name("state")
    kept = _kept_state(context, states, name)
    if _items(states) is not None and kept:
        # It has a name of its own.
        name, kept = kept[0].partition(" = ")[0], []
    return [f"{context.code(output)}, {name if kept or _items(states) is not None else '_'} = {call}", *kept]


def _layer_of(context: ConversionContext, func: libcst.BaseExpression) -> TorchLayer | None:
    """Return the recurrent layer or cell that a call runs, None for other calls."""
    text = dotted_name(func) or ""
    block = context.scopes.block
    if block is None or not text.startswith("self.") or text.count(".") != 1:
        return None
    layer = block.layers.get(text.partition(".")[2])
    return layer if layer is not None and (layer.sequences or "Cell(" in layer.text) else None


def _cell_statements(
    context: ConversionContext,
    layer: TorchLayer,
    pair: Sequence[libcst.BaseExpression],
    value: libcst.Call,
    after: libcst.Call,
) -> Sequence[str]:
    """Return the statements for one step of a cell."""
    output, states = pair
    data, given = (context.code(argument.value) for argument in after.args)
    cell = context.code(value.func)
    written, parts = context.code(states), _items(states)
    inner = _items(value.args[1].value)
    if layer.text.startswith("nn.LSTMCell"):
        state = given if inner is None else f"({', '.join(context.code(item) for item in inner)})"
        if parts is None:
            return [f"{written} = {cell}({data}, {state})", f"{context.code(output)} = {written}[0]"]
        names = [context.code(part) for part in parts]
        copied = [] if context.code(output) in (names[0], "_") else [f"{context.code(output)} = {names[0]}"]
        return [f"{', '.join(names)} = {cell}({data}, {state})", *copied]
    state = f"{given}[0]" if inner is None else context.code(inner[0])
    name = context.code(output)
    return [f"{name} = {cell}({data}, {state})", *_kept_state(context, states, name)]


def _layer_statements(
    context: ConversionContext,
    layer: TorchLayer,
    pair: Sequence[libcst.BaseExpression],
    value: libcst.Call,
) -> Sequence[str] | None:
    """Return the statements for a layer with one state that runs over a sequence, None for other layers."""
    if layer.text.startswith("nn.LSTM(") or len(pair) != 2 or len(value.args) != 2 or not context.prelude:
        return None
    names, _, call = context.prelude.pop().partition(" = ")
    context.scopes.release(names.split(", "))
    return _paired_statements(context, pair, call)


def _kept_state(context: ConversionContext, states: libcst.BaseExpression, name: str) -> list[str]:
    """Return the statement that keeps the one state of a cell or layer as Gluon's code reads it."""
    parts = _items(states)
    text = f"{context.code(states)} = [{name}]" if parts is None else f"{context.code(parts[0])} = {name}"
    return [] if text.partition(" = ")[0] in (name, "_") else [text]


def _items(node: libcst.BaseExpression) -> list[libcst.BaseExpression] | None:
    """Return the items of a list or tuple that is written out."""
    if isinstance(node, cst.List | cst.Tuple):
        return [element.value for element in node.elements]
    return None


def sequence_call(context: ConversionContext, name: str, layer: TorchLayer, values: Sequence[str]) -> str:
    """Return the call of a recurrent layer: PyTorch's returns its states always, Gluon's where it is given some."""
    if len(values) == 1:
        return f"self.{name}({values[0]})[0]"
    if len(values) > 2:
        raise NoTranslationError(f"`self.{name}` with lengths of sequences")
    states = values[1]
    block = context.scopes.block
    if block is not None and name in block.mixed:
        return f"run_recurrent(self.{name}, {values[0]}, {states})"
    if not layer.text.startswith("nn.LSTM("):
        return _with_one_state(context, name, values[0], states)
    inner = states.strip()[1:-1] if states.startswith("[") else None
    return f"self.{name}({values[0]}, {f'tuple({states})' if inner is None else f'({inner})'})"


def _with_one_state(context: ConversionContext, name: str, data: str, states: str) -> str:
    """Return output and states of a layer with one state, which a statement before has computed."""
    if not context.scopes.function or context.compound:
        raise NoTranslationError(f"`self.{name}` with states in an expression: assign its results")
    output, state = context.scopes.new_name("output"), context.scopes.new_name("state")
    inner = states.strip()[1:-1].rstrip(", ") if states.startswith("[") else f"{states}[0]"
    context.prelude.append(f"{output}, {state} = self.{name}({data}, {inner})")
    return f"({output}, [{state}])"


def is_method(context: ConversionContext, func: libcst.Attribute) -> bool:
    """Whether a call uses a method of Gluon's recurrent layers and cells that PyTorch's layers lack."""
    return func.attr.value in _METHODS and _layer_of(context, func.value) is not None


def method_text(context: ConversionContext, original: libcst.Call, updated: libcst.Call) -> str:
    """Return the call of such a method by the helper of its name. Raises NoTranslationError."""
    assert isinstance(original.func, cst.Attribute)
    layer = _layer_of(context, original.func.value)
    assert layer is not None
    cell = context.code(original.func.value)
    given: dict[str, str] = {}
    if original.func.attr.value == "begin_state" and any(argument.star for argument in updated.args):
        arguments = ", ".join(
            context.code(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for argument in updated.args
        )
        return f"begin_state({cell}, {arguments})"
    names = _UNROLL if original.func.attr.value == "unroll" else ("batch_size", "func")
    for k, argument in enumerate(updated.args):
        if argument.star:
            raise NoTranslationError(f"`{original.func.attr.value}` with `{argument.star}`")
        given[names[k] if argument.keyword is None else argument.keyword.value] = context.code(argument.value)
    if names is _UNROLL:
        return _unrolled(cell, layer, given)
    if given.get("batch_size", "0") == "0":
        raise NoTranslationError("`begin_state` without the size of the batch")
    return f"begin_state({cell}, {given['batch_size']})"


def _unrolled(cell: str, layer: TorchLayer, given: dict[str, str]) -> str:
    """Return the run of a cell over a sequence."""
    if "valid_length" in given:
        raise NoTranslationError("`unroll` with lengths")
    dim = "" if given.get("layout", "'NTC'").strip("'\"") == "NTC" else ", dim=0"
    states = given.get("begin_state")
    stacked = layer.text.startswith(_STACK)
    function = "unroll_stack" if stacked else "unroll"
    if states in (None, "None"):
        start = ""
    elif stacked:
        start = f", {states}"
    else:
        start = f", tuple({states})" if layer.text.startswith("nn.LSTMCell") else f", {states}[0]"
    merges = given.get("merge_outputs", "None")
    if merges not in ("True", "None", "False"):
        raise NoTranslationError(f"`unroll` with `merge_outputs={merges}`")
    merge = "" if merges == "True" else ", merge=False"
    return f"{function}({cell}, {given['inputs']}{start}{dim}{merge})"
