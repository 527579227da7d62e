"""What the source implies about inputs, followed into helpers and children that they are passed to."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.passed_inputs import with_later_names
from hybridlint.proving.child.inputs.source.input_flow import passed_on
from hybridlint.proving.child.inputs.source.ranks import implied_facts
from hybridlint.proving.child.inputs.source.usage import usage
from hybridlint.proving.child.specs.spec import TensorSpec
from hybridlint.runtime import gluon
from hybridlint.runtime.gluon import nn

Prove = Callable[..., dict[str, ProofOutcome]]


def helper(F: Any, table: Any) -> Any:
    """A function of the module."""
    return F.log(table) + F.transpose(table, (1, 0, 2))


class Words(gluon.HybridBlock):
    """A child that embeds words."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(7, 3)

    def hybrid_forward(self, F: Any, words: Any) -> Any:
        """Embed."""
        return self.embed(words)


class Net(gluon.HybridBlock):
    """A block that hands its inputs on."""

    def __init__(self) -> None:
        super().__init__()
        self.words = Words()
        self.body = nn.HybridSequential()
        self.body.add(nn.Activation("relu"), nn.Conv1D(4, 3, in_channels=5))
        self.cells = nn.HybridSequential()
        self.cells.add(nn.Dense(3, in_units=6))

    def sizes(self, clip: Any) -> Any:
        """A helper that unpacks a shape."""
        _, _, _, height, width = clip.shape
        return height * width

    def hybrid_forward(  # noqa: PLR0917
        self, F: Any, ids: Any, wave: Any, clip: Any, table: Any, row: Any, plain: Any, states: Any
    ) -> Any:
        """Pass all inputs on."""
        for cell, _state in zip(self.cells, states, strict=False):
            row = cell(row)
        first = self.words(ids), self.body(wave), self.sizes(clip), helper(F, table)
        plain = plain.mean(axis=1)
        return first, row, plain.sum(axis=3)


@pytest.mark.parametrize(
    ("name", "least", "most"), [("wave", 3, 3), ("clip", 5, 5), ("table", 3, 3), ("plain", 2, 9), ("ids", 2, 9)]
)
def test_dimensions_follow_from_helpers_children_and_layers(name: str, least: int, most: int) -> None:
    net = Net()
    known = implied_facts(net, net.hybrid_forward)[name]
    assert (known.least, known.most) == (least, most)


def test_the_first_layer_that_gets_an_input_says_what_it_takes() -> None:
    net = Net()
    known = implied_facts(net, net.hybrid_forward)
    assert known["wave"].specs == (TensorSpec(("N", 5, "H")),)
    assert known["row"].specs == (TensorSpec(("N", 6)),)


def test_what_children_do_with_an_input() -> None:
    net = Net()
    found = usage(net, net.hybrid_forward)
    assert found.indices == {"ids": 7}
    assert "table" in found.positive


def test_calls_bind_arguments_by_place_and_without_the_namespace_for_children() -> None:
    net = Net()
    names = [call.names for call in passed_on(net, net.hybrid_forward)]
    assert {"words": "ids"} in names
    assert {"table": "table"} in names
    assert {"clip": "clip"} in names


class Heir(Words):
    """A child that leaves the work to its base."""

    def hybrid_forward(self, F: Any, tokens: Any) -> Any:
        """Embed."""
        return super().hybrid_forward(F, tokens)


def test_the_namespace_is_handed_to_a_base_but_is_no_input() -> None:
    heir = Heir()
    assert [call.names for call in passed_on(heir, heir.hybrid_forward)] == [{"words": "tokens"}]
    assert usage(heir, heir.hybrid_forward).indices == {"tokens": 7}


def once(x: Any, mask: Any = None) -> Any:
    """An argument that is assigned anew, and one that may be."""
    if mask is None:
        mask = x
    x = x + 1
    return x, mask


def test_an_argument_has_another_name_once_it_is_assigned() -> None:
    tree = with_later_names(ast.parse(inspect.getsource(once)))
    returned = next(node for node in ast.walk(tree) if isinstance(node, ast.Return))
    assert [node.id for node in ast.walk(returned) if isinstance(node, ast.Name)] == ["x'", "mask"]


def test_a_rank_that_only_a_child_reads(prove: Prove) -> None:
    found = prove(
        """
        class Clips(gluon.HybridBlock):
            def start(self, F, x):
                n, _, _, h, w = x.shape
                return F.zeros((n, 4, h, w))

            def hybrid_forward(self, F, x):
                return F.mean(x, axis=1).sum() + self.start(F, x).sum()

        class Model(gluon.HybridBlock):
            def __init__(self):
                super().__init__()
                self.clips = Clips()

            def hybrid_forward(self, F, x, target):
                return self.clips(x) + F.abs(target).sum()
        """
    )
    assert found["Model"].status is ProofStatus.REFUTED
    assert "Symbol' object has no attribute 'shape'" in found["Model"].reason
