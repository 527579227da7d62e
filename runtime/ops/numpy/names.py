"""Aliases: operators that have a name of their own in numpy mode but equal an operator of the legacy interface.

Symbol JSON holds the legacy name. Operators that compute something else in numpy mode are defined in the other modules
of this package.
"""

from __future__ import annotations

from hybridlint.runtime.facts.registry import alias

#: Operator of numpy mode -> operator of the legacy interface.
ALIASES: dict[str, str] = {
    "_npi_argsort": "argsort",
    "_npi_boolean_mask": "_contrib_boolean_mask",
    "_npi_cast": "Cast",
    "_npi_clip": "clip",
    "_npi_cholesky": "_linalg_potrf",
    "_npi_det": "_linalg_det",
    "_npi_expand_dims": "expand_dims",
    "_npi_gather_nd": "gather_nd",
    "_npi_inv": "_linalg_inverse",
    "_npi_linspace": "_linspace",
    "_npi_maximum_scalar": "_maximum_scalar",
    "_npi_minimum_scalar": "_minimum_scalar",
    "_npi_rnn_param_concat": "_rnn_param_concat",
    "_npi_slice": "slice",
    "_npi_slice_assign": "_slice_assign",
    "_npi_slice_assign_scalar": "_slice_assign_scalar",
    "_npi_slogdet": "_linalg_slogdet",
    "_npi_sort": "sort",
    "_npi_swapaxes": "SwapAxis",
    "_npi_take": "take",
    "_npi_tile": "tile",
    "_np_repeat": "repeat",
    "_npx_activation": "Activation",
    "_npx_arange_like": "_contrib_arange_like",
    "_npx_batch_dot": "batch_dot",
    "_npx_batch_flatten": "Flatten",
    "_npx_batch_norm": "BatchNorm",
    "_npx_cast": "Cast",
    "_npx_convolution": "Convolution",
    "_npx_deconvolution": "Deconvolution",
    "_npx_dropout": "Dropout",
    "_npx_embedding": "Embedding",
    "_npx_erf": "erf",
    "_npx_erfinv": "erfinv",
    "_npx_fully_connected": "FullyConnected",
    "_npx_gamma": "gamma",
    "_npx_gammaln": "gammaln",
    "_npx_gather_nd": "gather_nd",
    "_npx_layer_norm": "LayerNorm",
    "_npx_leaky_relu": "LeakyReLU",
    "_npx_log_softmax": "log_softmax",
    "_npx_multibox_detection": "_contrib_MultiBoxDetection",
    "_npx_multibox_prior": "_contrib_MultiBoxPrior",
    "_npx_multibox_target": "_contrib_MultiBoxTarget",
    "_npx_one_hot": "one_hot",
    "_npx_pick": "pick",
    "_npx_pooling": "Pooling",
    "_npx_reshape_like": "reshape_like",
    "_npx_rnn": "RNN",
    "_npx_roi_pooling": "ROIPooling",
    "_npx_sequence_mask": "SequenceMask",
    "_npx_shape_array": "shape_array",
    "_npx_slice": "slice",
    "_npx_smooth_l1": "smooth_l1",
    "_npx_softmax": "softmax",
    "_npx_topk": "topk",
}

alias(ALIASES)
