"""Token vectors, and the registry of embedding classes."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.base import DamagedFileError
from hybridlint.runtime.contrib.text.vocab import UNKNOWN_IDX, Vocabulary
from hybridlint.runtime.gluon.downloads import check_sha1
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.registry import get_create_func, get_register_func, get_registry


class _TokenEmbedding(Vocabulary):
    """Vectors of tokens, by token index: `idx_to_vec` is (tokens, vec_len) of float32."""

    #: The files that a class can load, each with its SHA-1 checksum, or None if it is not checked.
    pretrained_file_name_sha1: ClassVar[Mapping[str, str | None]] = {}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._vec_len = 0
        self._idx_to_vec: NDArray | None = None

    @property
    def vec_len(self) -> int:
        """Length of the vectors."""
        return self._vec_len

    @property
    def idx_to_vec(self) -> NDArray | None:
        """The vectors."""
        return self._idx_to_vec

    @classmethod
    def _check_pretrained_file_names(cls, pretrained_file_name: str) -> None:
        """Raise KeyError for a file name unknown to the class."""
        if pretrained_file_name not in cls.pretrained_file_name_sha1:
            kind = cls.__name__.lower()
            raise KeyError(
                f"Cannot find pretrained file {pretrained_file_name} for token embedding {kind}. Valid pretrained "
                f"files for embedding {kind}: {', '.join(cls.pretrained_file_name_sha1)}"
            )

    @classmethod
    def _get_pretrained_file(cls, embedding_root: str, pretrained_file_name: str) -> str:
        """Return the path of a pretrained file. Raises FileNotFoundError if it is missing or differs."""
        folder = os.path.join(os.path.expanduser(embedding_root), cls.__name__.lower())
        path = os.path.join(folder, pretrained_file_name)
        wanted = cls.pretrained_file_name_sha1[pretrained_file_name]
        if not os.path.exists(path) or (wanted is not None and not check_sha1(path, wanted)):
            raise FileNotFoundError(f"word vectors are not downloaded: put {pretrained_file_name} into {folder}")
        return path

    def _load_embedding(
        self,
        pretrained_file_path: str,
        elem_delim: str,
        init_unknown_vec: Callable[..., NDArray],
        encoding: str = "utf8",
    ) -> None:
        """Load tokens and vectors from a file. Raises ValueError if missing, AssertionError for unequal lengths."""
        path = os.path.expanduser(pretrained_file_path)
        if not os.path.isfile(path):
            raise ValueError("`pretrained_file_path` must be a valid path to the pre-trained token embedding file.")
        logging.info("Loading pre-trained token embedding vectors from %s", path)
        vectors: dict[str, list[float]] = {}
        number = 0
        try:
            with open(path, encoding=encoding) as file:
                for number, line in enumerate(file, start=1):
                    token, *elements = line.rstrip().split(elem_delim)
                    self._take(vectors, number, token, [float(element) for element in elements])
        except UnicodeDecodeError as error:
            raise DamagedFileError(f"{path!r} is no text in {encoding}: {error.reason} after line {number}") from None
        except ValueError as error:
            if isinstance(error, DamagedFileError):
                raise
            raise DamagedFileError(f"{path!r} is no file of vectors, at line {number}: {error}") from None
        unknown = vectors.pop(self.unknown_token, None)
        self._idx_to_token += list(vectors)
        self._token_to_idx = {token: index for index, token in enumerate(self._idx_to_token)}
        first = init_unknown_vec(shape=self.vec_len).asnumpy() if unknown is None else unknown
        self._idx_to_vec = nd.array(np.array([first, *vectors.values()], dtype=np.float32))

    def _take(self, vectors: dict[str, list[float]], number: int, token: str, vector: list[float]) -> None:
        where = f"At line {number} of the pre-trained text embedding file"
        if token in vectors:
            warnings.warn(f"{where}: token {token} is there already and is skipped.", stacklevel=5)
        elif len(vector) == 1:
            warnings.warn(f"{where}: token {token} with 1-dimensional vector is likely a header.", stacklevel=5)
        elif not vector:
            raise DamagedFileError(f"{where}: token {token} has no vector.")
        elif self._vec_len not in {0, len(vector)}:
            raise DamagedFileError(
                f"{where}: the dimension of token {token} is {len(vector)} but the dimension of previous tokens is "
                f"{self._vec_len}. Dimensions of all the tokens must be the same."
            )
        else:
            self._vec_len = len(vector)
            vectors[token] = vector

    def _keep_only(self, vocabulary: Vocabulary | None) -> None:
        """Adopt the token indices of a vocabulary, keeping the vectors of its tokens."""
        if vocabulary is not None:
            self._compose(vocabulary, [_snapshot(self)])

    def _compose(self, vocabulary: Vocabulary, embeddings: Sequence[_TokenEmbedding]) -> None:
        tokens = list(vocabulary.idx_to_token)
        self._idx_to_token = tokens
        self._token_to_idx = dict(vocabulary.token_to_idx)
        self._unknown_token = vocabulary.unknown_token
        self._reserved_tokens = vocabulary.reserved_tokens
        # The vocabulary's unknown token gets each embedding's vector for its own unknown token.
        parts = [e.get_vecs_by_tokens([e.unknown_token, *tokens[1:]]).asnumpy() for e in embeddings]
        self._idx_to_vec = nd.array(np.concatenate(parts, axis=1))
        self._vec_len = self._idx_to_vec.shape[1]

    def _vectors(self) -> NDArray:
        if self._idx_to_vec is None:
            raise AssertionError("The property `idx_to_vec` has not been properly set.")
        return self._idx_to_vec

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> NDArray:
        """Return the vector of a token, or (tokens, vec_len) of a list. Unknown tokens get the unknown token's vector.

        With `lower_case_backup`, a missing token is also looked up in lower case.
        """
        wanted = tokens if isinstance(tokens, list) else [tokens]
        known = self.token_to_idx
        places = [
            known.get(token, known.get(token.lower(), UNKNOWN_IDX) if lower_case_backup else UNKNOWN_IDX)
            for token in wanted
        ]
        found: NDArray = nd.Embedding(nd.array(places), self._vectors(), input_dim=len(self), output_dim=self.vec_len)
        return found if isinstance(tokens, list) else found[0]

    def update_token_vectors(self, tokens: Any, new_vectors: NDArray) -> None:
        """Change the vectors of tokens: (tokens, vec_len), or (vec_len,) for a single token.

        Raises ValueError for an unknown token, and AssertionError for vectors of another shape.
        """
        wanted = tokens if isinstance(tokens, list) else [tokens]
        shapes = [(len(wanted), self.vec_len), (self.vec_len,)][: 2 if len(wanted) == 1 else 1]
        if not isinstance(new_vectors, NDArray) or new_vectors.shape not in shapes:
            raise AssertionError(f"`new_vectors` must be an NDArray of shape {' or '.join(map(str, shapes))}.")
        places = []
        for token in wanted:
            if token not in self.token_to_idx:
                raise ValueError(
                    f"Token {token} is unknown. To update the embedding vector for an unknown token, please specify it "
                    f"explicitly as the `unknown_token` {self.unknown_token} in `tokens`. This is to avoid unintended "
                    "updates."
                )
            places.append(self.token_to_idx[token])
        self._vectors()[nd.array(places, dtype="int32")] = new_vectors.reshape((len(places), -1))


def _snapshot(embedding: _TokenEmbedding) -> _TokenEmbedding:
    same = _TokenEmbedding(unknown_token=embedding.unknown_token)
    vars(same).update(vars(embedding))
    return same


_kind = (_TokenEmbedding, "token embedding")
register = get_register_func(*_kind)
create = get_create_func(*_kind)


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """Return the files of an embedding class, or of all classes. Raises KeyError for an unknown class."""
    known = {name: list(kind.pretrained_file_name_sha1) for name, kind in _pretrained().items()}
    if embedding_name is None:
        return known
    if embedding_name not in known:
        raise KeyError(
            f"Cannot find `embedding_name` {embedding_name}. Use "
            "`get_pretrained_file_names(embedding_name=None).keys()` to get all the valid embedding names."
        )
    return known[embedding_name]


def _pretrained() -> dict[str, Any]:
    kinds = get_registry(_TokenEmbedding)
    return {name: kind for name, kind in kinds.items() if getattr(kind, "pretrained_file_name_sha1", None)}
