"""Cells composed of cells: stacked, or bidirectional."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.plain_block import Block, indent
from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell
from hybridlint.runtime.gluon.rnn.steps import arrange, mask, reverse

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Stacked(RecurrentCell):
    """Base of both stacks of cells."""

    def add(self, cell: Block) -> None:
        """Append a cell."""
        self.register_child(cell)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the states of all cells."""
        return [info for cell in self._cells_ for info in cell.state_info(batch_size)]

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """Return the initial states of all cells."""
        if self._modified:
            raise AssertionError("After applying modifier cells the base cell cannot be called directly.")
        return [state for cell in self._cells_ for state in cell.begin_state(**kwargs)]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Unroll each cell over the outputs of the previous one."""
        self.reset()
        steps = arrange(length, inputs, layout, merge=False)
        states = self._first_states_(steps, begin_state)
        value, last, at = steps.value, [], 0
        for k, cell in enumerate(self._cells_):
            count = len(cell.state_info())
            value, new = cell.unroll(
                length,
                value,
                states[at : at + count],
                layout,
                merge_outputs if k == len(self) - 1 else None,
                valid_length,
            )
            at += count
            last.extend(new)
        return value, last

    def _run_(self, x: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        last: list[Any] = []
        at = 0
        for cell in self._cells_:
            count = len(cell.state_info())
            x, new = cell(x, list(states[at : at + count]))
            at += count
            last.extend(new)
        return x, last

    @property
    def _cells_(self) -> list[Any]:
        cells = list(self._children.values())
        if any(isinstance(cell, BidirectionalCell) for cell in cells) and self._counter >= 0:
            raise AssertionError("Bidirectional cells cannot be stepped. Please use unroll")
        return cells

    def __len__(self) -> int:
        return len(self._children)

    def __getitem__(self, index: int) -> Block:
        return list(self._children.values())[index]

    def __repr__(self) -> str:
        lines = [f"({key}): {indent(repr(cell), 2)}" for key, cell in self._children.items()]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"


class SequentialRNNCell(_Stacked):
    """Runs cells one after the other in each step."""

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Run one step."""
        return super().__call__(inputs, states)

    def forward(self, inputs: Any, states: Any) -> Any:
        """Return the output of the last cell and the states of all."""
        self._counter += 1
        return self._run_(inputs, states)


class HybridSequentialRNNCell(_Stacked, HybridRecurrentCell):
    """Runs hybrid cells one after the other in each step."""

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Run one step."""
        return super().__call__(inputs, states)

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return the output of the last cell and the states of all."""
        return self._run_(inputs, states)


class BidirectionalCell(HybridRecurrentCell):
    """Runs one cell forward and one backward in time and joins their outputs. It can only be unrolled."""

    def __init__(self, l_cell: RecurrentCell, r_cell: RecurrentCell, output_prefix: str = "bi_") -> None:
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Raise NotImplementedError: a bidirectional cell has no single steps."""
        raise NotImplementedError("Bidirectional cannot be stepped. Please use unroll")

    @property
    def _pair_(self) -> tuple[Any, Any]:
        return self._children["l_cell"], self._children["r_cell"]

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the states of both cells."""
        return [info for cell in self._pair_ for info in cell.state_info(batch_size)]

    def begin_state(self, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """Return the initial states of both cells."""
        if self._modified:
            raise AssertionError("After applying modifier cells the base cell cannot be called directly.")
        return [state for cell in self._pair_ for state in cell.begin_state(**kwargs)]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Run both cells over all steps; return the joined outputs and the last states of both."""
        self.reset()
        steps = arrange(length, inputs, layout, merge=False)
        F, states = steps.F, self._first_states_(steps, begin_state)
        left, right = self._pair_
        count = len(left.state_info())
        backwards = reverse(F, steps.value, length, valid_length)
        l_out, l_states = left.unroll(length, steps.value, states[:count], layout, merge_outputs, valid_length)
        r_out, r_states = right.unroll(length, backwards, states[count:], layout, False, valid_length)
        r_steps = reverse(F, arrange(length, r_out, layout, merge=False).value, length, valid_length)
        if merge_outputs is None:
            merge_outputs = isinstance(l_out, arrays.tensor_types)
        l_out = arrange(length, l_out, layout, merge_outputs).value
        joined = arrange(length, r_steps, layout, merge_outputs).value
        if merge_outputs:
            outputs: Any = F.concat(l_out, joined, dim=2, name=self._output_prefix + "out")
        else:
            pairs = enumerate(zip(l_out, joined, strict=True))
            outputs = [F.concat(a, b, dim=1, name=f"{self._output_prefix}t{k}") for k, (a, b) in pairs]
        if valid_length is not None:
            outputs = mask(F, outputs, length, valid_length, steps.axis, merge_outputs)
        return outputs, [*l_states, *r_states]

    def __repr__(self) -> str:
        left, right = self._pair_
        return f"{type(self).__name__}(forward={left}, backward={right})"
