"""The axes of the tensor that a name holds where it is read."""

from __future__ import annotations

import ast

from hybridlint.analysis.dataflow.bindings import Binding, BindingKind
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.fixers.evidence.helper_uses import uses_of
from hybridlint.fixers.evidence.helpers import is_private
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes
from hybridlint.fixers.evidence.sizes.batches import shares_batch
from hybridlint.fixers.evidence.sizes.rule_axes import LEADING
from hybridlint.fixers.evidence.sizes.shown_ranks import flattened_to, least_rank, likely_rank, unpacked_rank
from hybridlint.fixers.evidence.sizes.size_expressions import reads_tensor
from hybridlint.fixers.evidence.sizes.size_reader import DEEPEST, SizeReader
from hybridlint.runtime.facts import lookup, properties

#: The size of a batch that several inputs share.
_BATCH = AxisSize(("batch[0]",))


def axes_of_name(reader: SizeReader, node: ast.Name, rank: int | None) -> TensorAxes:
    """Return the axes of a named tensor: those of the value last bound to it, or else new names."""
    version = reader.frame.flow.version(node)
    if version is None or version.by_round:
        # Only reads on one line surely read the same tensor.
        return _own(reader, node, f"{node.id}@?{node.lineno}", None, rank)
    if version.is_given:
        return _own(reader, node, node.id, None, rank)
    made = None if version.binding is None else _value_of(version.binding)
    found = None if made is None else reader.deeper.axes(made, rank)
    return _own(reader, node, f"{node.id}@{version.label}", found, rank)


def _own(reader: SizeReader, node: ast.Name, version: str, found: TensorAxes | None, shown: int | None) -> TensorAxes:
    """Return the axes in `found`, with a new factor such as ``x@12[1]`` for each axis that it lacks.

    `version` distinguishes the tensors that a name is bound to on different lines.
    """
    if found is not None and found.whole:
        return found
    held = reader.frame.seen.value(node)
    rank = held.type.rank if isinstance(held, Tensor) else None
    if rank is None and "?" not in version:
        rank = unpacked_rank(reader.frame, node) or shown or _rank_given(reader, node, version)
    if rank is None and reader.guess and "?" not in version and found is None:
        rank, found = _flattened(reader, node)
    own = [AxisSize((f"{version}[{axis}]",)) for axis in range(LEADING if rank is None else rank)]
    if reader.guess and own and version == node.id and shares_batch(reader.frame, node.id):
        own[0] = _BATCH
    known = () if found is None else found.sizes
    sizes = (*known, *own[len(known) :])
    if rank is not None and len(known) < rank and found is not None and found.last is not None:
        sizes = (*sizes[:-1], found.last)
    last = AxisSize((f"{version}[-1]",)) if rank is None else sizes[-1] if sizes else None
    return TensorAxes(sizes, rank is not None, (None if found is None else found.last) or last)


def _flattened(reader: SizeReader, node: ast.Name) -> tuple[int | None, TensorAxes | None]:
    """Return the likely rank of a tensor that code flattens up to its last axis, and the last size.

    The last axis follows on the last one that is read, and on two axes at least: a matrix is flattened already.
    """
    least, last = max(least_rank(reader.frame, node), 2), flattened_to(reader.frame, node)
    size = None if last is None or reads_tensor(reader, last) else reader.deeper.size(last)
    if size is None or size.sized:
        return None, None
    return least + 1, TensorAxes((), whole=False, last=size)


def _rank_given(reader: SizeReader, node: ast.Name, version: str) -> int | None:
    """Return the rank that the caller of a helper knows, or that operators which take the tensor let guess."""
    known = reader.ranks.get(node.id) if version == node.id else None
    if known is None and version == node.id:
        known = _rank_at_calls(reader, node.id)
    return likely_rank(reader.frame, node) if known is None and reader.guess else known


def _rank_at_calls(reader: SizeReader, name: str) -> int | None:
    """Return the rank that all calls of a helper in its file give a parameter. Other files may call a public helper."""
    helper = reader.frame.function
    parameter = isinstance(helper, ast.FunctionDef) and any(each.arg == name for each in helper.args.args)
    if not isinstance(helper, ast.FunctionDef) or not parameter or helper.name in CALLED_BY_BLOCKS:
        return None
    if reader.depth > DEEPEST // 2 or not (reader.guess or is_private(helper)):
        return None
    ranks: set[int | None] = set()
    for use in uses_of(reader.frame, helper):
        there = reader.within(use.frame, {}, deeper=DEEPEST // 2)
        axes = there.axes(use.given[name]) if name in use.given else None
        ranks.add(len(axes.sizes) if axes is not None and axes.whole else None)
    return ranks.pop() if len(ranks) == 1 else None


def _value_of(binding: Binding) -> ast.expr | None:
    """Return the expression that a name is bound to, or a call that gives several values of the name's type."""
    match binding.source:
        case ast.Call(func=ast.Attribute(attr=name)) as call if binding.kind is BindingKind.UNPACKING:
            operator = lookup.of_tensors(name)
            return call if operator is not None and properties.gives_parts(operator) else None
    return binding.value
