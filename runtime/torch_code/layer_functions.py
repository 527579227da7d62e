"""Functions that build PyTorch layers from Gluon's arguments: for a dictionary of arguments, or a class as a value."""

from __future__ import annotations

from hybridlint.runtime.torch_code.errors import NoTranslationError

#: Layers of Gluon that PyTorch has with the same arguments -> their names there.
_SAME = {
    "Dropout": "Dropout", "ELU": "ELU", "Embedding": "Embedding", "Flatten": "Flatten", "GELU": "GELU",
    "Identity": "Identity", "LeakyReLU": "LeakyReLU", "SELU": "SELU",
}  # fmt: skip

_CONVOLUTION = '''
def gluon_conv{axes}d(channels, kernel_size, strides=1, padding=0, dilation=1, groups=1, use_bias=True, in_channels=0):
    """Return a convolution by the names that Gluon has for its arguments."""
    if in_channels:
        return nn.Conv{axes}d(in_channels, channels, kernel_size, strides, padding, dilation, groups, use_bias)
    return nn.LazyConv{axes}d(channels, kernel_size, strides, padding, dilation, groups, use_bias)
'''

#: The functions by name.
LAYER_FUNCTIONS = {
    **{f"gluon_conv{axes}d": _CONVOLUTION.format(axes=axes) for axes in (1, 2, 3)},
    "gluon_batch_norm": '''
def gluon_batch_norm(momentum=0.9, epsilon=1e-5, center=True, scale=True, in_channels=0):
    """Return a batch normalization of images by the names that Gluon has for its arguments."""
    options = {"eps": epsilon, "momentum": 1 - momentum, "affine": center or scale}
    layer = nn.BatchNorm2d(in_channels, **options) if in_channels else nn.LazyBatchNorm2d(**options)
    if layer.affine:
        layer.weight.requires_grad, layer.bias.requires_grad = scale, center
    return layer
''',
    "gluon_dense": '''
def gluon_dense(units, activation=None, use_bias=True, flatten=True, in_units=0):
    """Return a fully connected layer by the names that Gluon has for its arguments."""
    layer = nn.Linear(in_units, units, use_bias) if in_units else nn.LazyLinear(units, use_bias)
    layers = [*([nn.Flatten()] if flatten else []), layer, *([activation_layer(activation)] if activation else [])]
    return nn.Sequential(*layers)
''',
}
_BY_KIND = {
    "Conv1D": "gluon_conv1d", "Conv2D": "gluon_conv2d", "Conv3D": "gluon_conv3d", "BatchNorm": "gluon_batch_norm",
    "Dense": "gluon_dense",
}  # fmt: skip


def layer_function(kind: str) -> str | None:
    """Return the name of the function that builds layers of a kind, None if there is none."""
    return _BY_KIND.get(kind)


def layer_reference(kind: str) -> str:
    """Return the value for a class of layers that code passes on. Raises NoTranslationError."""
    if kind in _SAME:
        return f"nn.{_SAME[kind]}"
    if kind not in _BY_KIND:
        raise NoTranslationError(f"the class `{kind}` as a value")
    return _BY_KIND[kind]
