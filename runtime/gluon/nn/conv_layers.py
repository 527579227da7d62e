"""``mx.gluon.nn.conv_layers``: the names exported there."""

from hybridlint.runtime.gluon.nn.conv_transpose import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from hybridlint.runtime.gluon.nn.convolution import Conv1D, Conv2D, Conv3D, _Conv, _infer_weight_shape
from hybridlint.runtime.gluon.nn.padding import ReflectionPad2D
from hybridlint.runtime.gluon.nn.pooling import (
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    _Pooling,
)

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "ReflectionPad2D",
    "_Conv",
    "_Pooling",
    "_infer_weight_shape",
]
