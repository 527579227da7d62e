"""Blocks of gluonnlp 0.10.0 by name: how each is built, and what it is called with.

Both interpreters run this file, so it stays within Python 3.8. The blocks are small; those of `MODELS` have their full
size. Dropout stays at its default: nothing is measured in training mode.
"""

from __future__ import annotations

from typing import Any, Callable, List, Tuple  # noqa: UP035 - aliases are evaluated, and Python 3.8 has no others

import numpy as np

from .drawn import image, mx

#: What builds a block from the package and gives it with its inputs.
Case = Callable[[Any], Tuple[Any, List[Any]]]  # noqa: UP006

_WORDS = 50
_BATCH, _LENGTH, _UNITS = 3, 5, 8


def ids(*shape: int) -> Any:
    """Return token numbers of float32, from 5 up."""
    return mx.nd.array((np.arange(int(np.prod(shape))) * 7 % (_WORDS - 10) + 5).reshape(shape))


def lengths(batch: int = _BATCH, longest: int = _LENGTH) -> Any:
    """Return a valid length for each sequence of a batch, the first ones full."""
    return mx.nd.array(np.maximum(longest - np.arange(batch) // 2 * 2, 1))


def _mask(batch: int, queries: int, keys: int) -> Any:
    seen = np.arange(keys) <= np.arange(queries)[:, None] + 1
    return mx.nd.array(np.broadcast_to(seen, (batch, queries, keys)))


def _sequence(length: int = _LENGTH, units: int = _UNITS) -> Any:
    return image(_BATCH, length, units)


def words(nlp: Any, kind: str = "plain") -> Any:
    """Return a vocabulary of some fifty words."""
    counted = nlp.data.count_tokens(str(k) for k in range(_WORDS))
    return nlp.Vocab(counted) if kind == "plain" else nlp.vocab.BERTVocab(counted)


def _attention(kind: str) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        units = None if kind in ("dot", "cosine") else _UNITS
        cell = nlp.model.attention_cell._get_attention_cell(kind, units=units, num_heads=2)
        return cell, [_sequence(3), _sequence(), _sequence(), _mask(_BATCH, 3, _LENGTH)]

    return build


def _self_attention(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.bert.DotProductSelfAttentionCell(_UNITS, 2)
    valid = mx.nd.array(np.repeat([[5], [3], [4]], _LENGTH, axis=1), dtype="int32")
    return block, [image(_LENGTH, _BATCH, _UNITS), valid]


def _bert_cell(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.bert.BERTEncoderCell(units=_UNITS, hidden_size=16, num_heads=2, output_attention=True)
    valid = mx.nd.array(np.repeat([[5], [3], [4]], _LENGTH, axis=1), dtype="int32")
    return block, [image(_LENGTH, _BATCH, _UNITS), valid]


def _bert_encoder(nlp: Any, **options: Any) -> Any:
    return nlp.model.BERTEncoder(units=_UNITS, hidden_size=16, max_length=9, num_heads=2, **options)


def _bert_encoding(nlp: Any) -> tuple[Any, list[Any]]:
    block = _bert_encoder(nlp, output_attention=True, output_all_encodings=True)
    return block, [image(_LENGTH, _BATCH, _UNITS), None, lengths()]


def _bert(nlp: Any, **options: Any) -> Any:
    sizes = {"vocab_size": _WORDS, "token_type_vocab_size": 2, "units": _UNITS, "embed_size": _UNITS}
    return nlp.model.BERTModel(_bert_encoder(nlp), **sizes, **options)


def _sentences() -> list[Any]:
    segments = mx.nd.array(np.repeat([[0, 0, 0, 1, 1]], _BATCH, axis=0))
    return [ids(_BATCH, _LENGTH), segments, lengths()]


def _bert_pretraining(nlp: Any) -> tuple[Any, list[Any]]:
    return _bert(nlp), [*_sentences(), mx.nd.array([[0, 2], [1, 0], [2, 1]], dtype="int32")]


def _bert_alone(nlp: Any) -> tuple[Any, list[Any]]:
    return _bert(nlp, use_pooler=False, use_decoder=False, use_classifier=False), _sentences()


def _bert_classifier(nlp: Any) -> tuple[Any, list[Any]]:
    return nlp.model.BERTClassifier(_bert(nlp, use_decoder=False, use_classifier=False), 3), _sentences()


def _roberta(nlp: Any, **options: Any) -> Any:
    encoder = _bert_encoder(nlp)
    return nlp.model.RoBERTaModel(encoder, vocab_size=_WORDS, units=_UNITS, embed_size=_UNITS, **options)


def _roberta_pretraining(nlp: Any) -> tuple[Any, list[Any]]:
    positions = mx.nd.array([[0, 2], [1, 0], [2, 1]], dtype="int32")
    return _roberta(nlp), [ids(_BATCH, _LENGTH), lengths(), positions]


def _roberta_classifier(nlp: Any) -> tuple[Any, list[Any]]:
    return nlp.model.RoBERTaClassifier(_roberta(nlp, use_decoder=False), 3), [ids(_BATCH, _LENGTH), lengths()]


def _distilbert(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.DistilBERTModel(_bert_encoder(nlp), vocab_size=_WORDS, units=_UNITS, embed_size=_UNITS)
    return block, [ids(_BATCH, _LENGTH), lengths()]


_TRANSFORMER = {"units": _UNITS, "hidden_size": 16, "num_heads": 2}


def _encoder_cell(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.transformer.TransformerEncoderCell(output_attention=True, **_TRANSFORMER)
    return block, [_sequence(), _mask(_BATCH, _LENGTH, _LENGTH)]


def _encoder(nlp: Any, **options: Any) -> Any:
    return nlp.model.transformer.TransformerEncoder(max_length=9, **_TRANSFORMER, **options)


def _encoding(nlp: Any) -> tuple[Any, list[Any]]:
    return _encoder(nlp, output_attention=True, output_all_encodings=True), [_sequence(), None, lengths()]


def _decoder_cell(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.transformer.TransformerDecoderCell(output_attention=True, **_TRANSFORMER)
    return block, [_sequence(4), _sequence(), _mask(_BATCH, 4, 4), _mask(_BATCH, 4, _LENGTH)]


def _decoding(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.transformer.TransformerDecoder(max_length=9, output_attention=True, **_TRANSFORMER)
    return block, [_sequence(4), block.init_state_from_encoder(_sequence(), lengths()), lengths(longest=4)]


def _decoding_step(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.transformer.TransformerOneStepDecoder(max_length=9, **_TRANSFORMER)
    return block, [image(_BATCH, _UNITS), block.init_state_from_encoder(_sequence(), lengths())]


def _translation_model(nlp: Any) -> Any:
    parts = nlp.model.transformer.get_transformer_encoder_decoder(
        max_src_length=9, max_tgt_length=9, prefix="parts_", **_TRANSFORMER
    )
    vocabulary = words(nlp)
    sharing = {"share_embed": True, "tie_weights": True}
    return nlp.model.translation.NMTModel(vocabulary, vocabulary, *parts, embed_size=_UNITS, prefix="nmt_", **sharing)


def _untrained(block: Any) -> Any:
    """Return a block without gradients: what is searched for has none."""
    block.collect_params().setattr("grad_req", "null")
    return block


def _translation(nlp: Any) -> tuple[Any, list[Any]]:
    return _translation_model(nlp), [ids(_BATCH, _LENGTH), ids(_BATCH, 4), lengths(), lengths(longest=4)]


class _Searched(mx.gluon.Block):  # type: ignore[misc]
    """A translation whose target is searched for."""

    def __init__(self, model: Any, sampler: Any) -> None:
        super().__init__(prefix="searched_")
        self.model = model
        self.sampler = sampler

    def forward(self, source: Any, valid_length: Any) -> Any:
        """Return the samples, their scores and their lengths."""
        outputs, _ = self.model.encode(source, valid_length=valid_length)
        states = self.model.decoder.init_state_from_encoder(outputs, valid_length)
        return self.sampler(mx.nd.array([2] * source.shape[0]), states)


class _LogSoftmax:
    """A decoder that gives the logarithms of probabilities, as a beam search wants them."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, step: Any, states: Any) -> Any:
        outputs, states, _ = self.model.decode_step(step, states)
        return mx.nd.log_softmax(outputs), states


def _beam_search(nlp: Any) -> tuple[Any, list[Any]]:
    model = _untrained(_translation_model(nlp))
    scorer = nlp.model.BeamSearchScorer(alpha=1.0, K=5)
    sampler = nlp.model.BeamSearchSampler(4, _LogSoftmax(model), eos_id=3, scorer=scorer, max_length=6)
    return _Searched(model, sampler), [ids(_BATCH, _LENGTH), lengths()]


def _greedy_sampling(nlp: Any) -> tuple[Any, list[Any]]:
    model = _untrained(_translation_model(nlp))
    sampler = nlp.model.SequenceSampler(2, _LogSoftmax(model), eos_id=3, max_length=6, temperature=1e-6)
    return _Searched(model, sampler), [ids(_BATCH, _LENGTH), lengths()]


class _StepDecoder(mx.gluon.HybridBlock):  # type: ignore[misc]
    """A decoder of one dense layer whose state is what it saw last."""

    def __init__(self) -> None:
        super().__init__(prefix="step_")
        self._vocab_size = 12
        with self.name_scope():
            self.embedding = mx.gluon.nn.Embedding(12, _UNITS)
            self.scores = mx.gluon.nn.Dense(12, in_units=_UNITS)

    def hybrid_forward(self, F: Any, step: Any, state: Any) -> Any:
        """Return logarithms of probabilities, and the new state."""
        state = F.tanh(state + self.embedding(step))
        return F.log_softmax(self.scores(state)), state


def _hybrid_beam_search(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.HybridBeamSearchSampler(
        _BATCH, 3, _untrained(_StepDecoder()), eos_id=3, max_length=6, prefix="hybrid_"
    )
    return block, [ids(_BATCH) % 12, image(_BATCH, _UNITS)]


def _scores(nlp: Any) -> tuple[Any, list[Any]]:
    return nlp.model.BeamSearchScorer(from_logits=False), [image(2, 3, 7), image(2, 3), mx.nd.array([4])]


def _language_model(mode: str, training: bool = False) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        models = nlp.model.train if training else nlp.model
        block = models.StandardRNN(mode, _WORDS, _UNITS, _UNITS, 2, 0.5, tie_weights=True)
        return block, [ids(_LENGTH, _BATCH), block.begin_state(batch_size=_BATCH, func=mx.nd.ones)]

    return build


def _awd(mode: str, training: bool = False) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        models = nlp.model.train if training else nlp.model
        block = models.AWDRNN(mode, _WORDS, _UNITS, 10, 3, True, 0.4, 0.5, 0.2, 0.65, 0.1)
        return block, [ids(_LENGTH, _BATCH), block.begin_state(batch_size=_BATCH, func=mx.nd.ones)]

    return build


def _with_trainer(block: Any) -> None:
    """Let parameters in rows be read: they ask their trainer for them."""
    block.initialize(mx.init.Zero())
    mx.gluon.Trainer(block.collect_params(), "sgd")


def _big(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.language_model.BigRNN(_WORDS, _UNITS, 12, 2, 6, embed_dropout=0.1, encode_dropout=0.1)
    return block, [ids(_LENGTH, _BATCH), block.begin_state(batch_size=_BATCH, func=mx.nd.ones)]


def _sampled(*shape: int) -> list[Any]:
    return [mx.nd.array([4, 9, 15, 20]), image(4).abs() + 0.1, image(*shape).abs() + 0.1]


def _big_training(sparse: bool) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        options = {"sparse_weight": sparse, "sparse_grad": sparse}
        block = nlp.model.train.BigRNN(_WORDS, _UNITS, 12, 2, 6, 4, **options)
        _with_trainer(block)
        states = block.begin_state(batch_size=_BATCH, func=mx.nd.ones)
        label = ids(_LENGTH, _BATCH) + 1
        return block, [ids(_LENGTH, _BATCH), label, states, _sampled(_LENGTH, _BATCH)]

    return build


def _cache(nlp: Any) -> tuple[Any, list[Any]]:
    model, _ = _language_model("lstm")(nlp)
    block = nlp.model.train.cache.CacheCell(model, _WORDS, 3, 0.6, 0.2, prefix="cache_")
    return block, [ids(_LENGTH, 1), ids(_LENGTH, 1) + 1, None, None, model.begin_state(batch_size=1)]


def _states(width: int, hidden: int, layers: int = 2) -> Any:
    return tuple([[image(_BATCH, width), image(_BATCH, hidden)] for _ in range(layers)] for _ in range(2))


def _bilm(mode: str, **options: Any) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        block = nlp.model.BiLMEncoder(mode, 2, _UNITS, 12, **options)
        states = _states(options.get("proj_size", 12), 12)
        if mode not in {"lstm", "lstmpc"}:
            states = tuple([[layer[1]] for layer in side] for side in states)
        mask = mx.nd.array(np.arange(_LENGTH) < np.array([[5], [3], [4]]))
        return block, [image(_LENGTH, _BATCH, _UNITS), states, mask]

    return build


_ELMO = {"output_size": _UNITS, "filters": [[1, 4], [2, 6]], "char_embed_size": 5, "num_highway": 1}
_CHARACTERS = {"conv_layer_activation": "relu", "max_chars_per_token": 6, "char_vocab_size": _WORDS}


def _elmo_characters(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.ELMoCharacterEncoder(**_ELMO, **_CHARACTERS)
    return block, [ids(_BATCH, _LENGTH, 6)]


def _elmo(nlp: Any) -> tuple[Any, list[Any]]:
    recurrent = {"input_size": _UNITS, "hidden_size": 12, "proj_size": _UNITS, "num_layers": 2}
    clips = {"cell_clip": 0.5, "proj_clip": 0.3}
    block = nlp.model.ELMoBiLM("lstmpc", **_ELMO, **_CHARACTERS, **recurrent, **clips)
    mask = mx.nd.array(np.arange(_LENGTH) < np.array([[5], [3], [4]]))
    return block, [ids(_BATCH, _LENGTH, 6), _states(_UNITS, 12), mask]


def _clipped_cell(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.LSTMPCellWithClip(6, _UNITS, input_size=_UNITS, cell_clip=0.2, projection_clip=0.1)
    return block, [image(_BATCH, _UNITS), [image(_BATCH, _UNITS), image(_BATCH, 6)]]


def _layer_of_cells(nlp: Any) -> tuple[Any, list[Any]]:
    cell = mx.gluon.rnn.LSTMCell(6, input_size=_UNITS)
    return nlp.model.RNNCellLayer(cell), [image(_LENGTH, _BATCH, _UNITS)]


def _convolutions(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.ConvolutionalEncoder(6, (4, 5), (1, 2), num_highway=2, output_size=7)
    return block, [image(9, _BATCH, 6), mx.nd.array(np.arange(9)[:, None] < np.array([9, 7, 4]))]


def _sampled_dense(name: str) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        block = getattr(nlp.model, name)(num_classes=_WORDS, num_sampled=4, in_unit=_UNITS)
        _with_trainer(block)
        return block, [image(_BATCH, _UNITS), _sampled(_BATCH), ids(_BATCH)]

    return build


def _embedding(nlp: Any) -> tuple[Any, list[Any]]:
    block = nlp.model.train.CSREmbeddingModel({str(k): k for k in range(20)}, 6, sparse_grad=False)
    return block, [mx.nd.one_hot(ids(4) % 20, 20)]


def _subwords(nlp: Any) -> tuple[Any, list[Any]]:
    ngrams = nlp.vocab.create_subword_function("NGramHashes", num_subwords=30, ngrams=[2, 3])
    block = nlp.model.train.FasttextEmbeddingModel({str(k): k for k in range(20)}, ngrams, 6, sparse_grad=False)
    return block, [mx.nd.one_hot(ids(4), _WORDS)]


def _similarity(nlp: Any) -> tuple[Any, list[Any]]:
    return nlp.embedding.evaluation.WordEmbeddingSimilarity(image(20, 6)), [ids(4) % 20, (ids(4) + 3) % 20]


def _analogy(kind: str) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        block = nlp.embedding.evaluation.WordEmbeddingAnalogy(image(20, 6), kind, k=3)
        return block, [ids(4) % 20, (ids(4) + 3) % 20, (ids(4) + 8) % 20]

    return build


def _masked_loss(nlp: Any) -> tuple[Any, list[Any]]:
    return nlp.loss.MaskedSoftmaxCELoss(), [_sequence(), ids(_BATCH, _LENGTH) % _UNITS, lengths()]


def _smoothing(**options: Any) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        block = nlp.loss.LabelSmoothing(**options)
        sparse = options.get("sparse_label", True)
        return block, [ids(_BATCH, _LENGTH) % 12 if sparse else mx.nd.one_hot(ids(_BATCH, _LENGTH) % 12, 12)]

    return build


#: Small blocks.
BLOCKS: dict[str, Case] = {
    **{f"attention: {kind}": _attention(kind) for kind in ("multi_head", "scaled_luong", "scaled_dot", "dot")},
    **{f"attention: {kind}": _attention(kind) for kind in ("cosine", "mlp", "normed_mlp")},
    "DotProductSelfAttentionCell": _self_attention,
    "BERTEncoderCell": _bert_cell,
    "BERTEncoder": _bert_encoding,
    "BERTModel": _bert_pretraining,
    "BERTModel without heads": _bert_alone,
    "BERTClassifier": _bert_classifier,
    "RoBERTaModel": _roberta_pretraining,
    "RoBERTaClassifier": _roberta_classifier,
    "DistilBERTModel": _distilbert,
    "PositionwiseFFN": lambda nlp: (
        nlp.model.transformer.PositionwiseFFN(units=_UNITS, hidden_size=16, activation="gelu"),
        [_sequence()],
    ),
    "TransformerEncoderCell": _encoder_cell,
    "TransformerEncoder": _encoding,
    "TransformerDecoderCell": _decoder_cell,
    "TransformerDecoder": _decoding,
    "TransformerOneStepDecoder": _decoding_step,
    "NMTModel": _translation,
    "BeamSearchScorer": _scores,
    "BeamSearchSampler": _beam_search,
    "HybridBeamSearchSampler": _hybrid_beam_search,
    "SequenceSampler": _greedy_sampling,
    **{f"StandardRNN: {mode}": _language_model(mode) for mode in ("lstm", "gru", "rnn_tanh", "rnn_relu")},
    **{f"AWDRNN: {mode}": _awd(mode) for mode in ("lstm", "gru")},
    "train.StandardRNN": _language_model("lstm", training=True),
    "train.AWDRNN": _awd("lstm", training=True),
    "BigRNN": _big,
    "train.BigRNN": _big_training(sparse=False),
    "train.BigRNN, sparse": _big_training(sparse=True),
    "CacheCell": _cache,
    "BiLMEncoder: lstmpc": _bilm("lstmpc", proj_size=_UNITS, cell_clip=0.5, proj_clip=0.3),
    "BiLMEncoder: lstm": _bilm("lstm"),
    "BiLMEncoder: gru": _bilm("gru"),
    "ELMoCharacterEncoder": _elmo_characters,
    "ELMoBiLM": _elmo,
    "LSTMPCellWithClip": _clipped_cell,
    "RNNCellLayer": _layer_of_cells,
    "ConvolutionalEncoder": _convolutions,
    "Highway": lambda nlp: (nlp.model.Highway(6, 2), [image(_BATCH, 6)]),
    "GELU": lambda nlp: (nlp.model.GELU(), [image(_BATCH, 6)]),
    "GELU, approximate": lambda nlp: (nlp.model.GELU(approximate=True), [image(_BATCH, 6)]),
    "L2Normalization": lambda nlp: (nlp.model.L2Normalization(), [image(_BATCH, 6)]),
    "ISDense": _sampled_dense("ISDense"),
    "NCEDense": _sampled_dense("NCEDense"),
    "SparseISDense": _sampled_dense("SparseISDense"),
    "SparseNCEDense": _sampled_dense("SparseNCEDense"),
    "CSREmbeddingModel": _embedding,
    "FasttextEmbeddingModel": _subwords,
    "WordEmbeddingSimilarity": _similarity,
    "WordEmbeddingAnalogy: ThreeCosMul": _analogy("ThreeCosMul"),
    "WordEmbeddingAnalogy: ThreeCosAdd": _analogy("ThreeCosAdd"),
    "MaskedSoftmaxCELoss": _masked_loss,
    "LabelSmoothing": _smoothing(units=12),
    "LabelSmoothing of distributions": _smoothing(sparse_label=False),
    "ActivationRegularizationLoss": lambda nlp: (
        nlp.loss.ActivationRegularizationLoss(2),
        [image(_LENGTH, _BATCH, 6), image(_LENGTH, _BATCH, 8)],
    ),
    "TemporalActivationRegularizationLoss": lambda nlp: (
        nlp.loss.TemporalActivationRegularizationLoss(2),
        [image(_LENGTH, _BATCH, 6), image(_LENGTH, _BATCH, 8)],
    ),
}


def _pretrained(name: str, kind: str, *called_with: str, **options: Any) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        vocabulary = words(nlp, kind)
        block = nlp.model.get_model(name, vocab=vocabulary, dataset_name=None, pretrained=False, **options)[0]
        known = {"ids": ids(4, 6), "segments": mx.nd.zeros((4, 6)), "lengths": lengths(4, 6)}
        known["positions"] = mx.nd.array([[0, 2]] * 4, dtype="int32")
        return block, [known[argument] for argument in called_with]

    return build


def _recurrent(name: str) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        block = nlp.model.get_model(name, vocab=words(nlp), dataset_name=None, pretrained=False)[0]
        return block, [ids(6, 4), block.begin_state(batch_size=4, func=mx.nd.ones)]

    return build


def _characters(name: str, hidden: int, width: int) -> Case:
    def build(nlp: Any) -> tuple[Any, list[Any]]:
        block = nlp.model.get_model(name, dataset_name=None, pretrained=False)[0]
        return block, [ids(_BATCH, _LENGTH, 50), _states(width, hidden)]

    return build


def _transformer_en_de(nlp: Any) -> tuple[Any, list[Any]]:
    # What `get_model` builds: it fails itself without the vocabularies that it downloads.
    parts = nlp.model.transformer.get_transformer_encoder_decoder(num_layers=6, prefix="parts_")
    vocabulary = words(nlp)
    options = {"share_embed": True, "tie_weights": True, "embed_size": 512, "prefix": "nmt_"}
    block = nlp.model.translation.NMTModel(vocabulary, vocabulary, *parts, **options)
    return block, [ids(_BATCH, 9), ids(_BATCH, 8), lengths(longest=9), lengths(longest=8)]


_BERT_ARGUMENTS = ("ids", "segments", "lengths", "positions")

#: The models that `gluonnlp.model.get_model` knows, in their full size.
MODELS: dict[str, Case] = {
    "bert_12_768_12": _pretrained("bert_12_768_12", "bert", *_BERT_ARGUMENTS),
    "bert_24_1024_16": _pretrained("bert_24_1024_16", "bert", *_BERT_ARGUMENTS),
    "ernie_12_768_12": _pretrained("ernie_12_768_12", "bert", *_BERT_ARGUMENTS[:3], use_decoder=False),
    "distilbert_6_768_12": _pretrained("distilbert_6_768_12", "bert", "ids", "lengths"),
    "roberta_12_768_12": _pretrained("roberta_12_768_12", "bert", "ids", "lengths", "positions"),
    "roberta_24_1024_16": _pretrained("roberta_24_1024_16", "bert", "ids", "lengths", "positions"),
    "standard_lstm_lm_200": _recurrent("standard_lstm_lm_200"),
    "standard_lstm_lm_650": _recurrent("standard_lstm_lm_650"),
    "standard_lstm_lm_1500": _recurrent("standard_lstm_lm_1500"),
    "awd_lstm_lm_600": _recurrent("awd_lstm_lm_600"),
    "awd_lstm_lm_1150": _recurrent("awd_lstm_lm_1150"),
    "big_rnn_lm_2048_512": _recurrent("big_rnn_lm_2048_512"),
    "elmo_2x1024_128_2048cnn_1xhighway": _characters("elmo_2x1024_128_2048cnn_1xhighway", 1024, 128),
    "elmo_2x2048_256_2048cnn_1xhighway": _characters("elmo_2x2048_256_2048cnn_1xhighway", 2048, 256),
    "elmo_2x4096_512_2048cnn_2xhighway": _characters("elmo_2x4096_512_2048cnn_2xhighway", 4096, 512),
    "transformer_en_de_512": _transformer_en_de,
}
