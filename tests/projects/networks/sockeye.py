"""What sockeye 2 translates with: attention, encoders, decoders, whole models, and losses."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..drawn import image, mx
from .network import Build, Network, Networks

_BATCH, _LENGTH, _UNITS, _WORDS = 2, 5, 8, 20


def _of(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"sockeye.{module}"), name)


def _lengths() -> Any:
    return mx.nd.array([_LENGTH, _LENGTH - 2])


def _words(*shape: int) -> Any:
    return mx.nd.array((np.arange(int(np.prod(shape))) * 7 % (_WORDS - 4) + 4).reshape(shape))


def _sequence() -> Any:
    return image(_BATCH, _LENGTH, _UNITS)


def _transformer(**options: Any) -> Any:
    settings: dict[str, Any] = {
        "model_size": _UNITS,
        "attention_heads": 2,
        "feed_forward_num_hidden": 16,
        "act_type": "relu",
        "num_layers": 2,
        "dropout_attention": 0.1,
        "dropout_act": 0.1,
        "dropout_prepost": 0.1,
        "positional_embedding_type": "fixed",
        "preprocess_sequence": "n",
        "postprocess_sequence": "dr",
        "max_seq_len_source": 10,
        "max_seq_len_target": 10,
        "depth_key_value": _UNITS,
    }
    return _of("transformer", "TransformerConfig")(**{**settings, **options})


def _embedding(**options: Any) -> Any:
    return _of("encoder", "EmbeddingConfig")(vocab_size=_WORDS, num_embed=_UNITS, dropout=0.1, **options)


def _model(**options: Any) -> Build:
    def build(module: Any) -> tuple[Any, list[Any]]:
        data = _of("data_io", "DataConfig")(
            data_statistics=None,
            max_seq_len_source=10,
            max_seq_len_target=10,
            num_source_factors=1,
            num_target_factors=1,
        )
        length = {"config_length_task": _of("layers", "LengthRatioConfig")(num_layers=1, weight=1.0)}
        config = module.ModelConfig(
            config_data=data,
            vocab_source_size=_WORDS,
            vocab_target_size=_WORDS,
            config_embed_source=_embedding(),
            config_embed_target=_embedding(),
            config_encoder=_transformer(),
            config_decoder=_transformer(**options),
            **length,
        )
        net = module.SockeyeModel(config, prefix="model_")
        words = _words(_BATCH, _LENGTH, 1)
        return net, [words, _lengths(), words, _lengths()]

    return build


def _encoder(module: Any, **options: Any) -> tuple[Any, list[Any]]:
    return module.TransformerEncoder(_transformer(**options), prefix="encoder_"), [_sequence(), _lengths()]


def _learned(module: Any) -> tuple[Any, list[Any]]:
    return _encoder(module, positional_embedding_type="learned", use_lhuc=True, use_glu=True, act_type="swish1")


def _factors(module: Any) -> tuple[Any, list[Any]]:
    factor = module.FactorConfig(vocab_size=6, num_embed=4, combine="concat", share_embedding=False)
    block = module.Embedding(_embedding(factor_configs=[factor]), prefix="embedding_")
    return block, [mx.nd.concat(_words(_BATCH, _LENGTH, 1), mx.nd.ones((_BATCH, _LENGTH, 1)), dim=2), _lengths()]


def _self_attention(module: Any) -> tuple[Any, list[Any]]:
    block = module.MultiHeadSelfAttention(depth_att=_UNITS, heads=2, depth_out=_UNITS, prefix="attention_")
    lengths = mx.nd.array(
        np.repeat([[_LENGTH], [_LENGTH - 2]], 2 * _LENGTH, axis=0).reshape(-1, _LENGTH), dtype="int32"
    )
    return block, [image(_LENGTH, _BATCH, _UNITS), None, lengths, None]


def _loss(kind: str, output: Any, label: Any, **options: Any) -> Build:
    def build(module: Any) -> tuple[Any, list[Any]]:
        loss = getattr(module, kind)(**options)
        return loss, [{loss.output_name: output()}, {loss.label_name: label()}]

    return build


def _block(kind: str, *inputs: Any, **options: Any) -> Build:
    return lambda module: (getattr(module, kind)(**options), [make() for make in inputs])


def _steps_first() -> Any:
    return image(_LENGTH, _BATCH, _UNITS)


def _keys_and_values() -> Any:
    return image(_LENGTH, _BATCH, 2 * _UNITS)


def _valid() -> Any:
    """Return how many keys each query of each sequence is to see."""
    return mx.nd.array(np.repeat([[_LENGTH], [_LENGTH - 2]], _LENGTH, axis=1), dtype="int32")


def _state() -> Any:
    return image(1, _BATCH, _UNITS)


def _logits() -> Any:
    return image(_BATCH, _LENGTH, _WORDS)


def _labels() -> Any:
    return _words(_BATCH, _LENGTH)


def _ratios() -> Any:
    return image(_BATCH).abs() + 0.5


_SIZES = {"hidden_size": _UNITS, "num_layers": 2}
_BUILDS: dict[str, tuple[str, Build]] = {
    "SockeyeModel": ("model", _model()),
    "SockeyeModel of SSRU": ("model", _model(decoder_type="ssru_transformer")),
    "TransformerEncoder": ("encoder", _encoder),
    "TransformerEncoder, learned": ("encoder", _learned),
    "Embedding with factors": ("encoder", _factors),
    "MultiHeadSelfAttention": ("layers", _self_attention),
    "SSRU": ("layers", _block("SSRU", _steps_first, _state, model_size=_UNITS, inference_only=False)),
    "LengthRatio": ("layers", _block("LengthRatio", _sequence, _lengths, **_SIZES)),
    "LHUC": ("layers", _block("LHUC", _sequence, num_hidden=_UNITS)),
    "PlainDotAttention": (
        "layers",
        _block("PlainDotAttention", _steps_first, _keys_and_values, _valid),
    ),
    "ProjectedDotAttention": (
        "layers",
        _block(
            "ProjectedDotAttention",
            *(_steps_first, _steps_first, _valid),
            prefix="attention_",
            num_hidden=_UNITS,
            dtype="float32",
        ),
    ),
    "OutputLayer": ("layers", _block("OutputLayer", _sequence, lambda: None, hidden_size=_UNITS, vocab_size=_WORDS)),
    "AutoRegressiveBias": ("transformer", _block("AutoRegressiveBias", _sequence)),
    "CrossEntropyLoss": ("loss", _loss("CrossEntropyLoss", _logits, _labels)),
    "PoissonLoss": ("loss", _loss("PoissonLoss", _ratios, _ratios)),
    "MSELoss": ("loss", _loss("MSELoss", _ratios, _lengths)),
}

NETWORKS: Networks = {name: Network(f"sockeye.{module}", build) for name, (module, build) in _BUILDS.items()}
