"""``mx.contrib.text.embedding``: word vectors from files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.contrib.text.pretrained import FastText, GloVe
from hybridlint.runtime.contrib.text.token_embedding import (
    _TokenEmbedding,
    create,
    get_pretrained_file_names,
    register,
)
from hybridlint.runtime.contrib.text.vocab import Vocabulary
from hybridlint.runtime.ndarray.ndarray import NDArray

__all__ = [
    "CompositeEmbedding",
    "CustomEmbedding",
    "FastText",
    "GloVe",
    "_TokenEmbedding",
    "create",
    "get_pretrained_file_names",
    "register",
]


class CustomEmbedding(_TokenEmbedding):
    """Vectors from a file with one token and its vector per line."""

    def __init__(
        self,
        pretrained_file_path: str,
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Callable[..., NDArray] = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._load_embedding(pretrained_file_path, elem_delim, init_unknown_vec, encoding)
        self._keep_only(vocabulary)


class CompositeEmbedding(_TokenEmbedding):
    """Concatenated vectors of several embeddings, for the tokens of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary, token_embeddings: Any) -> None:
        super().__init__()
        several = token_embeddings if isinstance(token_embeddings, list) else [token_embeddings]
        self._compose(vocabulary, several)
