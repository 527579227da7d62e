"""Reshapes to sizes of tensors, written with codes or reshape_like, as the code shows the tensors' axes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.analysis.model.events import AttributeRead, CodeContext, Concretize
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, axis_of, product
from hybridlint.fixers.evidence.sizes.joined_shapes import are_there, sizes_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.codes import (
    INFERRED,
    LEGACY,
    NUMPY,
    Code,
    Codes,
    ReshapeTarget,
    codes_for,
    codes_from_end,
    two_steps,
)
from hybridlint.fixers.toolkit.arguments import append_argument, by_name
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.nodes import binary
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression, node_of
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.concrete import code
from hybridlint.text.edits import Fix


@record(frozen=True, slots=True)
class Reshape:
    """A reshape in the file: the call, its data, its target sizes, and their tuple or None."""

    call: ast.Call
    data: ast.expr
    sizes: tuple[ast.expr, ...]
    shape: ast.expr | None
    numpy: bool

    @property
    def codes(self) -> Codes:
        """The numbers of the reshape codes in its mode, legacy or numpy."""
        return NUMPY if self.numpy else LEGACY


@record(frozen=True, slots=True)
class Like:
    """The arguments of a reshape_like to the tensor `name`.

    Axes `begin` to `end` of that tensor replace `axis` of the data; if `axis` is None, all axes replace all.
    """

    name: str
    axis: int | None = None
    begin: int = 0
    end: int = 0

    @property
    def keywords(self) -> Mapping[str, int]:
        """The keyword arguments of the reshape_like."""
        if self.axis is None:
            return {}
        return {"lhs_begin": self.axis, "lhs_end": self.axis + 1, "rhs_begin": self.begin, "rhs_end": self.end}


@record(frozen=True, slots=True)
class Coded:
    """A reshape that needs no sizes: reshape_like if `like` is set, then a reshape for each of the `steps`.

    Not `sure`: child blocks were assumed to keep their input's first axis. `from_end`: the codes count from the last
    axis. `inserted`: an axis of size 1 is put there at the end.
    """

    reshape: Reshape
    steps: tuple[tuple[Code, ...], ...]
    sure: bool
    like: Like | None = None
    from_end: bool = False
    inserted: int | None = None

    @property
    def replaced(self) -> ast.expr:
        """The node of the file that the fix replaces: the whole call, or only its tuple of sizes."""
        whole = self.reshape.numpy or self.like is not None or len(self.steps) != 1 or self.from_end
        whole = whole or self.inserted is not None
        return self.reshape.call if whole or self.reshape.shape is None else self.reshape.shape

    def written(self, frame: CodeContext, within: Mapping[ast.expr, cst.BaseExpression]) -> cst.BaseExpression:
        """Return the replacement of that node. `within` maps nodes inside the data to their replacements."""
        steps = [[_written(frame, c) for c in step] for step in self.steps]
        if self.replaced is self.reshape.shape:
            return expression("({codes},)", codes=steps[0])
        new = concrete_with(frame, self.reshape.data, within) if within else frame.concrete(self.reshape.data)
        if self.like is not None:
            new = self._call(frame, "reshape_like", new, node_of(self.like.name), self.like.keywords)
        for step in steps:
            codes = expression("({codes},)", codes=step)
            new = self._call(frame, "reshape", new, codes, {"reverse": True} if self.from_end else {})
        if self.inserted is not None:
            new = self._call(frame, "expand_dims", new, expression("{axis}", axis=self.inserted), {})
        return new

    def _call(
        self,
        frame: CodeContext,
        operator: str,
        data: cst.BaseExpression,
        argument: cst.CSTNode,
        keywords: Mapping[str, int],
    ) -> cst.BaseExpression:
        """Return a call of an operator as the old call was: a method of the data, or a function."""
        method = not self.reshape.numpy and (dotted_parts(self.reshape.call.func) or ("",))[0] != frame.functions
        namespace = f"{frame.functions}.npx" if self.reshape.numpy else frame.functions
        if method:
            new = expression("{x}.{name}({argument})", x=data, name=operator, argument=argument)
        else:
            new = expression("{F}.{name}({x}, {argument})", F=namespace, name=operator, x=data, argument=argument)
        for name, value in keywords.items():
            assert isinstance(new, cst.Call)
            new = append_argument(new, by_name(name, expression("{value}", value=value)))
        return new


def coded_reshape(event: AttributeRead | Concretize, call: ast.Call) -> Fix | None:
    """Write ``y.reshape((x.shape[0], -1))`` with codes, ``y.reshape((0, -1))``, or as reshape_like."""
    frame = event.frame
    found = reshape_of(frame, call)
    like = event.node.value if isinstance(event.node, ast.Attribute) else None
    if found is None or part_changes(frame, call):
        return None
    name = (like, like.id) if isinstance(like, ast.Name) else None
    new = code_reshape(frame, found, name)
    if name is not None and found.numpy and found.sizes == (event.node,):
        new = Coded(found, (), True, Like(name[1]))
    if new is None:
        return None
    written = new.written(frame, {})
    message = f"Reshape to `{code(written)}`" if isinstance(new.replaced, ast.Tuple) else None
    sure = found.shape is None or are_there(frame, found.shape)
    return rewrite(frame, new.replaced, written, safe_if(new.sure, sure), message=message)


def code_reshape(frame: CodeContext, found: Reshape, like: tuple[ast.Name, str] | None) -> Coded | None:
    """Return a reshape with codes or reshape_like; None if the axes that the code shows do not suffice.

    `like` is a tensor, as the node that reads it and as its name at the call.
    """
    for guess in (False, True):
        reader = SizeInference(frame, guess=guess)
        source = reader.axes(found.data)
        if source is None:
            continue
        targets = [_target(reader, found, source, place) for place in range(len(found.sizes))]
        if any(t.extent is None and literal(t.node) != INFERRED for t in targets):
            continue
        targets = _balanced(source, targets)
        new = _by_codes(found, source, targets, guess=guess)
        if new is not None:
            return replace(new, sure=not guess)
        axes = None if like is None else reader.axes(like[0])
        if like is None or axes is None:
            continue
        new = _spread(found, source, targets, axes, like[1]) or _like(found, source, targets, axes, like[1])
        if new is not None:
            return new if not guess else replace(new, sure=False)
    return None


def _target(reader: SizeInference, found: Reshape, source: TensorAxes, place: int) -> ReshapeTarget:
    """Return a target size of a reshape; code 0 reads a size of the data."""
    node, copied = found.sizes[place], found.codes.copy
    if literal(node) == INFERRED:
        return ReshapeTarget(node, None)
    if literal(node) != copied:
        return ReshapeTarget(node, reader.size(node), reader.reads_tensor(node))
    # Each other code represents several axes, or takes several places.
    plain = all(number is None or number >= min(copied, INFERRED) for number in map(literal, found.sizes[:place]))
    return ReshapeTarget(node, axis_of(source, place) if plain else None, read=True)


def _balanced(source: TensorAxes, targets: list[ReshapeTarget]) -> list[ReshapeTarget]:
    """Return the targets with the size in which they differ from the data as the size of the data.

    A reshape keeps the number of elements. ``self.v(x)``, of a convolution to `k` channels, is reshaped to
    ``(b, c, h * w)`` of `x` only where `c` is `k`.
    """
    known = [target.extent for target in targets if target.extent is not None]
    if not source.whole or len(known) < len(targets):
        return targets
    missing = product(source.sizes) // product(known)
    other = set(missing.divisors)
    differing = [k for k, size in enumerate(known) if other & set(size.factors)]
    if not missing.factors or len({known[k] for k in differing}) != 1 or not targets[differing[-1]].sized:
        return targets
    # All sizes of one extent are equal where the code runs; an attention's queries come before its keys.
    place = differing[-1]
    return [*targets[:place], replace(targets[place], extent=known[place] * missing), *targets[place + 1 :]]


def _by_codes(found: Reshape, source: TensorAxes, targets: Sequence[ReshapeTarget], *, guess: bool) -> Coded | None:
    """Return a reshape with codes, in one step or in two."""
    codes = codes_for(source, targets, found.codes)
    axis = _inserted(source, targets) if codes is not None and found.codes.split in codes else None
    if axis is not None and not found.numpy:
        return Coded(found, (), sure=True, inserted=axis)
    if codes is not None:
        plain = _along_one_axis(source, targets) if found.codes.split in codes else None
        return Coded(found, (tuple(plain or codes),), sure=True)
    from_end = _from_end(source, targets, found.codes, guess=guess)
    if from_end is not None:
        return Coded(found, (tuple(from_end),), sure=True, from_end=True)
    steps = two_steps(source, targets, found.codes)
    if steps is not None:
        return Coded(found, steps, sure=True)
    behind = _behind_one(found, source, targets)
    return None if behind is None else Coded(found, (tuple(behind),), sure=True, inserted=0)


def _written(frame: CodeContext, size: Code) -> int | cst.BaseExpression:
    """Return a code or a size as an expression. A product of several sizes has no place in the file."""
    match size:
        case int():
            return size
        case ast.BinOp(left=left, op=op, right=right) if not hasattr(size, "lineno"):
            first = _written(frame, left)
            return binary(frame.concrete(left) if isinstance(first, int) else first, op, frame.concrete(right))
        case _:
            return frame.concrete(size)


def _behind_one(found: Reshape, source: TensorAxes, targets: Sequence[ReshapeTarget]) -> list[Code] | None:
    """Return the codes of all sizes but the first of a legacy reshape such as ``(1, x.shape[0], -1)``."""
    if found.numpy or len(targets) < 2 or literal(targets[0].node) != 1:
        return None
    return codes_for(source, targets[1:], found.codes)


def _inserted(source: TensorAxes, targets: Sequence[ReshapeTarget]) -> int | None:
    """Return the axis of size 1 that a reshape inserts, if it does nothing else; else None."""
    sizes = tuple(target.extent for target in targets)
    if not source.whole or len(sizes) != len(source.sizes) + 1:
        return None
    axes = (k for k, target in enumerate(targets) if literal(target.node) == 1)
    return next((k for k in axes if (*sizes[:k], *sizes[k + 1 :]) == source.sizes), None)


def _along_one_axis(source: TensorAxes, targets: Sequence[ReshapeTarget]) -> list[Code] | None:
    """Return the codes of a vector's reshape to one axis among axes of size 1, ``(1, -1, 1)``."""
    others = [target for target in targets if literal(target.node) != 1]
    if not source.whole or len(source.sizes) != 1 or len(others) != 1:
        return None
    return [INFERRED if target is others[0] else 1 for target in targets]


def _from_end(source: TensorAxes, targets: Sequence[ReshapeTarget], codes: Codes, *, guess: bool) -> list[Code] | None:
    """Return the codes of a reshape whose codes count from the last axis; None if no codes fit."""
    if _is_matrix(source, targets) or (guess and _may_be_matrix(source, targets)):
        return [INFERRED, codes.copy]
    found = codes_from_end(source, targets, codes)
    likely = _with_likely_last(source, targets) if guess and found is None else None
    return found if likely is None else codes_from_end(source, likely, codes)


def _with_likely_last(source: TensorAxes, targets: Sequence[ReshapeTarget]) -> list[ReshapeTarget] | None:
    """Return the targets with the data's last axis as last size, if a layer or setting gave that size.

    A residual block reshapes the result of ``nn.Dense(units)`` to the channels of its input.
    """
    last = axis_of(source, -1)
    if last is None or last.sized or not targets or any(target.sized for target in targets[:-1]):
        return None
    read = targets[-1].extent
    return None if read is None or not read.sized else [*targets[:-1], replace(targets[-1], extent=last)]


def _is_matrix(source: TensorAxes, targets: Sequence[ReshapeTarget]) -> bool:
    """Whether a reshape keeps the last axis and merges all others, ``(-1, x.shape[-1])``."""
    if len(targets) != 2 or source.last is None or targets[1].extent != source.last:
        return False
    return targets[0].extent is None or (source.whole and targets[0].sized)


def _may_be_matrix(source: TensorAxes, targets: Sequence[ReshapeTarget]) -> bool:
    """Whether a reshape such as ``(-1, x.shape[2])`` of a tensor of unknown rank likely reads its last axis."""
    if source.whole or len(targets) != 2:
        return False
    return targets[0].extent is None and targets[1].extent in source.sizes[1:]


def _like(
    found: Reshape, source: TensorAxes, targets: Sequence[ReshapeTarget], like: TensorAxes, name: str
) -> Coded | None:
    """Return a reshape as reshape_like: all axes like those of a tensor, or one axis like several of that tensor."""
    sizes = _resolved(source, targets)
    if like.whole and sizes == like.sizes:
        return Coded(found, (), True, Like(name))
    for axis, size in enumerate(source.sizes):
        for begin in range(len(like.sizes)):
            for end in range(len(like.sizes), begin + 1, -1):
                taken = like.sizes[begin:end]
                if size != product(taken) or taken != sizes[axis : axis + len(taken)]:
                    continue
                spread = TensorAxes((*source.sizes[:axis], *taken, *source.sizes[axis + 1 :]), source.whole)
                codes = codes_for(spread, targets, found.codes)
                if codes is not None:
                    plain = (
                        spread.whole and len(codes) == len(spread.sizes) and set(codes) <= {found.codes.copy, INFERRED}
                    )
                    return Coded(found, () if plain else (tuple(codes),), True, Like(name, axis, begin, end))
    return None


def _spread(
    found: Reshape, source: TensorAxes, targets: Sequence[ReshapeTarget], like: TensorAxes, name: str
) -> Coded | None:
    """Return a reshape that spreads one axis over several axes of a tensor, where all other axes stay.

    ``z.reshape((x.shape[0], x.shape[1], z.shape[1]))`` of a `z` with two axes can only be that, whatever `z` is; with a
    -1 in the last place it need not be. An axis that is as long as one of several axes does not spread over them.
    """
    sizes = [target.extent for target in targets]
    inferred = bool(sizes) and sizes[-1] is None and literal(targets[-1].node) == INFERRED
    if inferred:
        sizes[-1] = source.sizes[-1] if source.sizes else None
    if not source.whole or None in sizes or (like.whole and tuple(sizes) == like.sizes):
        return None
    count = len(sizes) - len(source.sizes) + 1
    for axis in range(len(source.sizes)) if count > 1 else ():
        rest = (*source.sizes[:axis], *source.sizes[axis + 1 :])
        taken = tuple(sizes[axis : axis + count])
        begin = next((k for k in range(len(like.sizes)) if like.sizes[k : k + count] == taken), None)
        if (*sizes[:axis], *sizes[axis + count :]) == rest and begin is not None and source.sizes[axis] not in taken:
            return Coded(found, (), not inferred, Like(name, axis, begin, begin + count))
    return None


def _resolved(source: TensorAxes, targets: Sequence[ReshapeTarget]) -> tuple[AxisSize | None, ...]:
    """Return the target sizes, with the size that -1 represents if the other sizes determine it."""
    sizes = [target.extent for target in targets]
    known = [size for size in sizes if size is not None]
    left = product(source.sizes) // product(known)
    return tuple(left if size is None and source.whole and len(known) + 1 == len(sizes) else size for size in sizes)


def reshape_of(frame: CodeContext, call: ast.Call) -> Reshape | None:
    """Return the parts of a call that reshapes; None for any other call, or other arguments."""
    if not isinstance(call.func, ast.Attribute) or lookup.of_tensors(call.func.attr) is not lookup.method("reshape"):
        return None
    named = [k.value for k in call.keywords if k.arg in {"shape", "newshape"}]
    given = [*call.args]
    path = dotted_parts(call.func) or ("",)
    function = path[0] == frame.functions
    if len(named) != len(call.keywords) or any(isinstance(a, ast.Starred) for a in given) or (function and not given):
        return None
    data = given.pop(0) if function else call.func.value
    value = frame.seen.value(data)
    numpy = (value.mode if isinstance(value, Tensor) else frame.mode) == "np"
    if bool(named) == bool(given) or (numpy and (frame.functions is None or path[1:2] == ("npx",))):
        return None
    parts = named or given
    joined = sizes_of(parts[0]) if len(parts) == 1 else None
    if joined is not None:
        return Reshape(call, data, tuple(joined), parts[0], numpy)
    return Reshape(call, data, tuple(parts), None, numpy) if given else None
