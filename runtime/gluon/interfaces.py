"""The interface of blocks for their helpers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections import OrderedDict
    from collections.abc import Callable, Mapping, Sequence

    from hybridlint.runtime.gluon.hooks import HookHandle
    from hybridlint.runtime.gluon.param_dict import ParameterDict
    from hybridlint.runtime.gluon.structure import Format
    from hybridlint.runtime.symbol.symbol import Symbol


class NamedBlock(Protocol):
    """A block with the names of itself and of its parameters."""

    _name: str
    _empty_prefix: bool

    @property
    def name(self) -> str:
        """The name, without the underscore at the end of the prefix."""

    @property
    def prefix(self) -> str:
        """The text before the names of the block's children and parameters."""

    @property
    def params(self) -> ParameterDict:
        """The block's own parameters."""


class NestedBlock(NamedBlock, Protocol):
    """A block with children, called on arrays."""

    #: Whether a summary has a row for the block; otherwise for its children alone.
    _has_summary_row_: bool
    _children: OrderedDict[str, Any]

    @property
    def _reg_params(self) -> Mapping[str, Any]:
        """The block's own parameters, by attribute."""

    def __call__(self, *args: Any) -> Any:
        """Return the outputs."""

    def apply(self, fn: Callable[[Any], object]) -> Any:
        """Call a function on the block and all blocks below."""

    def register_forward_hook(self, hook: Any) -> HookHandle:
        """Let a function be called with the block, its inputs and its outputs after each call."""

    def save_parameters(self, filename: str) -> None:
        """Write the parameters to a file."""

    def load_parameters(self, filename: str) -> None:
        """Read the parameters from a file."""


class TraceData(Protocol):
    """The graph of a block, and the formats of nested inputs and outputs."""

    @property
    def inputs(self) -> Sequence[Symbol]:
        """The variables that represent the inputs."""

    @property
    def graph(self) -> Symbol:
        """The outputs."""

    @property
    def in_format(self) -> Format:
        """The nesting of the inputs."""

    @property
    def out_format(self) -> Format:
        """The nesting of the outputs."""


@runtime_checkable
class TracedBlock(Protocol):
    """A block that is traced into a graph."""

    _trace_: TraceData | None

    def _restore_(self, inputs: Sequence[Symbol], graph: Symbol, in_format: Format, out_format: Format) -> None:
        """Take a graph that was saved in place of a trace, and hybridize the block."""
