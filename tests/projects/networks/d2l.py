"""What d2l 0.17.6, the package of a book, defines on MXNet's numpy: blocks that are no hybrid ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..drawn import array, image, mx
from .network import Build, Network, Networks

_BATCH, _LENGTH, _UNITS, _WORDS = 2, 5, 8, 20


def _block(kind: str, *inputs: Any, **options: Any) -> Build:
    return _numpy(lambda d2l: (getattr(d2l, kind)(**options), [make() for make in inputs]))


def _numpy(build: Build) -> Build:
    """Return what builds a network in numpy mode, which the book switches on in each of its programs."""

    def switched(d2l: Any) -> tuple[Any, list[Any]]:
        mx.npx.set_np()
        return build(d2l)

    return switched


def _sequence() -> Any:
    return image(_BATCH, _LENGTH, _UNITS)


def _words() -> Any:
    return array((np.arange(_BATCH * _LENGTH) * 7 % _WORDS).reshape(_BATCH, _LENGTH))


def _lengths() -> Any:
    return array(np.array([_LENGTH, _LENGTH - 2]))


def _scores() -> Any:
    return image(_BATCH, _LENGTH, _WORDS)


def _resnet(d2l: Any) -> tuple[Any, list[Any]]:
    return d2l.resnet18(10), [image(1, 1, 32, 32)]


def _language_model(d2l: Any) -> tuple[Any, list[Any]]:
    net = d2l.RNNModel(mx.gluon.rnn.RNN(_UNITS), _WORDS)
    return net, [_words(), [array(np.zeros((1, _BATCH, _UNITS)))]]


_ATTENTION: dict[str, Any] = {"num_hiddens": _UNITS, "num_heads": 2, "dropout": 0.1}
_STACKED: dict[str, Any] = {"vocab_size": _WORDS, "num_hiddens": _UNITS, "num_layers": 2}
_BUILDS: dict[str, Build] = {
    "resnet18": _numpy(_resnet),
    "Residual": _block("Residual", lambda: image(1, 3, 8, 8), num_channels=4, use_1x1conv=True, strides=2),
    "RNNModel": _numpy(_language_model),
    "Seq2SeqEncoder": _block("Seq2SeqEncoder", _words, embed_size=4, **_STACKED),
    "MaskedSoftmaxCELoss": _block("MaskedSoftmaxCELoss", _scores, _words, _lengths),
    "AdditiveAttention": _block(
        "AdditiveAttention", *(_sequence, _sequence, _sequence, _lengths), num_hiddens=_UNITS, dropout=0.1
    ),
    "DotProductAttention": _block("DotProductAttention", *(_sequence, _sequence, _sequence, _lengths), dropout=0.1),
    "MultiHeadAttention": _block("MultiHeadAttention", *(_sequence, _sequence, _sequence, _lengths), **_ATTENTION),
    "PositionalEncoding": _block("PositionalEncoding", _sequence, num_hiddens=_UNITS, dropout=0.1),
    "PositionWiseFFN": _block("PositionWiseFFN", _sequence, ffn_num_hiddens=16, ffn_num_outputs=_UNITS),
    "AddNorm": _block("AddNorm", _sequence, lambda: _sequence() * 0.5, dropout=0.1),
    "EncoderBlock": _block("EncoderBlock", _sequence, _lengths, ffn_num_hiddens=16, **_ATTENTION),
    "TransformerEncoder": _block(
        "TransformerEncoder", _words, _lengths, ffn_num_hiddens=16, num_heads=2, dropout=0.1, **_STACKED
    ),
}

NETWORKS: Networks = {name: Network("d2l.mxnet", build) for name, build in _BUILDS.items()}
