"""Sentences as numbers, in batches of equal length."""

from __future__ import annotations

import bisect
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.io import DataBatch, DataDesc, DataIter
from hybridlint.runtime.ndarray import NDArray, array


def encode_sentences(
    sentences: Sequence[Sequence[Any]],
    vocab: Mapping[Any, int] | None = None,
    invalid_label: int = -1,
    invalid_key: Any = "\n",
    start_label: int = 0,
    unknown_token: Any = None,
) -> tuple[list[list[int]], Mapping[Any, int]]:
    """Return sentences with numbers for words, and the vocabulary, which is built where none is given.

    Raises AssertionError for a word that a given vocabulary lacks, unless `unknown_token` represents it.
    """
    known: Any = {invalid_key: invalid_label} if vocab is None else vocab
    following = start_label

    def number(word: Any) -> int:
        nonlocal following
        if word not in known:
            if vocab is not None and not unknown_token:
                raise AssertionError(f"Unknown token {word}")
            following += following == invalid_label
            word = unknown_token or word
            if word not in known:
                known[word] = following
                following += 1
        found: int = known[word]
        return found

    if vocab is not None and unknown_token and unknown_token not in known:
        known[unknown_token] = following
        following += 1
    return [[number(word) for word in sentence] for sentence in sentences], known


class BucketSentenceIter(DataIter):
    """Batches of sentences padded to the length of their bucket; labels are the next words.

    `data` holds a numpy array of rows for each bucket, `nddata` and `ndlabel` what batches are cut from: a class that
    inherits may write them in `reset`. Sentences that are longer than every bucket are left out.

    Raises ValueError for a layout without N first or second.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        batch_size: int,
        buckets: Sequence[int] | None = None,
        invalid_label: int = -1,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
        layout: str = "NT",
    ) -> None:
        super().__init__(batch_size)
        if not buckets:
            counts = np.bincount([len(s) for s in sentences])
            buckets = [length for length, count in enumerate(counts) if count >= batch_size]
        self.buckets = sorted(buckets)
        self.data_name, self.label_name = data_name, label_name
        self.dtype, self.invalid_label, self.layout = dtype, invalid_label, layout
        self.major_axis = layout.find("N")
        if self.major_axis not in (0, 1):
            raise ValueError(f"Invalid layout {layout}: Must by NT (batch major) or TN (time major)")
        self.default_bucket_key = max(self.buckets)
        self.data = [self._padded(sentences, k) for k in range(len(self.buckets))]
        self.nddata: list[NDArray] = []
        self.ndlabel: list[NDArray] = []
        self.provide_data = [self._described(data_name, self.default_bucket_key)]
        self.provide_label = [self._described(label_name, self.default_bucket_key)]
        self.idx = [
            (k, at) for k, rows in enumerate(self.data) for at in range(0, len(rows) - batch_size + 1, batch_size)
        ]
        self.curr_idx = 0
        self.reset()

    def _padded(self, sentences: Sequence[Sequence[int]], bucket: int) -> Any:
        length = self.buckets[bucket]
        own = [s for s in sentences if bisect.bisect_left(self.buckets, len(s)) == bucket]
        rows = np.full((len(own), length), self.invalid_label, dtype=self.dtype)
        for row, sentence in zip(rows, own, strict=True):
            row[: len(sentence)] = sentence
        return rows

    def _described(self, name: str, length: int) -> DataDesc:
        shape = (self.batch_size, length) if self.major_axis == 0 else (length, self.batch_size)
        return DataDesc(name=name, shape=shape, layout=self.layout)

    def reset(self) -> None:
        """Return to the first batch of the next epoch, with sentences and batches in another order."""
        self.curr_idx = 0
        random.shuffle(self.idx)
        self.nddata, self.ndlabel = [], []
        for rows in self.data:
            np.random.shuffle(rows)
            following = np.full_like(rows, self.invalid_label)
            following[:, :-1] = rows[:, 1:]
            self.nddata.append(array(rows, dtype=self.dtype))
            self.ndlabel.append(array(following, dtype=self.dtype))

    def next(self) -> DataBatch:
        """Return the next batch. Raises StopIteration at the end."""
        if self.curr_idx == len(self.idx):
            raise StopIteration
        bucket, at = self.idx[self.curr_idx]
        self.curr_idx += 1
        rows = slice(at, at + self.batch_size)
        data, label = self.nddata[bucket][rows], self.ndlabel[bucket][rows]
        if self.major_axis == 1:
            data, label = data.T, label.T
        length = self.buckets[bucket]
        return DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=length,
            provide_data=[self._described(self.data_name, length)],
            provide_label=[self._described(self.label_name, length)],
        )
