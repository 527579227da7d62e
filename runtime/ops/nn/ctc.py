"""Connectionist temporal classification."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, TensorType, unknown_shape
from hybridlint.runtime.ops.type_rules import require_equal, require_rank


def _infer(
    data: TensorType, label: TensorType, *lengths: TensorType, blank_label: str
) -> tuple[TensorType, TensorType]:
    if blank_label not in {"first", "last"}:
        raise InferError("blank_label", f"expected 'first' or 'last', got {blank_label!r}")
    require_rank(data, [3])
    require_rank(label, [2], "label")
    _, batch, _ = data.shape or unknown_shape(3)
    if label.shape is not None:
        require_equal(batch, label.shape[0], "label", "number of sequences")
    return data.with_shape((batch,)), data


def _active(*, use_data_lengths: bool, use_label_lengths: bool) -> tuple[str, ...]:
    chosen = [("data_lengths", use_data_lengths), ("label_lengths", use_label_lengths)]
    return ("data", "label", *(name for name, used in chosen if used))


def _label_lengths(xp: Any, label: Any, blank_label: str) -> Any:
    """Return the number of labels before the first padding label, which is 0 or -1, depending on `blank_label`."""
    padding = label == 0 if blank_label == "first" else label < 0
    return xp.where(padding.any(axis=1), padding.argmax(axis=1), label.shape[1])


def _add_logs(xp: Any, *terms: Any) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = xp.logaddexp(total, term)
    return total


def _shifted(xp: Any, values: Any, by: int) -> Any:
    """Return the values with columns shifted to the right (left if `by` is negative), filled with -inf."""
    result = xp.full_like(values, -xp.inf)
    if by > 0:
        result[:, by:] = values[:, :-by]
    else:
        result[:, :by] = values[:, -by:]
    return result


class _Lattice:
    """The states of each sequence: its labels with a blank between, before and after them."""

    def __init__(self, xp: Any, scores: Any, label: Any, label_lengths: Any, data_lengths: Any, blank: int) -> None:
        batch, most = label.shape
        self.xp = xp
        self.states = xp.full((batch, 2 * most + 1), blank, dtype="int64")
        self.states[:, 1::2] = xp.where(xp.arange(most)[None, :] < label_lengths[:, None], label, blank)
        self.scores = xp.take_along_axis(scores, self.states[None], 2)
        self.ends = data_lengths
        places = xp.arange(2 * most + 1)[None, :]
        last = 2 * label_lengths[:, None]
        self.final = (places == last) | ((places == last - 1) & (last > 0))
        skipped = xp.full_like(self.states, blank)
        skipped[:, 2:] = self.states[:, :-2]
        self.jumps = xp.where((self.states != blank) & (self.states != skipped) & (places >= 2), 0.0, -xp.inf)

    def forward(self) -> tuple[list[Any], Any]:
        """Return the log probabilities of reaching each state at each time, and those of the whole label sequences."""
        xp = self.xp
        steps = [xp.where(xp.arange(self.states.shape[1])[None, :] < 2, self.scores[0], -xp.inf)]
        for t in range(1, len(self.scores)):
            before = steps[-1]
            reached = _add_logs(xp, before, _shifted(xp, before, 1), _shifted(xp, before, 2) + self.jumps)
            steps.append(xp.where(t < self.ends[:, None], reached + self.scores[t], before))
        ended = xp.where(self.final, steps[-1], -xp.inf)
        peak = ended.max(axis=1)
        held = xp.where(xp.isinf(peak), 0.0, peak)
        return steps, held + xp.log(xp.exp(ended - held[:, None]).sum(axis=1))

    def backward(self) -> list[Any]:
        """Return, for each time, the log probability of completing the sequence from each state."""
        xp = self.xp
        rest = xp.full(self.states.shape, -xp.inf)
        steps = []
        jumps = _shifted(xp, self.jumps, -2)
        for t in reversed(range(len(self.scores))):
            if t + 1 < len(self.scores):
                ahead = rest + self.scores[t + 1]
                rest = _add_logs(xp, ahead, _shifted(xp, ahead, -1), _shifted(xp, ahead, -2) + jumps)
            here = xp.where(self.final, 0.0, -xp.inf)
            rest = xp.where(t == self.ends[:, None] - 1, here, xp.where(t < self.ends[:, None], rest, -xp.inf))
            steps.append(rest)
        return steps[::-1]


@op(
    name="CTCLoss",
    facts=Facts(output_names=("output0",)),
    aliases=("ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss"),
    infer=_infer,
    grad=lambda F, g, ins, outs: (F.Reshape(g, shape=(1, -1, 1)) * outs[1], *(None for _ in ins[1:])),
    active_inputs=_active,
    outputs=2,
    visible=1,
    samples=[
        sample((4, 2, 3), (2, 2), low=1.0, high=2.0, dtypes=("float32", "int32")),
        sample((5, 2, 3), (2, 2), low=0.0, high=1.0, dtypes=("float32", "int32"), blank_label="last"),
    ],
)
def ctc_loss(
    xp: Any,
    data: Any,
    label: Any,
    data_lengths: Any = None,
    label_lengths: Any = None,
    /,
    *,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal["first", "last"] = "first",
) -> tuple[Any, Any]:
    """Return the negative log probability of the labels (N, L) under the softmax of the data (T, N, C).

    The result has shape (N,). The blank is class 0 (padding of labels: 0) or the last class (padding: -1). Labels too
    long for their data have loss 0. The hidden second output is the gradient with respect to the data.
    """
    time, batch, classes = data.shape
    wide = data.astype("float64")
    scores = wide - wide.max(axis=2, keepdims=True)
    scores -= xp.log(xp.exp(scores).sum(axis=2, keepdims=True))
    labels = label.astype("int64")
    counts = label_lengths if use_label_lengths else _label_lengths(xp, labels, blank_label)
    ends = data_lengths if use_data_lengths else xp.full(batch, time)
    blank = 0 if blank_label == "first" else classes - 1
    lattice = _Lattice(xp, scores, labels, counts.astype("int64"), ends.astype("int64"), blank)
    forward, total = lattice.forward()
    possible = xp.isfinite(total)
    loss = xp.where(possible, -total, 0)
    gradient = _gradient(xp, scores, lattice, forward, xp.where(possible, total, 0))
    return loss.astype(data.dtype), (gradient * possible[None, :, None]).astype(data.dtype)


def _gradient(xp: Any, scores: Any, lattice: _Lattice, forward: list[Any], total: Any) -> Any:
    result = xp.zeros_like(scores)
    rows = xp.arange(scores.shape[1])[:, None]
    for t, (ahead, behind) in enumerate(zip(forward, lattice.backward(), strict=True)):
        share = xp.zeros_like(scores[t])
        xp.add.at(share, (rows, lattice.states), xp.exp(ahead + behind - total[:, None]))
        result[t] = xp.where(t < lattice.ends[:, None], xp.exp(scores[t]) - share, 0)
    return result
