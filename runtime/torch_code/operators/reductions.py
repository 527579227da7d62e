"""Reductions over axes, sorting and searching."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.operators.elementwise import cast
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import literal


def dims(call: OperatorCall, name: str = "axis") -> str:
    """Return the axes of a reduction as PyTorch's argument, "" for all."""
    excludes = "exclude" in call.operator.params and call.flag("exclude")
    if name in call.params and not call.params[name].known and not excludes:
        return call.text(name)
    if excludes and name in call.params and not call.params[name].known:
        return f"[axis for axis in range({call.x}.dim()) if axis != {call.text(name)}]"
    axes = call.value(name)
    if excludes:
        rank = call.needed_rank()
        excluded = {axis % rank for axis in ([axes] if isinstance(axes, int) else axes or ())}
        axes = tuple(axis for axis in range(rank) if axis not in excluded)
    if axes is None or axes == ():
        return ""
    if isinstance(axes, tuple | list) and len(axes) == 1:
        axes = axes[0]
    return literal(tuple(axes) if isinstance(axes, list) else axes)


def reduced(call: OperatorCall, method: str, *, name: str = "axis") -> str:
    """Return a method of the data that reduces axes."""
    axes = dims(call, name)
    keep = _kept(call)
    if not axes and keep:
        axes = f"tuple(range({call.x}.dim()))" if call.rank() is None else literal(tuple(range(call.needed_rank())))
    arguments = ", ".join(filter(None, [f"dim={axes}" if axes else "", keep]))
    return f"{call.x}.{method}({arguments})"


def _kept(call: OperatorCall) -> str:
    if not call.given("keepdims"):
        return ""
    return f"keepdim={call.text('keepdims')}"


@translates("sum")
def _sum(call: OperatorCall) -> str:
    return reduced(call, "sum")


@translates("mean")
def _mean(call: OperatorCall) -> str:
    return reduced(call, "mean")


@translates("nansum")
def _nansum(call: OperatorCall) -> str:
    return reduced(call, "nansum")


@translates("max")
def _max(call: OperatorCall) -> str:
    return reduced(call, "amax")


@translates("min")
def _min(call: OperatorCall) -> str:
    return reduced(call, "amin")


@translates("prod")
def _prod(call: OperatorCall) -> str:
    axes = dims(call)
    if axes.startswith("("):
        raise NoTranslationError("a product over several axes")
    return reduced(call, "prod")


@translates("norm")
def _norm(call: OperatorCall) -> str:
    call.only_default("out_dtype")
    axes, order = dims(call), call.text("ord")
    arguments = [
        f"ord={order}" if order not in ("2", "2.0") else "",
        f"dim={axes}" if axes else "",
        _kept(call),
    ]
    return f"torch.linalg.vector_norm({', '.join([call.arg(0), *filter(None, arguments)])})"


@translates("argmax")
def _argmax(call: OperatorCall) -> str:
    return f"{reduced(call, 'argmax')}.float()"


@translates("argmin")
def _argmin(call: OperatorCall) -> str:
    return f"{reduced(call, 'argmin')}.float()"


@translates("argmax_channel")
def _argmax_channel(call: OperatorCall) -> str:
    return f"{call.x}.argmax(dim=1).float()"


def _along(call: OperatorCall) -> tuple[str, str]:
    """Return the operand that is sorted, and its axis: without one, all elements."""
    axis = call.text("axis")
    return (f"{call.x}.flatten()", "0") if axis == "None" else (call.x, axis)


@translates("argsort")
def _argsort(call: OperatorCall) -> str:
    data, axis = _along(call)
    order = "" if call.flag("is_ascend") else ", descending=True"
    return cast(f"{data}.argsort(dim={axis}{order})", call.value("dtype"))


@translates("sort")
def _sort(call: OperatorCall) -> str:
    data, axis = _along(call)
    order = "" if call.flag("is_ascend") else ", descending=True"
    return f"{data}.sort(dim={axis}{order}).values"


@translates("topk")
def _topk(call: OperatorCall) -> str:
    kind = call.value("ret_typ")
    data, axis = _along(call)
    order = ", largest=False" if call.flag("is_ascend") else ""
    best = f"{data}.topk({call.text('k')}, dim={axis}{order})"
    if kind == "value":
        return f"{best}.values"
    if kind == "indices":
        return cast(f"{best}.indices", call.value("dtype"))
    if kind == "both":
        call.only_default("dtype")
        return f"topk_with_indices({data}, {call.text('k')}, dim={axis}{order})"
    raise NoTranslationError(f"`topk` that returns {kind!r}")


@translates("moments")
def _moments(call: OperatorCall) -> str:
    axes = dims(call, "axes")
    keep = f", {_kept(call)}" if _kept(call) else ""
    return f"({call.x}.mean({axes}{keep}), {call.x}.var({axes}, correction=0{keep}))"


@translates("softmax_cross_entropy")
def _softmax_cross_entropy(call: OperatorCall) -> str:
    return f'F.cross_entropy({call.arg(0)}, {call.arg(1)}.long(), reduction="sum").reshape(1)'
