"""Operators that read parts of tensors: slices, gathers, embeddings, sequences of unequal lengths."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.operators.shapes import code_texts
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import receiver


def whole(text: str) -> str:
    """Return an index as whole numbers, which PyTorch needs and MXNet does not."""
    return text if text.endswith((".long()", ".argmax(dim=-1)")) else f"{receiver(text)}.long()"


@translates("slice_axis")
def _slice_axis(call: OperatorCall) -> str:
    axis = call.value("axis")
    begin, end = call.text("begin"), call.text("end")
    part = f"{'' if begin == '0' else begin}:{'' if end == 'None' else end}"
    if axis < 0:
        trailing = ", :" * (-axis - 1)
        return f"{call.x}[..., {part}{trailing}]"
    return f"{call.x}[{':, ' * axis}{part}]"


@translates("slice")
def _slice(call: OperatorCall) -> str:
    begins, ends = code_texts(call.text("begin")), code_texts(call.text("end"))
    steps = code_texts(call.text("step")) if call.given("step") else None
    if begins is None or ends is None or (call.given("step") and steps is None):
        raise NoTranslationError("a slice whose limits are not written out")
    parts = []
    for k, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        step = steps[k] if steps else "None"
        if step.startswith("-"):
            raise NoTranslationError("a slice with a negative step")
        part = f"{'' if begin in ('None', '0') else begin}:{'' if end == 'None' else end}"
        parts.append(part if step in ("None", "1") else f"{part}:{step}")
    return f"{call.x}[{', '.join(parts)}]"


@translates("slice_like")
def _slice_like(call: OperatorCall) -> str:
    other = receiver(call.arg(1))
    axes = call.value("axes")
    axes = list(range(call.needed_rank())) if axes in ((), None) else [axes] if isinstance(axes, int) else list(axes)
    if any(axis < 0 for axis in axes):
        axes = [axis % call.needed_rank() for axis in axes]
    parts = [f":{other}.shape[{axis}]" if axis in axes else ":" for axis in range(max(axes) + 1)]
    return f"{call.x}[{', '.join(parts)}]"


@translates("Crop")
def _crop(call: OperatorCall) -> str:
    call.only_default("h_w")
    if len(call.inputs) != 2:
        raise NoTranslationError("`Crop` without images to crop by")
    center = ", center=True" if call.flag("center_crop") else ""
    offset = f", offset={call.text('offset')}" if call.given("offset") else ""
    return f"crop_like({call.arg(0)}, {call.arg(1)}{center}{offset})"


@translates("take")
def _take(call: OperatorCall) -> str:
    """Return rows by their numbers: those beyond the end are the last, which PyTorch refuses."""
    axis = call.value("axis")
    if call.value("mode") == "wrap":
        raise NoTranslationError("`take` that wraps around")
    index = whole(call.arg(1))
    if axis < 0:
        axis %= call.needed_rank()
    return f"{call.x}[{':, ' * axis}{index}]"


@translates("Embedding", "_contrib_SparseEmbedding")
def _embedding(call: OperatorCall) -> str:
    return f"F.embedding({whole(call.arg(0))}, {call.arg(1)})"


@translates("pick")
def _pick(call: OperatorCall) -> str:
    if call.value("mode") != "clip":
        raise NoTranslationError("`pick` that wraps around")
    axis = call.text("axis")
    index = whole(call.arg(1))
    same = call.rank(0) is not None and call.rank(0) == call.rank(1)
    index = index if same else f"{index}.unsqueeze({axis})"
    picked = f"{call.x}.gather({axis}, {index})"
    return picked if call.flag("keepdims") else f"{picked}.squeeze({axis})"


@translates("one_hot")
def _one_hot(call: OperatorCall) -> str:
    call.only_default("on_value", "off_value")
    dtype = call.value("dtype")
    ones = f"F.one_hot({whole(call.arg(0))}, {call.text('depth')})"
    return f"{ones}.float()" if dtype == "float32" else ones if dtype == "int64" else f"{ones}.to(torch.{dtype})"


@translates("batch_take")
def _batch_take(call: OperatorCall) -> str:
    return f"{call.x}.gather(1, {whole(call.arg(1))}.unsqueeze(1)).squeeze(1)"


@translates("gather_nd")
def _gather_nd(call: OperatorCall) -> str:
    return f"{call.x}[tuple({whole(call.arg(1))})]"


@translates("SequenceMask")
def _sequence_mask(call: OperatorCall) -> str:
    if not call.flag("use_sequence_length"):
        return call.arg(0)
    rank, axis = call.needed_rank(), call.value("axis")
    steps = f"torch.arange({call.x}.shape[{axis}], device={call.x}.device)"
    lengths = receiver(call.arg(1))
    inside = f"{steps}[:, None] < {lengths}" if axis == 0 else f"{steps} < {lengths}[:, None]"
    inside = f"({inside})" + ("" if rank == 2 else f"[{', '.join([':', ':', *['None'] * (rank - 2)])}]")
    return f"{call.x}.masked_fill(~{inside}, {call.text('value')})"


@translates("SequenceLast")
def _sequence_last(call: OperatorCall) -> str:
    axis = call.value("axis")
    if not call.flag("use_sequence_length"):
        return f"{call.x}[{':, ' * axis}-1]"
    batch = f"torch.arange({call.x}.shape[{1 - axis}], device={call.x}.device)"
    last = f"{whole(call.arg(1))} - 1"
    return f"{call.x}[{last}, {batch}]" if axis == 0 else f"{call.x}[{batch}, {last}]"


@translates("SequenceReverse")
def _sequence_reverse(call: OperatorCall) -> str:
    if call.flag("use_sequence_length"):
        raise NoTranslationError("`SequenceReverse` of sequences of unequal lengths")
    return f"{call.x}.flip({call.text('axis')})"
