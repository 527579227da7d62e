"""The fused recurrent layers: vanilla, LSTM and GRU, stacked and in both directions."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.recipes import sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.types import InferError, TensorType, unknown_shape
from hybridlint.runtime.ops.nn.cells import CELLS
from hybridlint.runtime.ops.nn.planned_recurrence import recipe
from hybridlint.runtime.ops.nn.recurrence import Stack, Trace, kept_of, pull_stack, run_stack, trace_of
from hybridlint.runtime.ops.type_rules import refined, require_rank


def _stack(
    inputs: int, mode: str, state_size: int, num_layers: int, bidirectional: bool, projection_size: int | None
) -> Stack:
    return Stack(mode, inputs, state_size, num_layers, 2 if bidirectional else 1, projection_size)


def _parameter_count(inputs: DimLike, stack: Stack) -> DimLike:
    """Return the length of the parameter vector for data with `inputs` channels; the stack itself has 0 inputs."""
    rows = stack.cell.gates * stack.size
    known = sum(shape[0] * (shape[1] if len(shape) == 2 else 1) for shape in stack.shapes())
    return inputs * (rows * stack.directions) + known


def _complete(
    data: TensorType,
    parameters: TensorType,
    *states: TensorType,
    mode: str,
    state_size: int,
    num_layers: int,
    bidirectional: bool,
    projection_size: int | None,
    use_sequence_length: bool,
) -> tuple[TensorType, ...]:
    if mode not in CELLS:
        raise InferError("mode", f"expected one of {', '.join(CELLS)}, got {mode!r}")
    if projection_size is not None and mode != "lstm":
        raise InferError("projection_size", "only lstm has a projection")
    require_rank(data, [3])
    _, batch, inputs = data.shape or unknown_shape(3)
    stack = _stack(0, mode, state_size, num_layers, bidirectional, projection_size)
    rows = num_layers * stack.directions
    shapes = [(rows, batch, stack.width), (rows, batch, state_size)]
    count = len(states) - use_sequence_length
    named = zip(states[:count], shapes, ("state", "state_cell"), strict=False)
    vector = refined(parameters, (_parameter_count(inputs, stack),), data.dtype, "parameters")
    lengths = [refined(t, (batch,), None, "sequence_length") for t in states[count:]]
    return (data, vector, *(refined(t, shape, data.dtype, name) for t, shape, name in named), *lengths)


def _outputs(*, mode: str, state_outputs: bool) -> int:
    return 1 if not state_outputs else 3 if mode == "lstm" else 2


def _infer(
    data: TensorType, parameters: TensorType, *states: TensorType, state_outputs: bool, p: float, **params: Any
) -> tuple[TensorType, ...]:
    known = {k: params[k] for k in _SHAPE}
    dtype = _complete(data, parameters, *states, use_sequence_length=params["use_sequence_length"], **known)[1].dtype
    stack = _stack(0, **known)
    time, batch, _ = data.shape or unknown_shape(3)
    rows = stack.layers * stack.directions
    output = (time, batch, stack.width * stack.directions)
    shapes = [output, (rows, batch, stack.width), (rows, batch, stack.size)]
    visible = shapes[: _outputs(mode=stack.mode, state_outputs=state_outputs)]
    masks = [(stack.layers - 1, *output)] if p else []
    return tuple(TensorType(shape, dtype) for shape in [*visible, *masks])


_SHAPE = ("mode", "state_size", "num_layers", "bidirectional", "projection_size")


def _grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], **params: Any) -> tuple[Any, ...]:
    return _pulled(F, g, ins, outs, (), **params)


def _grad_of_kept(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], **params: Any) -> tuple[Any, ...]:
    return _pulled(F, g, ins, outs[:-2], outs[-2:], **params)


def _pulled(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    kept: tuple[Any, ...],
    *,
    state_outputs: bool,
    p: float,
    **params: Any,
) -> tuple[Any, ...]:
    state, *cell = ins[2 : 4 if params["mode"] == "lstm" else 3]
    heads = tuple(g) if state_outputs else (g, F.zeros_like(state), *map(F.zeros_like, cell))
    # Dropout stands between layers: one alone has an empty mask, which is no input.
    masks = [outs[-1]] if p and params["num_layers"] > 1 else []
    known = {k: params[k] for k in _SHAPE}
    pulled = F._hl_rnn_grad(*heads, *ins[: 3 + len(cell)], *masks, *kept, masked=bool(masks), kept=bool(kept), **known)
    # Nothing reads the lengths of sequences.
    unread = ins[len(pulled) :]
    return (*pulled, *(None if lengths is None else F.zeros_like(lengths) for lengths in unread))


def _planned(
    ins: tuple[TensorType | None, ...],
    outs: tuple[TensorType, ...],
    /,
    *,
    lasting: bool,
    training: bool,
    mode: str,
    state_size: int,
    num_layers: int,
    bidirectional: bool,
    projection_size: int | None,
    p: float,
    use_sequence_length: bool,
    state_outputs: bool,
) -> BufferRecipe | None:
    """Keep all weights of a layer together."""
    data, (result, *_) = ins[0], outs
    if not lasting or projection_size is not None or use_sequence_length or result.dtype not in {"float32", "float64"}:
        return None
    if p and training:
        return None
    assert data is not None
    time, batch, inputs = sizes_of(data)
    stack = _stack(inputs, mode, state_size, num_layers, bidirectional, projection_size)
    return recipe(stack, time, batch, result.dtype, _outputs(mode=mode, state_outputs=state_outputs))


def _active(*, mode: str, use_sequence_length: bool) -> tuple[str, ...]:
    states = ("state", "state_cell") if mode == "lstm" else ("state",)
    return ("data", "parameters", *states, *(("sequence_length",) if use_sequence_length else ()))


@op(
    name="RNN",
    planned=_planned,
    infer=_infer,
    complete=_complete,
    grad=_grad,
    active_inputs=_active,
    outputs=lambda *, mode, state_outputs, p: _outputs(mode=mode, state_outputs=state_outputs) + bool(p),
    visible=_outputs,
    facts=Facts(
        output_names=("output", "state_output", "statecell_output"),
        same_in_both_modes=lambda *, p: p == 0,
        recorded_as="_hl_rnn_kept",
    ),
    samples=[
        sample((3, 2, 2), (21,), (1, 2, 3), state_size=3, num_layers=1, mode="rnn_tanh"),
        sample((2, 2, 2), (24,), (2, 2, 2), state_size=2, num_layers=2, mode="rnn_relu", state_outputs=True),
        sample((2, 1, 3), (56,), (1, 1, 2), (1, 1, 2), state_size=2, num_layers=1, mode="lstm", state_outputs=True),
        sample((3, 2, 1), (32,), (2, 2, 1), (2, 2, 1), state_size=1, num_layers=1, mode="lstm", bidirectional=True),
        sample(
            (2, 1, 2),
            (168,),
            (4, 1, 2),
            state_size=2,
            num_layers=2,
            mode="gru",
            bidirectional=True,
            state_outputs=True,
        ),
        sample(
            (2, 1, 3),
            (50,),
            (1, 1, 1),
            (1, 1, 2),
            state_size=2,
            num_layers=1,
            mode="lstm",
            projection_size=1,
            state_outputs=True,
        ),
    ],
)
def rnn(
    xp: Any,
    data: Any,
    parameters: Any,
    state: Any,
    state_cell: Any = None,
    sequence_length: Any = None,
    /,
    *,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    training: bool = False,
    rng: Any = None,
) -> tuple[Any, ...]:
    """Run recurrent layers over data (T, N, I); with `state_outputs`, also return the final states.

    `parameters` is one vector: for each layer and direction the weights of inputs and states (and of the projection),
    then for each the two biases. `state` and `state_cell` are (layers * directions, N, size). `p` is the dropout rate
    between layers in train mode; the hidden last output then holds the masks. MXNet clips states, and stops at the
    lengths of sequences, on GPUs only; this runtime does neither.
    """
    stack = _stack(data.shape[2], mode, state_size, num_layers, bidirectional, projection_size)
    return _run(xp, stack, data, parameters, state, state_cell, p, state_outputs, training, rng)[1]


def _run(
    xp: Any,
    stack: Stack,
    data: Any,
    parameters: Any,
    state: Any,
    state_cell: Any,
    p: float,
    state_outputs: bool,
    training: bool,
    rng: Any,
) -> tuple[Trace, tuple[Any, ...]]:
    """Return the runs of all layers, and the outputs of the operator."""
    masks = None
    if p:
        shape = (stack.layers - 1, *data.shape[:2], stack.width * stack.directions)
        masks = xp.ones(shape, data.dtype)
        if training:
            masks = xp.asarray(rng.random(shape) >= p).astype(data.dtype) * (1 / (1 - p))
    trace = run_stack(xp, stack, parameters, data, state, state_cell, masks)
    runs = [run for row in trace.runs for run in row]
    cells = (xp.stack([r.cell for r in runs]),) if stack.mode == "lstm" else ()
    states = (xp.stack([r.state for r in runs]), *cells)
    hidden = () if masks is None else (masks,)
    return trace, (trace.output, *(states if state_outputs else ()), *hidden)


def _infer_kept(data: TensorType, parameters: TensorType, *states: TensorType, **params: Any) -> tuple[TensorType, ...]:
    made = _infer(data, parameters, *states, **params)
    stack = _stack(0, **{k: params[k] for k in _SHAPE})
    time, batch, _ = data.shape or unknown_shape(3)
    rows = stack.layers * stack.directions
    shapes = [(time * (rows * stack.cell.saved), batch, stack.size), (rows, time, batch, stack.width)]
    return (*made, *(TensorType(shape, made[0].dtype) for shape in shapes))


@op(
    infer=_infer_kept,
    complete=_complete,
    grad=_grad_of_kept,
    active_inputs=_active,
    outputs=lambda *, mode, state_outputs, p: _outputs(mode=mode, state_outputs=state_outputs) + bool(p) + 2,
    visible=_outputs,
    facts=Facts(same_in_both_modes=lambda *, p: p == 0),
    samples=[sample((3, 2, 2), (21,), (1, 2, 3), state_size=3, num_layers=1, mode="rnn_tanh")],
)
def _hl_rnn_kept(
    xp: Any,
    data: Any,
    parameters: Any,
    state: Any,
    state_cell: Any = None,
    sequence_length: Any = None,
    /,
    *,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Literal["gru", "lstm", "rnn_relu", "rnn_tanh"],
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    training: bool = False,
    rng: Any = None,
) -> tuple[Any, ...]:
    """Run recurrent layers as RNN does, and return what its gradient takes of them as well."""
    stack = _stack(data.shape[2], mode, state_size, num_layers, bidirectional, projection_size)
    trace, made = _run(xp, stack, data, parameters, state, state_cell, p, state_outputs, training, rng)
    return (*made, *kept_of(xp, trace))


def _infer_grad(*tensors: TensorType, mode: str) -> tuple[TensorType, ...]:
    count = 3 if mode == "lstm" else 2
    return tensors[count : 2 * count + 1]


@op(
    infer=_infer_grad,
    outputs=lambda *, mode: 4 if mode == "lstm" else 3,
    samples=[sample((2, 1, 2), (1, 1, 2), (2, 1, 3), (14,), (1, 1, 2), mode="rnn_tanh", state_size=2, num_layers=1)],
)
def _hl_rnn_grad(
    xp: Any,
    /,
    *tensors: Any,
    mode: str,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    projection_size: int | None = None,
    masked: bool = False,
    kept: bool = False,
) -> tuple[Any, ...]:
    """Return the gradients with respect to RNN's data, parameters and states.

    The tensors are the gradients of the outputs, the inputs, where `masked` the masks between layers, and what was
    `kept` of the runs.
    """
    count = 3 if mode == "lstm" else 2
    heads, (data, vector, *states) = tensors[:count], tensors[count : 2 * count + 1]
    masks = tensors[2 * count + 1] if masked else None
    stack = _stack(data.shape[2], mode, state_size, num_layers, bidirectional, projection_size)
    if kept:
        trace = trace_of(xp, stack, vector, data, states[0], masks, *tensors[-2:])
    else:
        trace = run_stack(xp, stack, vector, data, states[0], states[1] if len(states) > 1 else None, masks)
    g_cell = heads[2] if len(heads) > 2 else xp.zeros_like(states[0])
    pulled = pull_stack(xp, stack, vector, trace, heads[0], heads[1], g_cell, masks)
    return pulled[: count + 1]
