"""Operators that change shapes, written as a person would: flatten, unflatten, transpose, and reshape for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import as_condition, literal, receiver


@translates("Reshape")
def _reshape(call: OperatorCall) -> str:
    call.only_default("target_shape", "keep_highest")
    if call.flag("reverse"):
        return reshaped_from_the_end(call.x, code_texts(call.params["shape"].text), call.rank())
    return reshaped(call.x, code_texts(call.params["shape"].text), call.rank())


def code_texts(text: str) -> list[str] | None:
    """Return the texts of the items of a shape, None if it is not written out."""
    import ast

    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if isinstance(node, ast.Tuple | ast.List):
        return [ast.unparse(item) for item in node.elts]
    if isinstance(node, ast.Constant | ast.UnaryOp):
        return [text]
    return None


def reshaped(x: str, codes: Sequence[str] | None, rank: int | None) -> str:
    """Return the reshape of a tensor by MXNet's codes.

    0 keeps a size, -1 is inferred, -2 keeps all the rest, -3 merges two axes and -4 splits one into the next two.
    """
    if codes is None:
        raise NoTranslationError("a shape whose items are not written out")
    if any(code.startswith("*") for code in codes):
        raise NoTranslationError("a shape with a star")
    plan = _read_codes(codes)
    return _simplest(x, plan, rank) or _written_out(x, plan, rank)


def reshaped_from_the_end(x: str, codes: Sequence[str] | None, rank: int | None) -> str:
    """Return the reshape of a tensor by codes that are read from the last axis on: sizes, then 0 for sizes kept."""
    kept = 0
    while codes and codes[len(codes) - 1 - kept : len(codes) - kept] == ["0"]:
        kept += 1
    sizes = [] if codes is None else list(codes[: len(codes) - kept])
    if not sizes or {"0", "-2", "-3", "-4"} & set(sizes):
        raise NoTranslationError("a reshape with codes from the end")
    if sizes == ["-1"]:
        return f"{x}.flatten(0, {-kept - 1})"
    if rank == kept + 1:
        return f"{x}.unflatten(0, ({', '.join(sizes)}))"
    return f"{x}.reshape({', '.join([*sizes, *(f'{x}.shape[{k}]' for k in range(-kept, 0))])})"


#: What becomes of axes: ("keep", 1 axis), ("rest",), ("merge", 2 axes), ("split", texts), ("size", text).
_Part = tuple[str, tuple[str, ...]]


def _read_codes(codes: Sequence[str]) -> list[_Part]:
    parts: list[_Part] = []
    pending = list(codes)
    while pending:
        code = pending.pop(0)
        if code == "0":
            parts.append(("keep", ()))
        elif code == "-2":
            parts.append(("rest", ()))
        elif code == "-3":
            parts.append(("merge", ()))
        elif code == "-4":
            parts.append(("split", (pending.pop(0), pending.pop(0))))
        else:
            parts.append(("size", (code,)))
    return parts


def _simplest(x: str, plan: Sequence[_Part], rank: int | None) -> str | None:
    """Return the reshape by one method of few words, None if it needs more."""
    kinds = [kind for kind, _ in plan]
    sizes = [texts[0] for kind, texts in plan if kind == "size"]
    kept = next((k for k, kind in enumerate(kinds) if kind != "keep"), len(kinds))
    rest = kinds[kept:]
    if not rest:
        return x if rank in (None, len(kinds)) else None
    if rest == ["size"] and sizes == ["1"] and kept == rank:
        return f"{x}.unsqueeze(-1)"
    if rest == ["size"] and sizes == ["-1"]:
        if rank is not None and kept == rank - 1:
            return x
        return f"{x}.flatten({kept or ''})"
    if rest[0] == "split" and set(rest[1:]) <= {"keep", "rest"}:
        ends = rest.count("rest") == 1 or rank is None or rank == len(kinds)
        return f"{x}.unflatten({kept}, ({', '.join(plan[kept][1])}))" if ends else None
    if rest[0] == "merge" and set(rest[1:]) <= {"keep", "rest"}:
        return f"{x}.flatten({kept}, {kept + 1})"
    if set(rest) == {"size"} and len(rest) > 1 and rank is not None and kept == rank - 1 and kept:
        return _unflattened(x, kept, sizes)
    if kept == 0 and set(rest) == {"size"}:
        return f"{x}.reshape({', '.join(sizes)})"
    if rest == ["rest"]:
        return x
    return None


def _unflattened(x: str, kept: int, sizes: Sequence[str]) -> str:
    """Return a reshape that splits the last axis into several."""
    if kept == 1 and "-1" not in sizes:
        return f"{x}.reshape(-1, {', '.join(sizes)})"
    return f"{x}.unflatten({kept if kept == 1 else -1}, ({', '.join(sizes)}))"


def _written_out(x: str, plan: Sequence[_Part], rank: int | None) -> str:
    """Return a reshape to a shape with each size named."""
    items: list[str] = []
    axis = 0
    for k, (kind, texts) in enumerate(plan):
        if kind == "keep":
            items.append(f"{x}.shape[{axis}]")
            axis += 1
        elif kind == "merge":
            items.append(f"{x}.shape[{axis}] * {x}.shape[{axis + 1}]")
            axis += 2
        elif kind == "split":
            items += _split_sizes(f"{x}.shape[{axis}]", texts, inferred=_has_inferred(plan))
            axis += 1
        elif kind == "rest":
            if k < len(plan) - 1:
                raise NoTranslationError("a reshape with -2 before other codes")
            items.append(f"*{x}.shape[{axis}:]")
        else:
            items.append(texts[0])
            axis += 1
    if rank is None and len(x) > 60:
        raise NoTranslationError("a reshape of a long expression")
    return f"{x}.reshape({', '.join(items)})"


def _has_inferred(plan: Sequence[_Part]) -> bool:
    return any(kind == "size" and texts == ("-1",) for kind, texts in plan)


def _split_sizes(size: str, texts: Sequence[str], *, inferred: bool) -> list[str]:
    first, second = texts
    if not inferred or "-1" not in texts:
        return [first, second]
    return [
        f"{size} // {receiver(second)}" if first == "-1" else first,
        f"{size} // {receiver(first)}" if second == "-1" else second,
    ]


@translates("Flatten")
def _flatten(call: OperatorCall) -> str:
    return f"{call.x}.flatten(1)"


@translates("reshape_like")
def _reshape_like(call: OperatorCall) -> str:
    if call.is_default("lhs_begin", "lhs_end", "rhs_begin", "rhs_end"):
        return f"{call.x}.reshape({receiver(call.arg(1))}.shape)"
    begin, end = (call.value(name) for name in ("lhs_begin", "lhs_end"))
    sizes = [
        f"*{call.x}.shape[:{begin}]" if begin else "",
        f"*{receiver(call.arg(1))}.shape{_range(call.value('rhs_begin'), call.value('rhs_end'))}",
        f"*{call.x}.shape[{end}:]" if end is not None else "",
    ]
    return f"{call.x}.reshape({', '.join(filter(None, sizes))})"


def _range(begin: int | None, end: int | None) -> str:
    """Return the subscript for a range of axes, "" for all."""
    if not begin and end is None:
        return ""
    return f"[{begin or ''}:{'' if end is None else end}]"


@translates("broadcast_like")
def _broadcast_like(call: OperatorCall) -> str:
    if call.is_default("lhs_axes", "rhs_axes"):
        return f"{call.x}.expand_as({call.arg(1)})"
    rank, other_rank = call.needed_rank(0), call.needed_rank(1)
    items = ["-1"] * rank
    for axis, other in zip(_listed_axes(call, "lhs_axes"), _listed_axes(call, "rhs_axes"), strict=True):
        items[axis % rank] = f"{receiver(call.arg(1))}.shape[{other % other_rank}]"
    return f"{call.x}.expand({', '.join(items)})"


def _listed_axes(call: OperatorCall, name: str) -> list[int]:
    axes = call.value(name)
    return [axes] if isinstance(axes, int) else list(axes)


@translates("broadcast_to")
def _broadcast_to(call: OperatorCall) -> str:
    codes = code_texts(call.text("shape"))
    if codes is None:
        raise NoTranslationError("`broadcast_to` a shape that is not written out")
    return f"{call.x}.expand({', '.join('-1' if code == '0' else code for code in codes)})"


@translates("broadcast_axis")
def _broadcast_axis(call: OperatorCall) -> str:
    axes, sizes = call.value("axis"), code_texts(call.text("size"))
    axes = [axes] if isinstance(axes, int) else list(axes)
    if sizes is None or len(sizes) != len(axes):
        if len(axes) != 1:
            raise NoTranslationError("`broadcast_axis` to sizes that are not written out")
        sizes = [call.text("size")]
    rank = call.needed_rank()
    items = ["-1"] * rank
    for axis, size in zip(axes, sizes, strict=True):
        items[axis] = size
    return f"{call.x}.expand({', '.join(items)})"


@translates("transpose")
def _transpose(call: OperatorCall) -> str:
    if "axes" not in call.params or call.params["axes"].value in ((), None):
        rank = call.rank()
        if rank == 2:
            return f"{call.x}.t()"
        return f"{call.x}.permute({', '.join(map(str, reversed(range(call.needed_rank()))))})"
    if not call.params["axes"].known:
        return f"{call.x}.permute({call.text('axes')})"
    axes = tuple(call.value("axes"))
    moved = [k for k, axis in enumerate(axes) if axis != k]
    if len(moved) == 2:
        return f"{call.x}.transpose({moved[0]}, {moved[1]})"
    return f"{call.x}.permute({', '.join(map(str, axes))})"


@translates("SwapAxis")
def _swap_axes(call: OperatorCall) -> str:
    return f"{call.x}.transpose({call.text('dim1')}, {call.text('dim2')})"


@translates("expand_dims")
def _expand_dims(call: OperatorCall) -> str:
    return f"{call.x}.unsqueeze({call.text('axis')})"


@translates("squeeze")
def _squeeze(call: OperatorCall) -> str:
    axis = call.text("axis")
    return f"{call.x}.squeeze({'' if axis == 'None' else axis})"


@translates("Concat")
def _concat(call: OperatorCall) -> str:
    return _joined(call, "torch.cat", call.text("dim"))


@translates("stack")
def _stack(call: OperatorCall) -> str:
    return _joined(call, "torch.stack", call.text("axis"))


def _joined(call: OperatorCall, function: str, dim: str) -> str:
    texts = [call.arg(k) for k in range(len(call.inputs))]
    items = texts[0].removeprefix("*") if len(texts) == 1 and texts[0].startswith("*") else f"[{', '.join(texts)}]"
    return f"{function}({items}, dim={dim})" if dim != "0" else f"{function}({items})"


@translates("SliceChannel")
def _split(call: OperatorCall) -> str:
    if call.params["num_outputs"].value == 1:
        # One output is no list.
        return f"{call.x}.squeeze({call.text('axis')})" if call.flag("squeeze_axis") else call.arg(0)
    if call.flag("squeeze_axis"):
        return f"{call.x}.unbind({call.text('axis')})"
    return f"{call.x}.chunk({call.text('num_outputs')}, dim={call.text('axis')})"


@translates("tile")
def _tile(call: OperatorCall) -> str:
    reps = call.text("reps")
    codes = code_texts(reps)
    if codes == []:
        return call.arg(0)
    return f"{call.x}.tile({reps if codes is None else ', '.join(codes)})"


@translates("repeat")
def _repeat(call: OperatorCall) -> str:
    axis = call.text("axis")
    if axis == "None":
        return f"{call.x}.repeat_interleave({call.text('repeats')})"
    return f"{call.x}.repeat_interleave({call.text('repeats')}, dim={axis})"


@translates("reverse")
def _reverse(call: OperatorCall) -> str:
    return f"{call.x}.flip({call.text('axis')})"


@translates("Pad")
def _pad(call: OperatorCall) -> str:
    widths = list(call.value("pad_width"))
    pairs = [(widths[2 * k], widths[2 * k + 1]) for k in range(len(widths) // 2)]
    while pairs and pairs[0] == (0, 0):
        pairs.pop(0)
    flat = tuple(width for pair in reversed(pairs) for width in pair)
    mode = {"constant": "constant", "edge": "replicate", "reflect": "reflect"}[call.value("mode")]
    if mode == "constant":
        value = call.text("constant_value")
        more = "" if value in ("0", "0.0") else f", value={value}"
        return f"F.pad({call.arg(0)}, {literal(flat)}{more})"
    return f'F.pad({call.arg(0)}, {literal(flat)}, mode="{mode}")'


@translates("diag")
def _diag(call: OperatorCall) -> str:
    if call.needed_rank() == 1:
        return f"torch.diag({call.arg(0)}{_offset(call)})"
    return f"{call.x}.diagonal({call.text('k')}, {call.text('axis1')}, {call.text('axis2')})"


def _offset(call: OperatorCall) -> str:
    return f", {call.text('k')}" if call.given("k") else ""


@translates("depth_to_space")
def _depth_to_space(call: OperatorCall) -> str:
    raise NoTranslationError("`depth_to_space`, which orders channels unlike `pixel_shuffle`")


@translates("shape_array")
def _shape_array(call: OperatorCall) -> str:
    return f"torch.tensor({call.x}.shape)"


@translates("_contrib_boolean_mask")
def _boolean_mask(call: OperatorCall) -> str:
    call.only_default("axis")
    return f"{call.x}[{as_condition(call.arg(1))}]"
