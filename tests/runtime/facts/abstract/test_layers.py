"""What is known of layers without arrays is what running them gives, for every layer that Gluon exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.facts.abstract.arguments import UNKNOWN
from hybridlint.runtime.facts.abstract.layers import Layer, layer, layer_of_any
from hybridlint.runtime.facts.abstract.loading import layer_names
from hybridlint.runtime.facts.dims import Dim, DimLike, differ
from hybridlint.runtime.facts.types import Shape, TensorType
from hybridlint.runtime.gluon import contrib, loss, nn, rnn
from tests.batches import batched

_MODULES = (nn, rnn, contrib.nn, contrib.cnn, contrib.rnn, loss)


@dataclass(frozen=True)
class Case:
    """A layer, what it is built with, and the shape of what it is given; `inner` are the cells that it changes."""

    name: str
    values: tuple[Any, ...]
    given: tuple[int, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    inner: tuple[Case, ...] = ()

    def __str__(self) -> str:
        named = (f"{key}={value}" for key, value in self.keywords.items())
        return f"{self.name}({', '.join([*map(str, self.inner), *map(str, self.values), *named])}) of {self.given}"


def case(name: str, *values: Any, of: tuple[int, ...], inner: tuple[Case, ...] = (), **keywords: Any) -> Case:
    return Case(name, values, of, keywords, inner)


_IMAGES = {1: (2, 4, 9), 2: (2, 4, 9, 8), 3: (2, 4, 9, 8, 7)}
_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def _convolutions() -> Iterator[Case]:
    for rank, image in _IMAGES.items():
        name = f"Conv{rank}D"
        yield case(name, 6, 3, of=image)
        yield case(name, 6, kernel_size=(3,) * rank, strides=2, padding=1, of=image)
        yield case(name, 6, 2, dilation=2, groups=2, use_bias=False, activation="relu", of=image)
        yield case(name, 6, 1, in_channels=4, of=image)
        yield case(f"{name}Transpose", 6, 3, of=image)
        yield case(f"{name}Transpose", 6, 3, strides=2, padding=1, output_padding=1, of=image)
        yield case(f"{name}Transpose", 6, 2, dilation=2, groups=2, activation="relu", of=image)
    yield case("Conv2D", 6, (3, 2), (2, 1), layout="NHWC", of=(2, 9, 8, 4))
    yield case("Conv3D", 6, 2, layout="NDHWC", of=(2, 9, 8, 7, 4))
    yield case("Conv2DTranspose", 6, (3, 2), (2, 1), layout="NHWC", of=(2, 9, 8, 4))
    for name in ("DeformableConvolution", "ModulatedDeformableConvolution"):
        yield case(name, 6, (3, 3), of=_IMAGES[2])
        yield case(name, 6, (3, 3), (2, 2), (1, 1), num_deformable_group=2, use_bias=False, of=_IMAGES[2])


def _poolings() -> Iterator[Case]:
    for rank, image in _IMAGES.items():
        last = (image[0], *image[2:], image[1])
        for kind in ("Max", "Avg"):
            name = f"{kind}Pool{rank}D"
            yield case(name, of=image)
            yield case(name, 3, 2, of=image)
            yield case(name, pool_size=3, strides=2, padding=1, of=image)
            yield case(name, 3, strides=2, ceil_mode=True, of=image)
            yield case(name, 2, layout=_LAST[rank], of=last)
            yield case(f"Global{kind}Pool{rank}D", of=image)
            yield case(f"Global{kind}Pool{rank}D", layout=_LAST[rank], of=last)


def _plain() -> Iterator[Case]:
    flat, image = (2, 5), _IMAGES[2]
    yield case("Dense", 3, of=image)
    yield case("Dense", 3, flatten=False, of=image)
    yield case("Dense", 3, activation="tanh", use_bias=False, in_units=5, of=flat)
    yield case("Flatten", of=image)
    yield case("Embedding", 7, 3, of=flat)
    yield case("SparseEmbedding", 7, 3, of=flat)
    yield case("Dropout", 0.5, of=image)
    yield case("Dropout", 0, of=image)
    yield case("Dropout", 0.5, axes=(1,), of=image)
    yield case("LayerNorm", of=image)
    yield case("LayerNorm", 1, in_channels=4, of=image)
    for name in ("BatchNorm", "BatchNormReLU", "InstanceNorm", "SyncBatchNorm"):
        yield case(name, of=image)
        yield case(name, in_channels=4, of=image)
    yield case("BatchNorm", axis=3, of=image)
    yield case("BatchNorm", use_global_stats=True, scale=False, of=image)
    yield case("SyncBatchNorm", use_global_stats=True, of=image)
    yield case("InstanceNorm", axis=2, of=image)
    yield case("GroupNorm", 2, of=image)
    yield from (case("Activation", kind, of=image) for kind in ("relu", "softsign"))
    yield case("LeakyReLU", 0.1, of=image)
    yield from (case(name, of=image) for name in ("PReLU", "ELU", "SELU", "GELU", "Swish", "Identity"))
    yield case("ReflectionPad2D", 2, of=image)
    yield case("ReflectionPad2D", (0, 0, 0, 0, 1, 2, 3, 4), of=image)
    yield case("PixelShuffle1D", 2, of=(2, 4, 9))
    yield case("PixelShuffle2D", (2, 1), of=image)
    yield case("PixelShuffle3D", (2, 1, 2), of=_IMAGES[3])


def _recurrent() -> Iterator[Case]:
    sequence, step = (5, 2, 3), (2, 3)
    for name in ("RNN", "LSTM", "GRU"):
        yield case(name, 4, of=sequence)
        yield case(name, 4, 2, layout="NTC", bidirectional=True, dropout=0.5, of=sequence)
        yield case(name, 4, input_size=3, of=sequence)
    yield case("LSTM", 4, projection_size=2, of=sequence)
    cells = [case(name, 3, of=step) for name in ("RNNCell", "LSTMCell", "GRUCell")]
    yield from cells
    yield case("RNNCell", 4, "relu", input_size=3, of=step)
    yield case("LSTMPCell", 4, 2, of=step)
    yield case("DropoutCell", 0.5, of=step)
    yield case("DropoutCell", 0, of=step)
    yield case("ResidualCell", of=step, inner=(cells[1],))
    yield case("ZoneoutCell", 0.5, 0.5, of=step, inner=(cells[0],))
    yield case("ZoneoutCell", of=step, inner=(cells[0],))
    yield case("VariationalDropoutCell", 0.5, of=step, inner=(cells[2],))
    for rank, image in _IMAGES.items():
        for kind in ("RNN", "LSTM", "GRU"):
            yield case(f"Conv{rank}D{kind}Cell", image[1:], 6, 3, 3, of=image)
            yield case(f"Conv{rank}D{kind}Cell", image[1:], 6, 2, 1, i2h_pad=1, activation="relu", of=image)


CASES = [*_plain(), *_convolutions(), *_poolings(), *_recurrent()]
#: What blocks or functions make of it is theirs, or what cannot be stepped; and the base of cells.
_OF_OTHERS = {
    *(
        "BidirectionalCell",
        "Concurrent",
        "HybridConcurrent",
        "HybridSequential",
        "Sequential",
        "Lambda",
        "HybridLambda",
    ),
    *("SequentialRNNCell", "HybridSequentialRNNCell", "HybridRecurrentCell", "RecurrentCell", "ModifierCell"),
}


def _abstract(case: Case) -> Layer:
    return _built(case, case.values, case.keywords)


def _built(case: Case, values: tuple[Any, ...], keywords: dict[str, Any]) -> Layer:
    found = layer(case.name, (*map(_abstract, case.inner), *values), tuple(keywords.items()))
    assert found is not None
    return found


def _class(name: str) -> Any:
    return next(getattr(module, name) for module in _MODULES if hasattr(module, name))


def _real(case: Case) -> Any:
    return _class(case.name)(*map(_real, case.inner), *case.values, **case.keywords)


def _called(block: Any, given: tuple[int, ...], *, train: bool = False) -> Any:
    data = mx.nd.ones(given)
    states = [block.begin_state(batch_size=given[0], func=mx.nd.zeros)] if hasattr(block, "unroll") else []
    with mx.autograd.train_mode() if train else mx.autograd.predict_mode():
        return block(data, *states)


def _output(block: Any, given: tuple[int, ...], *, train: bool = False) -> Any:
    result = _called(block, given, train=train)
    return result[0] if isinstance(result, tuple) else result


def _initialized(case: Case) -> Any:
    block = _real(case)
    block.initialize()
    return block


_PARAMS = [pytest.param(case, id=str(case)) for case in CASES]
_RUN: dict[str, tuple[int, ...]] = {}


def _name(case: Case) -> str:
    return case.name


def _shape_of_run(case: Case) -> tuple[int, ...]:
    """Return the shape of what a layer gives, run once for all that is asked about it."""
    if str(case) not in _RUN:
        _RUN[str(case)] = _output(_initialized(case), case.given).shape
    return _RUN[str(case)]


@batched(_PARAMS, _name)
def test_the_shape_is_that_of_a_run(case: Case) -> None:
    assert _abstract(case).type_of(TensorType(case.given)).shape == _shape_of_run(case)


@batched(_PARAMS, _name)
def test_an_unknown_batch_stays_what_it_is(case: Case) -> None:
    batch = 1 if case.given[0] == 5 and case.keywords.get("layout") != "NTC" else 0
    sizes: list[DimLike] = list(case.given)
    sizes[batch] = Dim.named("N")
    found = _abstract(case).type_of(TensorType(tuple(sizes))).shape
    expected: list[DimLike] = list(_shape_of_run(case))
    expected[batch] = Dim.named("N")
    assert found == tuple(expected)


@batched(_PARAMS, _name)
def test_what_is_known_of_any_input_is_true_of_one(case: Case) -> None:
    assert _suits(_abstract(case).type_of(TensorType()).shape, _shape_of_run(case))


@batched(_PARAMS, _name)
def test_unknown_arguments_leave_what_is_true(case: Case) -> None:
    known, shape = _abstract(case), _shape_of_run(case)
    for values, keywords in _with_one_unknown(case):
        found = _built(case, values, keywords)
        assert _suits(found.type_of(TensorType(case.given)).shape, shape)
        assert found.asks_mode >= known.asks_mode
        assert found.gives_one == known.gives_one
        assert found.keeps_shape <= known.keeps_shape


@pytest.mark.parametrize("name", sorted({case.name for case in CASES}))
def test_nothing_false_follows_from_no_argument_at_all(name: str) -> None:
    found = layer_of_any(name)
    assert found is not None
    for known in (case for case in CASES if case.name == name):
        assert _suits(found.type_of(TensorType(known.given)).shape, _shape_of_run(known))
        assert found.asks_mode >= _abstract(known).asks_mode


def _with_one_unknown(case: Case) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for at in range(len(case.values)):
        yield (*case.values[:at], UNKNOWN, *case.values[at + 1 :]), case.keywords
    for name in case.keywords:
        yield case.values, {**case.keywords, name: UNKNOWN}


def _suits(known: Shape | None, real: tuple[int, ...]) -> bool:
    """Whether a shape that is known in part may be the real one."""
    if known is None:
        return True
    return len(known) == len(real) and not any(differ(a, b) for a, b in zip(known, real, strict=True))


@batched(_PARAMS, _name)
def test_parameters_and_kinds_are_those_of_the_layer(case: Case) -> None:
    found, block = _abstract(case), _real(case)
    assert found.hybrid == isinstance(block, mx.gluon.HybridBlock)
    assert found.has_parameters == bool(list(block.collect_params()) or case.inner)
    assert {name: tuple(shape or ()) for name, shape in found.parameters.items()} == {
        name: tuple(param.shape) for name, param in block._reg_params.items()
    }
    block.initialize()
    data = mx.nd.ones(case.given)
    assert found.returns_input == (not found.steps and block(data) is data)
    assert found.gives_one == isinstance(_called(block, case.given), mx.nd.NDArray)


@batched(_PARAMS, _name)
def test_layers_that_act_by_mode_are_known(case: Case) -> None:
    block = _initialized(case)
    before = _output(block, case.given).asnumpy()
    mx.random.seed(1)
    differs = bool((_output(block, case.given, train=True).asnumpy() != before).any())
    assert _abstract(case).asks_mode >= differs


def test_every_layer_has_cases() -> None:
    losses = {name for name in layer_names() if hasattr(loss, name)}
    assert {case.name for case in CASES} == set(layer_names()) - _OF_OTHERS - losses


@pytest.mark.parametrize("name", ["BatchNorm", "BatchNormReLU", "SyncBatchNorm", "_BatchNorm"])
def test_all_kinds_of_batch_norm_act_by_mode(name: str) -> None:
    own, fixed = layer(name), layer(name, (), (("use_global_stats", True),))
    assert own is not None
    assert fixed is not None
    assert own.asks_mode
    assert not fixed.asks_mode


def test_containers_and_functions_are_told_apart() -> None:
    facts = {name: layer_of_any(name) for name in _OF_OTHERS}
    assert {name for name, found in facts.items() if found and found.holds_others and not found.steps} == {
        *("Concurrent", "HybridConcurrent", "HybridSequential", "Sequential")
    }
    assert {name for name, found in facts.items() if found and found.calls_function} == {"Lambda", "HybridLambda"}
    joining = [layer(name) for name in ("Sequential", "HybridSequential", "Concurrent", "HybridConcurrent")]
    assert [found.joins for found in joining if found] == [False, False, True, True]


def test_losses_take_several_tensors_and_one_of_them_reads_shapes() -> None:
    losses = {
        name: found for name in layer_names() if hasattr(loss, name) and (found := layer(name)) and name != "Loss"
    }
    assert all(found.inputs > 1 for found in losses.values())
    assert {name for name, found in losses.items() if found.reads_shape} == {"SDMLLoss"}
    assert not any(found.has_parameters for found in losses.values())


def test_data_pooled_over_all_positions_stay_pooled() -> None:
    facts = {
        "all": case("GlobalAvgPool2D", of=(1,)),
        "some": case("AvgPool2D", 2, of=(1,)),
        "one position": case("Conv2D", 8, 1, of=(1,)),
        "channels last": case("Conv2D", 8, 1, layout="NHWC", of=(1,)),
        "more positions": case("Conv2D", 8, 3, padding=2, of=(1,)),
        "features": case("Dense", 8, flatten=False, of=(1,)),
    }
    known = {name: _abstract(one) for name, one in facts.items()}
    assert {name for name, found in known.items() if found.pools_all} == {"all"}
    assert {name for name, found in known.items() if found.keeps_pooled} == {"all", "one position", "channels last"}


def test_layers_that_differ_in_names_and_first_values_alone_are_one() -> None:
    plain = layer("Dense", (4,), (("use_bias", False),))
    assert layer("Dense", (4,), (("prefix", "a_"), ("use_bias", False), ("weight_initializer", UNKNOWN))) is plain
    assert layer("Dense", (4,), (("use_bias", True),)) is not plain


def test_an_argument_that_a_layer_does_not_take_is_not_passed_over() -> None:
    wrong = layer("Flatten", (), (("weight_initializer", "zeros"),))
    assert wrong is not None
    assert wrong is not layer("Flatten")


def test_sizes_of_two_batches_are_their_own() -> None:
    convolution = layer("Conv2D", (8, 3))
    assert convolution is not None
    shapes = [(Dim.fresh(), 4, Dim.fresh(), Dim.fresh()) for _ in range(2)]
    for batch, _, height, width in shapes:
        made = convolution.type_of(TensorType((batch, 4, height, width))).shape
        assert made == (batch, 8, height - 2, width - 2)


def test_what_is_no_layer_is_not_known() -> None:
    assert layer("Net") is None
    assert layer_of_any("HybridBlock") is None
