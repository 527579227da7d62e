"""Arrays as values: tensors, lists of outputs, arrays that only one run has, parameters, and the lineages of shapes."""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import TensorType

UNTYPED = TensorType()
Mode: TypeAlias = Literal["legacy", "np"]
#: Whether a gradient can pass. "perhaps": only through an unknown value; it counts as true.
Flows: TypeAlias = bool | Literal["perhaps"]


@record(frozen=True, slots=True)
class ShapeProvenance:
    """A shape as changes to another: `root` identifies an unknown shape, `steps` are the changes made to it since.

    Steps are "reduced" (a dimension became 1), "dropped" (a dimension was reduced and removed), "squeezed" (a dimension
    of size 1 was removed), "added" (one of size 1 was inserted), "stacked" (one of any size was inserted), "narrowed"
    (a layer made the dimension of features 1), "single" (likewise, after flattening what has more than two dimensions)
    and "scalar" (the whole tensor became one number). Only the first step may be "cut" (the root was cut from another
    tensor along the first axis), "divided" (the root is one of several equal parts, whose axis may be of size 1),
    "raised" (the root has two dimensions or more), or "pooled" (an unknown block made it of data of one position).
    `equal_roots` are other shapes that must equal that of `root` for the trace to succeed, because an operator of the
    graph without broadcasting combined them. `axis` is the position of the dimension that the last step added, reduced
    or dropped, None if it is unknown or the last step was another one.
    `mixed` is whether an unknown operand took part, so that an eager run may have broadcast the tensor. `last` is the
    size of the last dimension of a root of unknown rank, as a layer made it: 0 if only that it did is known. `least` is
    the number of dimensions that the root has at least.
    """

    root: int
    steps: tuple[str, ...] = ()
    equal_roots: frozenset[int] = frozenset()
    axis: int | None = None
    mixed: bool = False
    last: int | None = None
    least: int = 0

    @property
    def features(self) -> int | None:
        """The size of the last dimension as a layer made it: 0 if it is unknown, None without a layer."""
        return 1 if self.steps[-1:] == ("narrowed",) and self.axis == -1 else None if self.steps else self.last

    def related(self, other: ShapeProvenance) -> bool:
        """Return whether both were computed from the shape of the same tensor."""
        return not (self.equal_roots | {self.root}).isdisjoint(other.equal_roots | {other.root})

    def then(self, *steps: str) -> ShapeProvenance:
        """Return this lineage with further steps."""
        return ShapeProvenance(self.root, (*self.steps, *steps), self.equal_roots, mixed=self.mixed, last=self.last)

    def like(self, other: ShapeProvenance) -> ShapeProvenance:
        """Return this lineage, whose shape is known to equal that of another tensor."""
        same = (
            other.equal_roots | {other.root} if self.steps == other.steps == () or self.related(other) else frozenset()
        )
        mixed = self.mixed or other.mixed
        roots = self.equal_roots | same - {self.root}
        return ShapeProvenance(self.root, self.steps, roots, mixed=mixed, last=self.last, least=self.least)


@record(frozen=True, slots=True)
class Tensor:
    """One array: its data eagerly, a node of the graph with one output at the trace.

    `origin` is where it came from: "argument", "parameter", "operator", "weights" (an operator of parameters alone),
    "constant" (it depends on no input) or "element" (an item of a list argument, which may itself be a list, so its
    subscripts are not reported).

    `identity` is equal for two values that are the same array object (aliases), None if unknown. `lineage` relates the
    shape to other tensors' when the shape itself is unknown. `optional` marks an argument whose default is None,
    `presumed` an argument that is assumed to be a tensor although a list would support all of its uses too.
    `unchanged` marks what is an input of the block, as it is, on one of several paths.
    `random_scalar` marks one number drawn eagerly where the trace draws one per element. `flows` is whether a gradient
    can pass from it to the values that it was computed from.
    """

    type: TensorType = UNTYPED
    mode: Mode = "legacy"
    origin: str = "operator"
    identity: int | None = None
    random_scalar: bool = False
    lineage: ShapeProvenance | None = None
    optional: bool = False
    flows: Flows = True
    presumed: bool = False
    unchanged: bool = field(default=False, compare=False)

    @property
    def may_be_input(self) -> bool:
        """Whether it is, at least on one path, an argument or a trained parameter of the block."""
        return self.unchanged or self.origin == "argument" or (self.origin == "parameter" and bool(self.flows))


@record(frozen=True, slots=True)
class Outputs:
    """The several outputs of one operator: a list of arrays eagerly, one node with many outputs at the trace.

    `operator` is the name of the called function, empty if there were several candidates. `lineage` is the lineage of
    each
    output.
    """

    types: tuple[TensorType, ...] | None = None
    mode: Mode = "legacy"
    operator: str = ""
    flows: Flows = True
    lineage: ShapeProvenance | None = None


@record(frozen=True, slots=True)
class NumpyArray:
    """An array of numpy itself."""

    type: TensorType = field(default_factory=TensorType)


@record(frozen=True, slots=True)
class CapturedArray:
    """An NDArray in both runs, such as the array of a parameter; it cannot be combined with Symbols.

    `kept` is True if it outlives the call, as an attribute of the block.
    """

    type: TensorType = UNTYPED
    kept: bool = False


@record(frozen=True, slots=True)
class ParameterRef:
    """A Parameter object (``self.weight``), as opposed to its array.

    `trained` is whether it gets gradients. `late` holds the axes whose sizes are inferred from the first batch.
    `apart` is whether code has made the object itself, so that no ``ParameterDict`` lists it.
    """

    type: TensorType = UNTYPED
    trained: bool = True
    late: frozenset[int] = frozenset()
    apart: bool = False


@record(frozen=True, slots=True)
class BoundMethod:
    """A tensor's method that was looked up but not yet called: ``x.asnumpy``."""

    receiver: Tensor
    name: str
