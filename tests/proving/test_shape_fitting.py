"""Sizes of images that only a network knows: fitted to its graph, without running it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.candidate_queue import first_fitting, repair_inputs
from hybridlint.proving.child.inputs.graph.shape_trial import ShapeTrial
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.inputs.source.pyramids import pyramids
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, ValueSpec, show
from hybridlint.runtime.gluon import nn

Prove = Callable[..., dict[str, ProofOutcome]]
IMAGE: dict[str, Spec] = {"x": TensorSpec(("N", 3, "H", "W"))}
SIZES = {"N": 2, "H": 8, "W": 10, "D": 6}


class Windowed(nn.HybridBlock):
    """A window that small images leave nothing for; the number of runs is counted."""

    runs = 0

    def __init__(self, window: int = 7) -> None:
        super().__init__()
        self.narrow = nn.Conv2D(4, 3, strides=4, padding=1)
        self.pool = nn.AvgPool2D(window)

    def hybrid_forward(self, F: Any, x: Any, scale: Any = None) -> Any:
        """(N, C, H, W) -> (N, 4, H', W')."""
        Windowed.runs += isinstance(x, mx.nd.NDArray)
        return self.pool(self.narrow(x)) if scale is None else [self.pool(self.narrow(x)), scale * 2]


class OnData(nn.HybridBlock):
    """It has no graph: what it computes depends on its data."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return twice the data where they are positive."""
        return 2 * x if x.asnumpy().sum() > 0 else x


def _world() -> LoadedModule:
    import sys

    return LoadedModule(mx, sys.modules[__name__])


# -- the graph tells


def test_a_graph_tells_what_shapes_contradict() -> None:
    sketch = ShapeTrial(_world(), Windowed, __file__, eager=True)
    built = ConstructorArguments([], {"window": "5"})
    found = sketch.failure(built, IMAGE, SIZES)
    assert found is not None
    assert "the window of 5 exceeds the input of 2" in found.sentence
    assert sketch.failure(built, IMAGE, {"N": 2, "H": 20, "W": 24}) is None
    assert Windowed.runs == 0


def test_inputs_that_are_no_arrays_and_lists_go_into_the_graph() -> None:
    sketch = ShapeTrial(_world(), Windowed, __file__, eager=True)
    given: dict[str, Spec] = {**IMAGE, "scale": ValueSpec("None")}
    assert sketch.knows(ConstructorArguments([], {}), given)
    assert (
        sketch.failure(ConstructorArguments([], {"window": "1"}), {**IMAGE, "scale": TensorSpec(("N", 2))}, SIZES)
        is None
    )


def test_large_images_only_go_where_nothing_runs() -> None:
    failed = Failure("data: sizes along dimension 2 must agree: expected 1, got 60", None)
    running = repair_inputs(IMAGE, failed, set(), lambda _inputs: SIZES, 20)
    fitting = repair_inputs(IMAGE, failed, set(), lambda _inputs: SIZES, 20, large=True)
    assert "(N, 3, 480, 600)" in [show(inputs["x"]) for inputs in fitting]
    assert not any(spatial_sizes.large(inputs) for inputs in running)


def test_what_has_no_graph_contradicts_nothing() -> None:
    sketch = ShapeTrial(_world(), OnData, __file__, eager=True)
    assert not sketch.knows(ConstructorArguments([], {}), IMAGE)
    assert sketch.failure(ConstructorArguments([], {}), IMAGE, SIZES) is None


def test_shapes_are_fitted_before_anything_runs() -> None:
    sketch = ShapeTrial(_world(), Windowed, __file__, eager=True)
    built = ConstructorArguments([], {})
    failed = sketch.failure(built, IMAGE, SIZES)
    assert failed is not None
    line = repair_inputs(IMAGE, failed, set(), lambda _inputs: SIZES, 20)
    found = first_fitting(line, lambda inputs: sketch.failure(built, inputs, SIZES), float("inf"))
    assert found is not None
    assert sketch.failure(built, found, SIZES) is None
    assert show(found["x"]) == "(N, 3, 28, 35)"
    assert Windowed.runs == 0


def test_repairs_are_made_when_their_turn_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def endless(*_arguments: object) -> Iterator[dict[str, Spec]]:
        for size in itertools.count(1):
            made.append(size)
            yield {"x": TensorSpec(("N", size))}

    monkeypatch.setattr("hybridlint.proving.child.inputs.candidate_queue.repair_by_error", endless)
    line = repair_inputs(IMAGE, Failure("they do not fit", None), set(), lambda _inputs: SIZES)
    assert [show(next(line)["x"]) for _ in range(3)] == ["(N, 1)", "(N, 2)", "(N, 3)"]
    assert made == [1, 2, 3]


def test_nothing_is_fitted_when_time_is_up() -> None:
    line = repair_inputs(
        IMAGE, Failure("kernel: the window of 7 exceeds the input of 2", None), set(), lambda _inputs: SIZES
    )
    assert first_fitting(line, lambda _inputs: None, deadline=0.0) is None


# -- sizes


@pytest.mark.parametrize(
    ("sentence", "pairs", "shapes"),
    [
        ("the window of 7 exceeds the input of 2 padded by 0", [], ["(N, 3, 28, 35)", "(N, 3, 28, 28)"]),
        ("the window of 7 exceeds the input of 2 padded by 1", [], ["(N, 3, 14, 18)", "(N, 3, 14, 14)"]),
        ("kernel size (6) exceeds input (1 padded to 3)", [], ["(N, 3, 16, 20)", "(N, 3, 16, 16)"]),
        ("the window of 3 exceeds the input of 0 padded by 0", [], ["(N, 3, 16, 20)", "(N, 3, 16, 16)"]),
        ("sizes 1 and 60 do not broadcast", [(1, 60)], ["(N, 3, 480, 600)", "(N, 3, 480, 480)", "(N, 3, 62, 78)"]),
        ("(2, 4, 6, 8) cannot be reshaped to (2, 4, 24, 24)", [(6, 24), (8, 24)], ["(N, 3, 26, 26)", "(N, 3, 26, 28)"]),
        # What is flattened is 25 times as large where an image is 5 times as wide and high.
        ("expected shape (4, 50), got (4, 2)", [(2, 50)], ["(N, 3, 40, 50)", "(N, 3, 40, 40)"]),
        ("sizes 60 and 1 do not broadcast", [(60, 1)], ["(N, 3, 1, 1)"]),
        ("some other error", [], []),
    ],
)
def test_what_is_left_of_an_image_grows_with_it(sentence: str, pairs: list[tuple[int, int]], shapes: list[str]) -> None:
    found = [show(inputs["x"]) for inputs in spatial_sizes.scale_images(IMAGE, SIZES, sentence, pairs)]
    assert set(shapes) <= set(found)
    assert bool(found) is bool(shapes)


def test_frames_have_a_size_of_their_own() -> None:
    clip: dict[str, Spec] = {"x": TensorSpec(("N", 3, 4, "H", "W"))}
    found = [
        show(i["x"]) for i in spatial_sizes.scale_images(clip, SIZES, "the window of 2 exceeds the input of 1", [])
    ]
    assert found[:3] == ["(N, 3, 4, 16, 20)", "(N, 3, 8, H, W)", "(N, 3, 8, 16, 20)"]


def test_several_images_change_together_and_alone() -> None:
    inputs: dict[str, Spec] = {**IMAGE, "y": [TensorSpec(("N", 3, 4, 4))], "label": TensorSpec(("N",))}
    found = [
        {name: show(spec) for name, spec in changed.items()}
        for changed in spatial_sizes.scale_images(inputs, SIZES, "the window of 2 exceeds the input of 1", [])
    ]
    assert found[0] == {"x": "(N, 3, 16, 20)", "y": "[(N, 3, 8, 8)]", "label": "(N,)"}
    assert found[1]["y"] == "[(N, 3, 4, 4)]"
    assert found[2]["x"] == "(N, 3, H, W)"


def test_sizes_that_are_in_use() -> None:
    assert [show(inputs["x"]) for inputs in spatial_sizes.usual(IMAGE)][:2] == ["(N, 3, 32, 32)", "(N, 3, 64, 64)"]
    assert not list(spatial_sizes.usual({"x": TensorSpec(("N", 4))}))


def test_smaller_images() -> None:
    found = [show(inputs["x"]) for inputs in spatial_sizes.smaller({"x": TensorSpec(("N", 3, 400, 500))}, SIZES)]
    assert found[0] == "(N, 3, 100, 125)"
    assert found[-1] == "(N, 3, 360, 450)"


@pytest.mark.parametrize(
    ("shape", "large"),
    [(("N", 3, 480, 480), True), (("N", 3, 64, 64), False), (("N", 2048, 60, 60), True), (("N", 512), False)],
)
def test_what_takes_long(shape: tuple[int | str, ...], large: bool) -> None:
    assert spatial_sizes.large({"x": TensorSpec(shape)}) is large


# -- feature maps


def test_one_feature_map_for_each_number_of_channels() -> None:
    class Decoder(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.channels = [8, 16, 32]
            self.rates = (0.1, 0.2)
            self.count = 3

    found = list(pyramids(Decoder(), ["maps", "x"], {"maps"}))
    assert [{name: show(spec) for name, spec in inputs.items()} for inputs in found] == [
        {"maps": "[(N, 8, 8, 8), (N, 16, 4, 4), (N, 32, 2, 2)]", "x": "(N, 8, 8, 8)"}
    ]
    assert not list(pyramids(Decoder(), ["x"], {"maps"}))


# -- whole blocks


def test_blocks_whose_sizes_their_layers_know(prove: Prove) -> None:
    outcomes = prove(
        """
        class Pooled(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2D(4, 3, strides=4, padding=1)
                self.pool = nn.AvgPool2D(7)
                self.head = nn.Dense(2, in_units=4)

            def hybrid_forward(self, F, x):
                return self.head(self.pool(self.stem(x)))

        class Merged(nn.HybridBlock):
            def __init__(self, channels, crop_size=480):
                super().__init__()
                self.stem = nn.Conv2D(channels, 3, strides=8, padding=1)
                self.size = crop_size // 8

            def hybrid_forward(self, F, x):
                x = self.stem(x)
                far = F.mean(x, axis=(2, 3), keepdims=True)
                return F.concat(x, F.contrib.BilinearResize2D(far, height=self.size, width=self.size), dim=1)

        class OneByOne(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2D(4, 3)

            def hybrid_forward(self, F, x):
                return self.stem(x).reshape((1, 4, 24, 24)).sum(axis=1)

        class Decoder(nn.HybridBlock):
            def __init__(self, channels=(4, 8, 16)):
                super().__init__()
                self.channels = channels
                self.low = nn.Conv2D(8, 1, in_channels=channels[-1])

            def hybrid_forward(self, F, features):
                low = F.UpSampling(self.low(features[-1]), scale=2, sample_type="nearest")
                return F.concat(low, features[1], dim=1)
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Pooled"].setup == "() on x (N, 3, H, W)"
    assert outcomes["Merged"].setup == "(channels=4, crop_size=120) on x (N, 3, 120, 120)"
    assert outcomes["OneByOne"].setup == "() on x (N, 3, 26, 26)"
    assert [dict(sizes) for sizes in outcomes["OneByOne"].rounds] == [{"N": 1}]
    assert outcomes["Decoder"].setup == "() on features [(N, 4, 8, 8), (N, 8, 4, 4), (N, 16, 2, 2)]"


def test_a_graph_that_ends_the_process_refutes_only_what_is_compiled(prove: Prove) -> None:
    outcomes = prove(
        """
        class Ends(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.pool = nn.AvgPool2D(12)

            def hybrid_forward(self, F, x):
                if F is mx.sym:
                    os._exit(3)
                return self.pool(x)
        """
    )
    assert outcomes["Ends"].status is ProofStatus.REFUTED
    assert "it ended the process with exit status 3" in outcomes["Ends"].reason
