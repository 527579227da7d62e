"""Networks of gluonts on small series, as its estimators build them for training, and those that predict no samples."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..drawn import image, mx
from .network import Build, Network, Networks

_BATCH, _CONTEXT, _HORIZON, _FEATURES, _SERIES = 2, 6, 3, 2, 4
_LAGS = [1, 2]
_HISTORY = _CONTEXT + max(_LAGS)
_TIMES: dict[str, Any] = {"prediction_length": _HORIZON, "context_length": _CONTEXT}
_RECURRENT: dict[str, Any] = {**_TIMES, "num_layers": 1, "num_cells": 8}
_LAGGED: dict[str, Any] = {**_RECURRENT, "lags_seq": _LAGS}


def _given(past: int = _CONTEXT, **others: Any) -> dict[str, Any]:
    """Return arrays by the names of inputs: what is common to univariate series, and what is told besides."""
    return {
        "feat_static_cat": mx.nd.zeros((_BATCH, 1)),
        "feat_static_real": image(_BATCH, 1),
        "past_time_feat": image(_BATCH, past, _FEATURES),
        "past_target": image(_BATCH, past),
        "past_observed_values": mx.nd.ones((_BATCH, past)),
        "past_is_pad": mx.nd.zeros((_BATCH, past)),
        "future_time_feat": image(_BATCH, _HORIZON, _FEATURES),
        "future_target": image(_BATCH, _HORIZON),
        "future_observed_values": mx.nd.ones((_BATCH, _HORIZON)),
        "past_feat_dynamic_real": image(_BATCH, past, _FEATURES),
        "future_feat_dynamic_real": image(_BATCH, _HORIZON, _FEATURES),
        "scale": mx.nd.ones((_BATCH, 1)),
        **others,
    }


def _several(past: int) -> dict[str, Any]:
    """Return inputs of networks on several series at once, time first."""
    return _given(
        past,
        target_dimension_indicator=mx.nd.array(np.tile(np.arange(_SERIES), (_BATCH, 1))),
        past_target_cdf=image(_BATCH, past, _SERIES),
        past_observed_values=mx.nd.ones((_BATCH, past, _SERIES)),
        future_target_cdf=image(_BATCH, _HORIZON, _SERIES),
        future_observed_values=mx.nd.ones((_BATCH, _HORIZON, _SERIES)),
    )


def _series_first() -> dict[str, Any]:
    """Return inputs of networks on several series at once, series first."""
    return {
        "past_target": image(_BATCH, _SERIES, _CONTEXT),
        "past_observed_values": mx.nd.ones((_BATCH, _SERIES, _CONTEXT)),
        "future_target": image(_BATCH, _SERIES, _HORIZON),
        "future_observed_values": mx.nd.ones((_BATCH, _SERIES, _HORIZON)),
    }


def _forking() -> dict[str, Any]:
    """Return inputs of networks that predict from each step of the context."""
    return _given(
        past_target=image(_BATCH, _CONTEXT, 1),
        past_observed_values=mx.nd.ones((_BATCH, _CONTEXT, 1)),
        past_feat_dynamic=image(_BATCH, _CONTEXT, _FEATURES),
        future_target=image(_BATCH, _CONTEXT, _HORIZON),
        future_observed_values=mx.nd.ones((_BATCH, _CONTEXT, _HORIZON)),
        future_feat_dynamic=image(_BATCH, _CONTEXT, _HORIZON, _FEATURES),
    )


def _attended() -> dict[str, Any]:
    """Return inputs with categories of series and of steps, of three and four kinds."""
    return _given(
        past_feat_dynamic_cat=_kinds(_BATCH, _CONTEXT, 1),
        future_feat_dynamic_cat=_kinds(_BATCH, _HORIZON, 1),
        feat_dynamic_cat=_kinds(_BATCH, _CONTEXT + _HORIZON, 1),
        feat_dynamic_real=image(_BATCH, _CONTEXT + _HORIZON, _FEATURES),
    )


def _fused() -> dict[str, Any]:
    """Return the same: of features that only the past has, one of each, and three more of the calendar."""
    return {
        **_attended(),
        "past_feat_dynamic_real": image(_BATCH, _CONTEXT, 1),
        "past_feat_dynamic_cat": mx.nd.zeros((_BATCH, _CONTEXT, 1)),
        "feat_dynamic_real": image(_BATCH, _CONTEXT + _HORIZON, _FEATURES + 3),
    }


def _translated() -> dict[str, Any]:
    """Return inputs of encoders and decoders: targets have an axis of their own."""
    return _given(past_target=image(_BATCH, _CONTEXT, 1), future_target=image(_BATCH, _HORIZON, 1))


def _kinds(*shape: int) -> Any:
    return mx.nd.array(np.arange(int(np.prod(shape))).reshape(shape) % 3)


def _states() -> dict[str, Any]:
    """Return inputs of state space models: targets have an axis of their own, and steps a day of the week."""
    return _given(
        past_target=image(_BATCH, _CONTEXT, 1),
        past_observed_values=mx.nd.ones((_BATCH, _CONTEXT, 1)),
        past_seasonal_indicators=_kinds(_BATCH, _CONTEXT, 2),
    )


def _points() -> dict[str, Any]:
    """Return times between events, with their marks."""
    times = np.abs(image(_BATCH, _CONTEXT, 1).asnumpy()) / 10 + 0.1
    marks = np.arange(_BATCH * _CONTEXT).reshape(times.shape) % 3
    lengths = mx.nd.array([_CONTEXT - 1, _CONTEXT - 2])
    return {"target": mx.nd.array(np.concatenate([times, marks], axis=2)), "valid_length": lengths}


def _renewals() -> dict[str, Any]:
    """Return intervals between demands, with their sizes."""
    demands = np.arange(_BATCH * _CONTEXT * 2).reshape(_BATCH, _CONTEXT, 2) % 5 + 1
    return {"past_target": mx.nd.array(demands), "valid_length": mx.nd.array([[_CONTEXT], [_CONTEXT - 2]])}


def _waves() -> dict[str, Any]:
    """Return levels of sound, as numbers of bins, and features before time."""
    return _given(
        past_target=_kinds(_BATCH, _FIELD),
        past_observed_values=mx.nd.ones((_BATCH, _FIELD)),
        past_time_feat=image(_BATCH, _FEATURES, _FIELD),
        future_time_feat=image(_BATCH, _FEATURES, _HORIZON),
        future_target=_kinds(_BATCH, _HORIZON),
    )


def _trained(estimator: str, given: Any, **options: Any) -> Build:
    def build(models: Any) -> tuple[Any, list[Any]]:
        net = _estimator(models, estimator, options).create_training_network()
        return net, _in_order(net, given())

    return build


def _predicting(estimator: str, given: Any, **options: Any) -> Build:
    def build(models: Any) -> tuple[Any, list[Any]]:
        owner = _estimator(models, estimator, options)
        trained = owner.create_training_network()
        trained.initialize()
        trained(*_in_order(trained, given()))
        net = owner.create_predictor(owner.create_transformation(), trained).prediction_net
        return net, _in_order(net, given())

    return build


def _estimator(models: Any, name: str, options: dict[str, Any]) -> Any:
    """Return an estimator; versions differ in which of them are told how often series are measured."""
    kind = getattr(models, name)
    often = {"freq": "D"} if "freq" in inspect.signature(kind.__init__).parameters else {}
    return kind(**{**often, **options})


def _in_order(net: Any, given: dict[str, Any]) -> list[Any]:
    names = list(inspect.signature(net.hybrid_forward).parameters)[1:]
    return [given[name] for name in names if name in given]


#: How many steps WaveNet looks back with two dilations.
_FIELD = 4
_STATES = {
    "prediction_length": _HORIZON,
    "past_length": _CONTEXT,
    "cardinality": [3],
    "num_layers": 1,
    "num_cells": 8,
}
_PROCESSES = {**_TIMES, "cardinality": 1, "dtype": np.float32}
_CONVOLVED: dict[str, Any] = {
    "prediction_length": _HORIZON,
    "context_length": _CONTEXT,
    "num_series": _SERIES,
    "skip_size": 2,
    "ar_window": 2,
    "channels": 8,
    "kernel_size": 3,
}
_SEQUENCES: dict[str, Any] = {
    "cardinality": [3],
    "embedding_dimension": 2,
    "encoder_rnn_layer": 1,
    "encoder_rnn_num_hidden": 8,
    "decoder_mlp_layer": [8],
    "decoder_mlp_static_dim": 4,
}
_FORWARD = {"prediction_length": _HORIZON, "context_length": _CONTEXT, "num_hidden_dimensions": [8]}
_SELF = {**_TIMES, "model_dim": 8, "num_layers": 1, "cardinalities": [3, 3], "kernel_sizes": [3, 5]}
_FUSED: dict[str, Any] = {
    **_TIMES,
    "hidden_dim": 8,
    "static_cardinalities": {"kind": 3},
    "dynamic_cardinalities": {"day": 3},
    "static_feature_dims": {"size": 1},
    "dynamic_feature_dims": {"weather": _FEATURES},
}
_POINTS = {"prediction_interval_length": 3, "context_interval_length": 4, "num_marks": 3}
_ATTENTION = {"lags_seq": _LAGS, "model_dim": 8, "num_heads": 2, "embedding_dimension": 4}
_RENEWALS = {"prediction_length": _HORIZON, "context_length": _CONTEXT, "num_cells": 8, "num_layers": 1}
_WAVES = {
    "prediction_length": _HORIZON,
    "dilation_depth": 2,
    "seasonality": 1,
    "num_bins": 8,
    "train_window_length": _HORIZON,
}


def _lagged() -> dict[str, Any]:
    return _given(_HISTORY)


def _several_lagged() -> dict[str, Any]:
    return _several(_HISTORY)


#: Name -> the module of its estimator, the estimator, inputs, and what the estimator is told.
_TRAINED: dict[str, tuple[str, str, Any, dict[str, Any]]] = {
    "CanonicalRNN": ("canonical", "CanonicalRNNEstimator", _given, _RECURRENT),
    "DeepFactor": ("deep_factor", "DeepFactorEstimator", _given, {**_TIMES, "num_hidden_global": 8}),
    "DeepAR": ("deepar", "DeepAREstimator", _lagged, _LAGGED),
    "DeepAR of GRU cells": ("deepar", "DeepAREstimator", _lagged, {**_LAGGED, "cell_type": "gru"}),
    "DeepState": ("deepstate", "DeepStateEstimator", _states, _STATES),
    "DeepVAR": ("deepvar", "DeepVAREstimator", _several_lagged, {**_LAGGED, "target_dim": _SERIES}),
    "GPVAR": ("gpvar", "GPVAREstimator", _several_lagged, {**_LAGGED, "target_dim": _SERIES}),
    "GaussianProcess": ("gp_forecaster", "GaussianProcessEstimator", _given, _PROCESSES),
    "LSTNet": ("lstnet", "LSTNetEstimator", _series_first, _CONVOLVED),
    "NBEATS": ("n_beats", "NBEATSEstimator", _given, {**_TIMES, "num_stacks": 2}),
    "SelfAttention": ("san", "SelfAttentionEstimator", _attended, {**_SELF, "use_feat_dynamic_cat": True}),
    "MQCNN": ("seq2seq", "MQCNNEstimator", _forking, {**_TIMES, "quantiles": [0.1, 0.5]}),
    "MQRNN": ("seq2seq", "MQRNNEstimator", _forking, {**_TIMES, "quantiles": [0.1, 0.5]}),
    "RNN2QR": ("seq2seq", "RNN2QRForecaster", _translated, {**_TIMES, **_SEQUENCES}),
    "SimpleFeedForward": ("simple_feedforward", "SimpleFeedForwardEstimator", _given, _FORWARD),
    "TemporalFusionTransformer": ("tft", "TemporalFusionTransformerEstimator", _fused, _FUSED),
    "DeepTPP": ("tpp.deeptpp", "DeepTPPEstimator", _points, _POINTS),
    "Transformer": ("transformer", "TransformerEstimator", _lagged, {**_TIMES, **_ATTENTION}),
    "DeepRenewalProcess": ("renewal", "DeepRenewalProcessEstimator", _renewals, _RENEWALS),
    "WaveNet": ("wavenet", "WaveNetEstimator", _waves, _WAVES),
}

#: Those that predict quantiles or values, and draw nothing.
_PREDICTING = ("LSTNet", "NBEATS", "SelfAttention", "MQCNN", "MQRNN", "RNN2QR", "TemporalFusionTransformer")


def networks(models: str) -> Networks:
    """Return the networks of a version, by the package that holds its models."""
    found: Networks = {}
    for name, (module, estimator, given, options) in _TRAINED.items():
        place = f"{models}.{module}"
        found[f"{name}, training"] = Network(place, _trained(estimator, given, **options))
        if name in _PREDICTING:
            found[f"{name}, predicting"] = Network(place, _predicting(estimator, given, **options))
    return found
