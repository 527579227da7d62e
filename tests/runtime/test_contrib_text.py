"""Vectors of words: files, shapes of updates, and what is known by name. The numbers are those of MXNet."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from hybridlint import runtime as mx
from hybridlint.runtime.contrib import text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of embeddings with one file of GloVe's in its place."""
    (tmp_path / "glove").mkdir()
    (tmp_path / "glove" / "glove.6B.50d.txt").write_text("a 1 2\nb 3 4\n")
    return tmp_path


def test_files_that_others_have_trained_are_known_by_name() -> None:
    names = text.embedding.get_pretrained_file_names()
    assert {kind: len(files) for kind, files in names.items()} == {"glove": 10, "fasttext": 327}
    assert "wiki.simple.vec" in text.embedding.get_pretrained_file_names("fasttext")
    with pytest.raises(KeyError, match="Cannot find `embedding_name` word2vec"):
        text.embedding.get_pretrained_file_names("word2vec")


def test_a_file_is_used_where_it_lies_and_named_where_it_does_not(folder: Path) -> None:
    vectors = text.embedding.create("glove", pretrained_file_name="glove.6B.50d.txt", embedding_root=str(folder))
    assert vectors.idx_to_token == ["<unk>", "a", "b"]
    assert vectors.idx_to_vec.asnumpy().tolist() == [[0, 0], [1, 2], [3, 4]]
    with pytest.raises(FileNotFoundError, match=r"wiki\.simple\.vec into .*fasttext"):
        text.embedding.FastText(embedding_root=str(folder))
    with pytest.raises(KeyError, match="Valid pretrained files for embedding glove"):
        text.embedding.GloVe("glove.1B.txt")


def test_a_class_of_ones_own_is_created_by_name(folder: Path) -> None:
    (folder / "mine").mkdir()
    file = folder / "mine" / "words.vec"
    file.write_text("hello 1 2\n")

    @text.embedding.register
    class Mine(text.embedding._TokenEmbedding):
        pretrained_file_name_sha1: ClassVar = {"words.vec": hashlib.sha1(file.read_bytes()).hexdigest()}

        def __init__(self) -> None:
            super().__init__()
            self._check_pretrained_file_names("words.vec")
            self._load_embedding(self._get_pretrained_file(str(folder), "words.vec"), " ", mx.nd.ones)

    assert text.embedding.create("mine").idx_to_vec.asnumpy().tolist() == [[1, 1], [1, 2]]
    file.write_text("hello 1 3\n")
    with pytest.raises(FileNotFoundError, match="not downloaded"):
        text.embedding.create("mine")


def test_new_vectors_have_the_shape_of_what_they_replace(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("a 1 2\nb 3 4\n")
    vectors = text.embedding.CustomEmbedding(str(file))
    vectors.update_token_vectors("a", mx.nd.array([5, 6]))
    vectors.update_token_vectors(["<unk>", "b"], mx.nd.array([[7, 8], [9, 10]]))
    assert vectors.get_vecs_by_tokens(["<unk>", "a", "b"]).asnumpy().tolist() == [[7, 8], [5, 6], [9, 10]]
    for tokens, shape in (("a", (1,)), ("a", (2, 2)), (["a", "b"], (2,))):
        with pytest.raises(AssertionError, match="new_vectors"):
            vectors.update_token_vectors(tokens, mx.nd.zeros(shape))


def test_delimiters_keep_their_case_where_tokens_lose_it() -> None:
    counts = text.utils.count_tokens_from_str("aXBxC", "X", "\n", to_lower=True)
    assert counts == Counter({"a": 1, "bxc": 1})


def test_numbers_of_tokens_are_checked_at_the_upper_end() -> None:
    vocabulary = text.vocab.Vocabulary(Counter("aab"))
    assert vocabulary.to_tokens([1, -1]) == ["a", "b"]
    with pytest.raises(ValueError, match="index 3"):
        vocabulary.to_tokens(3)
    assert np.isscalar(vocabulary.to_indices("a"))
