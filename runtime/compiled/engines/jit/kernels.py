"""Kernels that processors have besides loops and folds: joined loops, products over packed panels, and convolutions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hybridlint.runtime.compiled.engines.jit.winograd import Form
from hybridlint.runtime.compiled.lowering.kernels import Access, Loop, Tree
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Sizes


@dataclass(frozen=True, eq=False, slots=True)
class Together:
    """Several loops over one domain as one. A later loop uses earlier results; `stored` ones other kernels need too."""

    sizes: Sizes
    parts: tuple[Loop, ...]
    stored: tuple[bool, ...]

    def accesses(self) -> Iterator[Access]:
        """Return where its parts write and read in memory."""
        made: set[Access] = set()
        for part, stored in zip(self.parts, self.stored, strict=True):
            if stored:
                yield part.target
            yield from (leaf for leaf in part.tree.leaves.values() if leaf not in made)
            made.add(part.target)


@dataclass(frozen=True, eq=False, slots=True)
class Pack:
    """The right operand of matrix products in panels: columns of a panel lie together, row after row.

    The source has the axes (batches ..., rows ..., columns), of which `batches` are the first. The last panel is filled
    up with zeros.
    """

    sizes: Sizes
    batches: int
    width: int
    source: Access
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield self.source


@dataclass(frozen=True, eq=False, slots=True)
class PackFilters(Pack):
    """Square filters, transformed as a form says and then packed: a set of panels for each element of a square.

    The source has the axes (batches ..., height, width, channels, filters).
    """

    form: Form


@dataclass(frozen=True, eq=False, slots=True)
class KeptArray:
    """A loop over an array that is given, which runs again only when that has changed."""

    loop: Loop
    source: Access

    @property
    def sizes(self) -> Sizes:
        """The sizes of its domain."""
        return self.loop.sizes

    @property
    def target(self) -> Access:
        """Where it writes."""
        return self.loop.target

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        return self.loop.accesses()


@dataclass(frozen=True, eq=False, slots=True)
class Pooled:
    """Functions of rectangles of a kernel's results: `root` gives one value for each rectangle.

    `strides` are the sizes of a rectangle along each axis of the domain. `parts` are the values that represent a
    result, each with its position in the rectangle.
    """

    strides: Sizes
    root: ArrayValue
    parts: Mapping[ArrayValue, Sizes]


@dataclass(frozen=True, eq=False, slots=True)
class NativeProduct:
    """Matrix products, finished by a function of elements.

    The domain is (batches ..., rows, columns), and products are summed over axes of the sizes `inner`. `left` has the
    axes (batches ..., rows, inner ...); `panels` is what `Pack` has made, with a step for each batch axis. `product` is
    the value in the tree that represents the sums.
    """

    sizes: Sizes
    inner: Sizes
    left: Access
    panels: Access
    tile: tuple[int, int]
    tree: Tree
    product: ArrayValue
    target: Access
    #: Where columns are few, vectors lie along rows, whose left operands and results lie together; the right operand is
    #: read where it is, so many steps along the inner axes and the columns. `tile` is columns and vectors then.
    beside: Sizes = ()
    #: If there is one, `target` has these instead of the results; only where vectors lie along rows.
    pooled: Pooled | None = None

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield self.left
        yield self.panels
        yield from self.tree.leaves.values()


@dataclass(frozen=True, eq=False, slots=True)
class Convolve:
    """A convolution with square filters by Winograd's algorithm, finished by a function of elements.

    The domain is (samples, height, width, filters). `source` has such axes for the corners of windows, with channels in
    place of filters; `panels` is what `PackFilters` has made. A block of so many `rows` of squares is computed at a
    time, in `scratch`, of which each of the shares of the work has a `part` of its own.
    """

    sizes: Sizes
    channels: int
    form: Form
    rows: int
    part: int
    shares: int
    source: Access
    panels: Access
    scratch: Access
    tile: tuple[int, int]
    tree: Tree
    product: ArrayValue
    target: Access
    #: If there is one, `target` has these instead of the results.
    pooled: Pooled | None = None

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield self.scratch
        yield self.source
        yield self.panels
        yield from self.tree.leaves.values()


def pooled_sizes(sizes: Sizes, pooled: Pooled | None) -> Sizes:
    """Return how many results there are along each axis of a domain, or rectangles of them."""
    strides = (1,) * len(sizes) if pooled is None else pooled.strides
    return tuple(size // stride for size, stride in zip(sizes, strides, strict=True))
