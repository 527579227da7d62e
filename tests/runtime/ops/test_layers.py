"""What samples cannot say of layers: train mode, layouts, structured matrices, sizes that are unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.types import InferError, Shape, TensorType

N = Dim.named("N")


def run(name: str, *arrays: Any, training: bool = False, **given: Any) -> tuple[Any, ...]:
    operator = registry.get(name)
    reserved = {"training": training, "rng": np.random.default_rng(1)}
    extra = {k: v for k, v in reserved.items() if k in operator.reserved}
    result = operator.kernel(np, *arrays, **{**operator.defaults(), **given}, **extra)
    return result if isinstance(result, tuple) else (result,)


def infer(name: str, *shapes: Shape | None, **given: Any) -> Shape | None:
    operator = registry.get(name)
    types = [TensorType(shape, "float32") for shape in shapes]
    return operator.infer_types(types, {**operator.defaults(), **given})[0].shape


def drawn(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape)


@pytest.mark.parametrize(
    ("name", "shapes", "given", "expected"),
    [
        ("Reshape", [(N, 3, 4)], {"shape": (0, -1)}, (N, 12)),
        ("Reshape", [(N, 3, 4)], {"shape": (-1, 4)}, (N * 3, 4)),
        ("Reshape", [(N, 6, 4)], {"shape": (0, -4, 2, -1, 0)}, (N, 2, 3, 4)),
        ("Reshape", [(2, N, 4)], {"shape": (-3, 0)}, (N * 2, 4)),
        ("Flatten", [(N, 3, 4)], {}, (N, 12)),
        ("Concat", [(N, 2), (N, 3)], {"dim": 1}, (N, 5)),
        ("Concat", [(N, 2), (N, 2)], {"dim": 0}, (N * 2, 2)),
        ("SliceChannel", [(N, 6)], {"num_outputs": 3}, (N, 2)),
        ("slice_axis", [(N, 6)], {"axis": 1, "begin": 1, "end": -1}, (N, 4)),
        ("slice_axis", [(N, 6)], {"axis": 0, "begin": 1, "end": None}, (N + -1, 6)),
        ("slice_axis", [(N, 6)], {"axis": 0, "begin": 0, "end": 2}, (2, 6)),
        ("slice", [(N, 6)], {"begin": (None, 0), "end": (None, 3)}, (N, 3)),
        ("dot", [(N, 3), (3, 5)], {}, (N, 5)),
        ("Convolution", [(N, 3, 8, 8), (4, 3, 3, 3)], {"kernel": (3, 3), "num_filter": 4}, (N, 4, 6, 6)),
        ("Pooling", [(N, 3, 8, 8)], {"kernel": (2, 2), "stride": (2, 2)}, (N, 3, 4, 4)),
        ("Embedding", [(N, 7), (10, 5)], {"input_dim": 10, "output_dim": 5}, (N, 7, 5)),
        ("tile", [(N, 2)], {"reps": (1, 3)}, (N, 6)),
        ("UpSampling", [(N, 3, 4, 4)], {"scale": 2, "sample_type": "nearest"}, (N, 3, 8, 8)),
    ],
)
def test_unknown_sizes_survive(name: str, shapes: list[Shape], given: dict[str, Any], expected: Shape) -> None:
    assert infer(name, *shapes, **given) == expected


@pytest.mark.parametrize(
    ("name", "shapes", "given", "argument"),
    [
        ("Reshape", [(2, 3)], {"shape": (4, 2)}, "shape"),
        ("Reshape", [(2, 3)], {"shape": (-1, 4)}, "shape"),
        ("FullyConnected", [(2, 3), (4, 5)], {"num_hidden": 4, "no_bias": True}, "weight"),
        ("Concat", [(2, 3), (3, 3)], {"dim": 1}, "data"),
        ("slice_axis", [(2, 3)], {"axis": 1, "begin": 0, "end": 4}, "begin"),
        ("squeeze", [(2, 3)], {"axis": 1}, "axis"),
        ("dot", [(2, 3), (2, 3)], {}, "rhs"),
        ("batch_dot", [(2, 3), (3, 2)], {}, "lhs"),
        ("Convolution", [(1, 3, 2, 2), (4, 3, 3, 3)], {"kernel": (3, 3), "num_filter": 4, "no_bias": True}, "kernel"),
        ("SliceChannel", [(2, 5)], {"num_outputs": 2}, "num_outputs"),
        ("transpose", [(2, 3, 4)], {"axes": (0, 1)}, "axes"),
        ("BatchNorm", [(2, 3), (4,), (3,), (3,), (3,)], {}, "gamma"),
    ],
)
def test_what_cannot_work_is_refused(name: str, shapes: list[Shape], given: dict[str, Any], argument: str) -> None:
    with pytest.raises(InferError) as caught:
        infer(name, *shapes, **given)
    assert caught.value.argument == argument


def test_weights_follow_from_data() -> None:
    operator = registry.get("Convolution")
    params = {**operator.defaults(), "kernel": (3, 3), "num_filter": 8, "num_group": 2}
    unknown = TensorType()
    filled = operator.complete_types((TensorType((N, 4, 9, 9), "float32"), unknown, unknown), params)
    assert [t.shape for t in filled[1:]] == [(8, 2, 3, 3), (8,)]
    assert {t.dtype for t in filled} == {"float32"}


def test_batch_norm_in_train_mode_uses_and_tells_the_statistics_of_the_batch() -> None:
    data, vector = drawn(6, 3, 2), np.ones(3)
    result, mean, inverse = run("BatchNorm", data, vector, vector * 0, vector, vector, training=True, eps=1e-5)
    np.testing.assert_allclose(result.mean(axis=(0, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(mean, data.mean(axis=(0, 2)))
    np.testing.assert_allclose(inverse, 1 / np.sqrt(data.var(axis=(0, 2)) + 1e-5))


def test_batch_norm_over_devices_tells_the_variance() -> None:
    data, vector = drawn(6, 3, 2), np.ones(3)
    vectors = (vector, vector * 0, vector, vector)
    _, mean, variance = run("_contrib_SyncBatchNorm", data, *vectors, training=True, key="bn", eps=1e-5)
    np.testing.assert_allclose(mean, data.mean(axis=(0, 2)))
    np.testing.assert_allclose(variance, data.var(axis=(0, 2)))


def test_running_statistics_move_towards_those_of_the_batch() -> None:
    data, ones = drawn(6, 3, 2), np.ones(3)
    ins = (data, ones, ones * 0, ones * 0.5, ones * 2)
    operator = registry.get("BatchNorm")
    assert operator.update_aux is not None
    known: dict[str, Any] = {"eps": 1e-3, "momentum": 0.9, "use_global_stats": False}
    outs = run("BatchNorm", *ins, training=True)
    mean, variance = operator.update_aux(np, ins, outs, **known)
    np.testing.assert_allclose(mean, 0.45 + 0.1 * data.mean(axis=(0, 2)))
    np.testing.assert_allclose(variance, 1.8 + 0.1 * data.var(axis=(0, 2)))
    fixed = operator.update_aux(np, ins, outs, **{**known, "use_global_stats": True})
    assert [a is b for a, b in zip(fixed, ins[3:], strict=True)] == [True, True]


def test_dropout_scales_what_it_keeps_and_shares_decisions_along_axes() -> None:
    data = np.ones((40, 5, 6), "float32")
    result, mask = run("Dropout", data, training=True, p=0.25, axes=(1,))
    assert mask.shape == (40, 1, 6)
    assert set(np.unique(result)) == {np.float32(0), np.float32(4 / 3)}
    assert 0.6 < (result > 0).mean() < 0.9
    np.testing.assert_array_equal(run("Dropout", data, p=0.25)[0], data)


@pytest.mark.parametrize("groups", [1, 2])
def test_channels_may_come_last(groups: int) -> None:
    data, weight, bias = drawn(2, 4, 5, 6), drawn(4, 4 // groups, 3, 2), drawn(4)
    known: dict[str, Any] = {"kernel": (3, 2), "num_filter": 4, "num_group": groups, "stride": (2, 1)}
    (first,) = run("Convolution", data, weight, bias, **known)
    moved = (np.moveaxis(data, 1, -1), np.moveaxis(weight, 1, -1), bias)
    (last,) = run("Convolution", *moved, layout="NHWC", **known)
    np.testing.assert_allclose(np.moveaxis(last, -1, 1), first)


def test_masks_between_recurrent_layers_are_told() -> None:
    known: dict[str, Any] = {"state_size": 2, "num_layers": 2, "mode": "rnn_tanh", "p": 0.5}
    output, masks = run("RNN", drawn(3, 4, 2), drawn(24), drawn(2, 4, 2), training=True, **known)
    assert output.shape == (3, 4, 2)
    assert masks.shape == (1, 3, 4, 2)
    assert set(np.unique(masks)) == {0.0, 2.0}


MATRIX = np.array([[[4.0, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]]])


def test_factors_of_a_symmetric_matrix() -> None:
    (lower,) = run("_linalg_potrf", MATRIX)
    np.testing.assert_allclose(lower @ lower.swapaxes(1, 2), MATRIX)
    np.testing.assert_allclose(run("_linalg_potri", lower)[0], np.linalg.inv(MATRIX))
    vectors, values = run("_linalg_syevd", MATRIX)
    np.testing.assert_allclose(vectors.swapaxes(1, 2) * values[:, None] @ vectors, MATRIX)


def test_gradient_of_cholesky_is_symmetric_as_in_mxnet() -> None:
    (lower,) = run("_linalg_potrf", MATRIX)
    (gradient,) = run("_hl_potrf_grad", np.arange(1.0, 10).reshape(1, 3, 3), lower)
    expected = [0.067294, 0.34847, 0.76471, 0.34847, 1.4442, 2.3239, 0.76471, 2.3239, 3.2346]
    np.testing.assert_allclose(gradient.ravel(), expected, rtol=1e-4)


def test_gradient_of_eigenvectors_is_that_of_mxnet() -> None:
    vectors, values = run("_linalg_syevd", MATRIX)
    (gradient,) = run("_hl_syevd_grad", np.arange(1.0, 10).reshape(1, 3, 3), values * 0, vectors, values)
    expected = [1.544, -1.6129, -0.84226, -1.6129, -0.53312, 3.7829, -0.84226, 3.7829, -1.0109]
    np.testing.assert_allclose(gradient.ravel(), expected, rtol=1e-4)


def test_aligned_regions_are_those_of_mxnet() -> None:
    data = np.arange(36.0).reshape(1, 1, 6, 6)
    rois = np.array([[0, 0, 0, 4, 4], [0, 1.3, 1, 2, 2.7]])
    known: dict[str, Any] = {"pooled_size": (2, 2), "spatial_scale": 0.5, "sample_ratio": 2, "aligned": True}
    (result,) = run("_contrib_ROIAlign", data, rois, **known)
    np.testing.assert_allclose(result.ravel(), [0.875, 1.75, 6.125, 7, 1.5125, 1.6875, 4.0625, 4.2375], rtol=1e-5)


def test_regions_of_no_sample_are_zeros() -> None:
    rois = np.array([[-1, 0, 0, 4, 4], [1, 0, 0, 4, 4], [0, 0, 0, 4, 4]])
    (result,) = run("_contrib_ROIAlign", np.ones((1, 2, 6, 6)), rois, pooled_size=(2, 2), spatial_scale=0.5)
    np.testing.assert_array_equal(result, [np.zeros((2, 2, 2))] * 2 + [np.ones((2, 2, 2))])


def test_prelu_takes_one_slope_for_all_channels() -> None:
    data = np.array([[-1.0, 2], [-3, 4]])
    (result,) = run("LeakyReLU", data, np.array([0.5]), act_type="prelu")
    np.testing.assert_array_equal(result, [[-0.5, 2], [-1.5, 4]])


def test_rrelu_draws_slopes_in_train_mode_only() -> None:
    data = -np.ones((3, 4))
    slopes = run("LeakyReLU", data, training=True, act_type="rrelu")[1]
    assert 0.125 <= slopes.min() < slopes.max() <= 0.334
    np.testing.assert_allclose(run("LeakyReLU", data, act_type="rrelu")[0], -0.2294999995)


def test_prelu_takes_a_slope_for_each_element_of_leading_axes() -> None:
    x, slopes = nd.array([[[-1, 2], [-3, 4]]]), nd.array([[0.5, 0.25]])
    slopes.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(x, slopes, act_type="prelu")
    y.backward()
    assert y.asnumpy().tolist() == [[[-0.5, 2], [-0.75, 4]]]
    assert slopes.grad.asnumpy().tolist() == [[-1, -3]]


def test_the_upper_cholesky_factor() -> None:
    matrix = nd.array([[4, 2], [2, 10]])
    assert nd.linalg.potrf(matrix, lower=False).asnumpy().tolist() == [[2, 1], [0, 3]]
    np.testing.assert_allclose(
        nd.linalg.potri(nd.array([[2, 1], [0, 3]]), lower=False).asnumpy() @ matrix.asnumpy(), np.eye(2), atol=1e-6
    )


def test_dropping_everything_leaves_no_number() -> None:
    with autograd.record():
        assert np.isnan(nd.Dropout(nd.ones((2, 3)), p=1).asnumpy()).all()


def test_an_open_first_size_of_raveled_indices() -> None:
    assert nd.unravel_index(nd.array([0, 5, 13]), shape=(-1, 4)).asnumpy().tolist() == [[0, 1, 3], [0, 1, 1]]


@pytest.mark.parametrize("shape", [(2, 20), (2, 4, 5), (2, 1, 4, 5)])
@pytest.mark.parametrize("hybridized", [False, True])
def test_labels_of_several_outputs_have_one_of_three_shapes(shape: tuple[int, ...], hybridized: bool) -> None:
    data, label = np.random.default_rng(0).random((2, 3, 4, 5), "float32"), np.arange(40) % 3
    symbol = mx.sym.SoftmaxOutput(mx.sym.var("data"), mx.sym.var("label"), multi_output=True)
    assert symbol.infer_shape(data=data.shape)[0] == [data.shape, (2, 20)]
    assert symbol.infer_shape(data=data.shape, label=shape)[0] == [data.shape, shape]
    x, y = mx.nd.array(data), mx.nd.array(label.reshape(shape))
    x.attach_grad()
    run = mx.gluon.SymbolBlock(symbol, [mx.sym.var("data"), mx.sym.var("label")]) if hybridized else None
    with mx.autograd.record():
        result = mx.nd.SoftmaxOutput(x, y, multi_output=True) if run is None else run(x, y)
    result.backward()
    hot = np.moveaxis(np.eye(3, dtype="float32")[label.reshape(2, 4, 5)], -1, 1)
    np.testing.assert_allclose(x.grad.asnumpy(), (result.asnumpy() - hot) / 20, rtol=1e-5, atol=1e-7)


def test_labels_of_several_outputs_of_another_shape_are_refused() -> None:
    with pytest.raises(MXNetError):
        mx.nd.SoftmaxOutput(mx.nd.ones((2, 3, 4, 5)), mx.nd.ones((2, 5, 4)), multi_output=True)
