"""Batches that hold several frames or views of each item, and channels of which a share is taken."""

from __future__ import annotations

from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.repairs.divided_axes import divide_axes
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, names, number
from tests.proving.conftest import Prove


def _offered(sentence: str, *shapes: tuple[int | str, ...]) -> list[str]:
    inputs: dict[str, Spec] = {f"x{k}": TensorSpec(shape) for k, shape in enumerate(shapes)}
    found = divide_axes(inputs, {"N": 2}, Failure(sentence, None))
    return [", ".join(map(str, offered.values())) for offered in found]


def test_a_batch_is_a_multiple_of_the_parts_of_a_reshape() -> None:
    assert _offered("2 elements do not divide into 5", ("N", 3)) == ["(5N, 3)"]
    assert _offered("12 elements do not divide into 18", ("N", 4)) == ["(3N, 4)"]
    assert _offered("(2, 6) does not divide by 18", ("N", 4)) == ["(3N, 4)"]
    assert _offered("2 elements do not divide into 5", ("N", 3), ("N",)) == [
        "(5N, 3), (N,)",
        "(N, 3), (5N,)",
        "(5N, 3), (5N,)",
    ]
    assert _offered("2 elements do not divide into 5", (4, 3)) == []


def test_channels_of_which_nothing_is_left_become_more() -> None:
    empty = "inferring shapes failed: without numpy shapes a size of 0 is an unknown one"
    assert _offered(empty, ("N", 3, "H", "W"), ("N", 3)) == ["(N, 16, H, W), (N, 3)"]
    assert _offered(empty, ("N", 32, "H", "W")) == []


def test_a_multiple_has_the_numbers_of_its_name() -> None:
    assert names([TensorSpec(("4N", "T"))]) == ["N", "T"]
    assert (number("4N", {"N": 3}), number("N", {"N": 3}), number(7, {})) == (12, 3, 7)


def test_frames_of_clips_are_proved_with_several_batches(prove: Prove) -> None:
    outcome = prove(
        """
        class Consensus(nn.HybridBlock):
            def __init__(self, frames=4):
                super().__init__()
                self.frames = frames
                self.score = nn.Dense(3)

            def hybrid_forward(self, F, clips):
                return F.reshape(self.score(clips), shape=(-1, self.frames, 3)).max(axis=1)
        """
    )["Consensus"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())
    assert outcome.setup == "() on clips (4N, 4)"


def test_a_directive_may_name_a_multiple_of_the_batch(prove: Prove) -> None:
    outcome = prove(
        """
        # hybridlint: verify(views=("3N", 4))
        class Views(nn.HybridBlock):
            def hybrid_forward(self, F, views):
                return F.reshape(views, shape=(-4, -1, 3, 0)).mean(axis=1)
        """
    )["Views"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())
    assert outcome.setup is not None
    assert "(3N, 4)" in outcome.setup
