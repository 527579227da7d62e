"""The precision of operators where the narrow dtype is bfloat16, which this runtime has no arrays of."""

from __future__ import annotations

from hybridlint.runtime.contrib.amp.lists import symbol_fp16

#: Operators that compute in bfloat16.
BF16_FUNCS = ["Convolution", "FullyConnected"]
#: Operators that compute in float32 for some values of a parameter: operator, parameter, values.
CONDITIONAL_FP32_FUNCS = symbol_fp16.CONDITIONAL_FP32_FUNCS
#: Losses, whose gradient is multiplied by the scale of losses.
LOSS_OUTPUT_FUNCTIONS = symbol_fp16.LOSS_OUTPUT_FUNCTIONS
#: Operators whose data may be bfloat16, and which of their inputs stay float32.
BF16_USE_FP32_PARAMS = {
    name: ["", "gamma", "beta", "moving_mean", "moving_var"] for name in ("BatchNormWithReLU", "BatchNorm")
}
#: Operators that compute in the dtype that they are given.
BF16_FP32_FUNCS = [
    *("abs", "add_n", "BatchNorm", "BatchNormWithReLU", "clip", "Concat", "concat", "LRN", "Pooling", "relu"),
    *("shuffle", "_shuffle", "sqrt", "square", "tanh"),
]
#: Operators whose inputs get the widest of their dtypes.
WIDEST_TYPE_CASTS = [name for name in symbol_fp16.WIDEST_TYPE_CASTS if name not in BF16_FP32_FUNCS]
#: Operators that compute in float32: all others.
FP32_FUNCS = sorted(
    {*symbol_fp16.FP32_FUNCS, *symbol_fp16.FP16_FP32_FUNCS, "Deconvolution", "RNN"}
    - {*BF16_FUNCS, *BF16_FP32_FUNCS, *WIDEST_TYPE_CASTS}
)
