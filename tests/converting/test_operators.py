"""Operators and methods of tensors, as a person would write them in PyTorch."""

from __future__ import annotations

import pytest

from tests.converting.bodies import converted_body

EXPRESSIONS = {
    "F.relu(x)": "F.relu(x)",
    "F.Activation(x, act_type='tanh')": "torch.tanh(x)",
    "F.softmax(x, axis=1)": "F.softmax(x, dim=1)",
    "F.LeakyReLU(x, act_type='leaky', slope=0.1)": "F.leaky_relu(x, 0.1)",
    "F.Dropout(x, p=0.3)": "F.dropout(x, 0.3, self.training)",
    "x.reshape(shape=(-1, 0), reverse=True)": "x.flatten(0, -2)",
    "F.reshape(x, shape=(-1, 3, 0), reverse=True)": "x.reshape(-1, 3, x.shape[-1])",
    "F.BilinearSampler(x, y)": "F.grid_sample(x, y.permute(0, 2, 3, 1), align_corners=True)",
    "F.GridGenerator(y, transform_type='affine', target_shape=(4, 5))": (
        "F.affine_grid(y.reshape(-1, 2, 3), (len(y), 1, 4, 5), align_corners=True).permute(0, 3, 1, 2)"
    ),
    "F.Crop(*[x, y], center_crop=True)": "crop_like(x, y, center=True)",
    "F.broadcast_sub(x, y) * 2": "(x - y) * 2",
    "2 - F.broadcast_sub(x, y)": "2 - (x - y)",
    "-F.broadcast_add(x, y)": "-(x + y)",
    "F.broadcast_add(x, y)[0]": "(x + y)[0]",
    "F.broadcast_mul(x, y) + F.broadcast_add(x, y)": "x * y + (x + y)",
    "F.concat(x, y, dim=1)": "torch.cat([x, y], dim=1)",
    "F.concat(*y, dim=0)": "torch.cat(y)",
    "F.stack(x, y, axis=1)": "torch.stack([x, y], dim=1)",
    "F.broadcast_add(x, y)": "x + y",
    "F.broadcast_mul(x + 1, y)": "(x + 1) * y",
    "F.broadcast_sub(x, y - 1)": "x - (y - 1)",
    "F.elemwise_div(x, y)": "x / y",
    "F.broadcast_greater(x, y)": "(x > y).float()",
    "F.where(F.broadcast_greater(x, y), x, y)": "torch.where(x > y, x, y)",
    "F.where(y, x, x)": "torch.where(y.bool(), x, x)",
    "F.maximum(x, y)": "torch.maximum(x, y)",
    "F.maximum(x, 0)": "x.clamp(min=0)",
    "F.clip(x, -1, 1)": "x.clamp(-1, 1)",
    "F.mean(x, axis=(2, 3), keepdims=True)": "x.mean(dim=(2, 3), keepdim=True)",
    "x.sum(axis=1)": "x.sum(dim=1)",
    "x.sum()": "x.sum()",
    "x.max(axis=1)": "x.amax(dim=1)",
    "F.max(x, axis=1)": "x.amax(dim=1)",
    "F.argmax(x, axis=1)": "x.argmax(dim=1).float()",
    "F.norm(x, axis=1, keepdims=True)": "torch.linalg.vector_norm(x, dim=1, keepdim=True)",
    "F.transpose(x, axes=(0, 2, 1))": "x.transpose(1, 2)",
    "x.transpose((0, 2, 3, 1))": "x.permute(0, 2, 3, 1)",
    "x.transpose(0, 2, 1)": "x.transpose(1, 2)",
    "F.swapaxes(x, dim1=1, dim2=2)": "x.transpose(1, 2)",
    "F.expand_dims(x, axis=-1)": "x.unsqueeze(-1)",
    "x.expand_dims(1)": "x.unsqueeze(1)",
    "x.flatten()": "x.flatten(1)",
    "x.reshape((0, -1))": "x.flatten(1)",
    "x.reshape(0, -1)": "x.flatten(1)",
    "F.reshape(x, shape=(0, 0, -1))": "x.flatten(2)",
    "x.reshape((-1,))": "x.flatten()",
    "x.reshape((-1, 8))": "x.reshape(-1, 8)",
    "x.reshape((0, -4, 2, -1, 0))": "x.unflatten(1, (2, -1))",
    "x.reshape((-3, 0))": "x.flatten(0, 1)",
    "x.reshape((0, -3))": "x.flatten(1, 2)",
    "x.reshape((0, 0, 4, -1))": "x.reshape(x.shape[0], x.shape[1], 4, -1)",
    "(x + y).reshape((0, -1))": "(x + y).flatten(1)",
    "F.split(x, num_outputs=3, axis=1)": "x.chunk(3, dim=1)",
    "F.split(x, num_outputs=3, axis=1, squeeze_axis=True)": "x.unbind(1)",
    "F.slice_axis(x, axis=1, begin=0, end=5)": "x[:, :5]",
    "F.slice_axis(x, axis=-1, begin=2, end=None)": "x[..., 2:]",
    "F.slice(x, begin=(0, 1), end=(None, 3))": "x[:, 1:3]",
    "F.slice_like(x, y, axes=(2, 3))": "x[:, :, :y.shape[2], :y.shape[3]]",
    "F.batch_dot(x, y, transpose_b=True)": "x @ y.transpose(1, 2)",
    "F.one_hot(y, 10)": "F.one_hot(y.long(), 10).float()",
    "F.pick(x, y, axis=1)": "x.gather(1, y.long().unsqueeze(1)).squeeze(1)",
    "F.take(x, y)": "x[y.long()]",
    "F.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type='max')": "F.max_pool2d(x, 2)",
    "F.Pooling(x, kernel=(3, 3), pool_type='avg', pad=(1, 1))": "F.avg_pool2d(x, 3, stride=1, padding=1)",
    "F.UpSampling(x, scale=2, sample_type='nearest')": 'F.interpolate(x, scale_factor=2, mode="nearest")',
    "F.contrib.BilinearResize2D(x, height=8, width=9)": (
        'F.interpolate(x, size=(8, 9), mode="bilinear", align_corners=True)'
    ),
    "F.contrib.AdaptiveAvgPooling2D(x, output_size=(1, 1))": "F.adaptive_avg_pool2d(x, 1)",
    "F.L2Normalization(x, mode='channel')": "F.normalize(x, dim=1)",
    "F.BlockGrad(x)": "x.detach()",
    "F.Cast(x, dtype='float32')": "x.float()",
    "x.astype('int32')": "x.int()",
    "F.smooth_l1(x, scalar=1.0)": 'F.smooth_l1_loss(x, torch.zeros_like(x), reduction="none")',
    "F.zeros((2, 3))": "torch.zeros(2, 3)",
    "F.arange(0, 5)": "torch.arange(5, dtype=torch.float32)",
    "F.random.normal(0, 1, shape=(2, 3))": "torch.randn(2, 3)",
    "F.square(F.sqrt(x))": "torch.square(torch.sqrt(x))",
    "F.pad(x, mode='reflect', pad_width=(0, 0, 0, 0, 1, 1, 2, 2))": 'F.pad(x, (2, 2, 1, 1), mode="reflect")',
    "F.topk(x, k=3, axis=1, ret_typ='value')": "x.topk(3, dim=1).values",
    "F.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type='avg', pooling_convention='full')": (
        "F.avg_pool2d(x, 3, stride=2, ceil_mode=True)"
    ),
    "nd.relu(x)": "F.relu(x)",
    "mx.nd.exp(x)": "torch.exp(x)",
}


def test_expressions() -> None:
    wrong = {}
    for before, after in EXPRESSIONS.items():
        got = converted_body(f"return {before}")
        if got != f"return {after}":
            wrong[before] = got
    assert wrong == {}


#: Code without counterpart, and what is told of it.
REFUSED = {
    "F.contrib.Proposal(x, x, x)": "`_contrib_Proposal` has no counterpart in PyTorch",
    "F.nothing(x)": "`F.nothing` has no counterpart in PyTorch",
    "F.pick(x, y, mode='wrap')": "`pick` that wraps around",
    "F.relu(x, out=y)": "`relu` with `out=y`",
    "F.dot(x, y)": "`dot` of tensors whose number of axes is not known",
}


@pytest.mark.parametrize(("code", "reason"), REFUSED.items())
def test_code_without_counterpart_raises(code: str, reason: str) -> None:
    assert converted_body(f"z = {code}\nreturn z") == (
        f'# z = {code}\nraise NotImplementedError("line 13: {reason}")\nreturn z'
    )


def test_an_input_is_computed_once() -> None:
    assert converted_body("return F.contrib.arange_like(F.relu(x), axis=1)") == (
        "data = F.relu(x)\nreturn torch.arange(data.shape[1], dtype=data.dtype, device=data.device)"
    )
