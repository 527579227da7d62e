"""``mx.gluon.contrib.data.text``: the WikiText data sets for language models."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.contrib.text.utils import count_tokens_from_str
from hybridlint.runtime.contrib.text.vocab import Vocabulary
from hybridlint.runtime.gluon.data.dataset import _DownloadedDataset
from hybridlint.runtime.gluon.utils import _get_repo_file_url, check_sha1

__all__ = ["WikiText2", "WikiText103"]

_END_OF_SENTENCE = "<eos>"


class _WikiText(_DownloadedDataset):
    """Pairs of `seq_len` token indices and the indices that follow each; both are NDArrays of float32.

    Files missing in `root` are downloaded. Raises OSError if that fails.
    """

    _namespace: str
    _archive_file: tuple[str, str]
    #: Segment -> file name and SHA-1 checksum.
    _data_file: ClassVar[dict[str, tuple[str, str]]]

    def __init__(
        self, root: str | None = None, segment: str = "train", vocab: Vocabulary | None = None, seq_len: int = 35
    ) -> None:
        self._segment = segment
        self._seq_len = seq_len
        self._vocab = vocab
        self._counter: Counter[str] | None = None
        if root is None:
            home = os.environ.get("MXNET_HOME", os.path.join("~", ".mxnet"))
            root = os.path.join(home, "datasets", self._namespace)
        super().__init__(root, None)

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that maps tokens to indices."""
        if self._vocab is None:
            self._vocab = Vocabulary(counter=self.frequencies, reserved_tokens=[_END_OF_SENTENCE])
        return self._vocab

    @property
    def frequencies(self) -> Counter[str] | None:
        """The count of each token."""
        return self._counter

    def _get_data(self) -> None:
        name, sha1 = self._data_file[self._segment]
        path = os.path.join(self._root, name)
        if not os.path.exists(path) or not check_sha1(path, sha1):
            archive, archive_sha1 = self._archive_file
            self._unpack(self._fetch(_get_repo_file_url(f"gluon/dataset/{self._namespace}", archive), archive_sha1))
        with open(path, encoding="utf8") as file:
            content = file.read()
        self._counter = count_tokens_from_str(content)
        lines = (line.split() for line in content.splitlines())
        tokens = list(chain.from_iterable([*line, _END_OF_SENTENCE] for line in lines if line))
        numbers = np.asarray(self.vocabulary.to_indices(tokens), dtype=np.float32)
        rows = (len(numbers) - 1) // self._seq_len
        self._data = nd.array(numbers[: rows * self._seq_len].reshape(rows, self._seq_len))
        self._label = nd.array(numbers[1 : rows * self._seq_len + 1].reshape(rows, self._seq_len))

    def _unpack(self, archive: str) -> None:
        with zipfile.ZipFile(archive) as file:
            for member in file.namelist():
                name = os.path.basename(member)
                if name:
                    with open(os.path.join(self._root, name), "wb") as target:
                        target.write(file.read(member))

    def __getitem__(self, idx: Any) -> Any:
        return self._data[idx], self._label[idx]


class WikiText2(_WikiText):
    """Two million words of Wikipedia."""

    _namespace = "wikitext-2"
    _archive_file = ("wikitext-2-v1.zip", "3c914d17d80b1459be871a5039ac23e752a53cbe")
    _data_file: ClassVar[dict[str, tuple[str, str]]] = {
        "train": ("wiki.train.tokens", "863f29c46ef9d167fff4940ec821195882fe29d1"),
        "validation": ("wiki.valid.tokens", "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422"),
        "test": ("wiki.test.tokens", "c7b8ce0aa086fb34dab808c5c49224211eb2b172"),
    }


class WikiText103(_WikiText):
    """A hundred million words of Wikipedia."""

    _namespace = "wikitext-103"
    _archive_file = ("wikitext-103-v1.zip", "0aec09a7537b58d4bb65362fee27650eeaba625a")
    _data_file: ClassVar[dict[str, tuple[str, str]]] = {
        "train": ("wiki.train.tokens", "b7497e2dfe77e72cfef5e3dbc61b7b53712ac211"),
        "validation": ("wiki.valid.tokens", "c326ac59dc587676d58c422eb8a03e119582f92b"),
        "test": ("wiki.test.tokens", "8a5befc548865cec54ed4273cf87dbbad60d1e47"),
    }
