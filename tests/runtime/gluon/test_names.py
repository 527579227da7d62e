"""What projects import from the modules of gluon beside layers: helpers, files from the network."""

from __future__ import annotations

import hashlib
import importlib
from typing import TYPE_CHECKING, Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon import utils

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {
    "gluon": "Block HybridBlock Parameter ParameterDict Trainer contrib loss nn rnn tensor_types utils",
    "gluon.block": "Block HybridBlock SymbolBlock HookHandle _BlockScope _brief_print_list _flatten _indent _regroup",
    "gluon.contrib.cnn.conv_layers": "DeformableConvolution ModulatedDeformableConvolution",
    "gluon.contrib.nn": "Concurrent HybridConcurrent Identity PixelShuffle2D SparseEmbedding SyncBatchNorm",
    "gluon.contrib.rnn": "Conv2DLSTMCell LSTMPCell VariationalDropoutCell",
    "gluon.contrib.rnn.conv_rnn_cell": "Conv1DRNNCell Conv3DGRUCell",
    "gluon.contrib.rnn.rnn_cell": "LSTMPCell VariationalDropoutCell dynamic_unroll",
    "gluon.nn.basic_layers": "BatchNorm Dense HybridSequential LayerNorm _BatchNorm",
    "gluon.nn.conv_layers": "Conv2D MaxPool2D ReflectionPad2D _Conv _Pooling",
    "gluon.parameter": "Constant DeferredInitializationError Parameter ParameterDict tensor_types",
    "gluon.rnn.rnn_cell": "HybridRecurrentCell LSTMCell ModifierCell",
    "gluon.rnn.rnn_layer": "GRU LSTM RNN _RNNLayer",
    "gluon.utils": "_get_repo_file_url _get_repo_url check_sha1 download replace_file split_and_load",
}


@pytest.mark.parametrize("module", NAMES)
def test_module_offers_what_projects_import(module: str) -> None:
    found = importlib.import_module(f"hybridlint.runtime.{module}")
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


@pytest.fixture
def url(tmp_path: Path) -> str:
    (tmp_path / "source").mkdir()
    file = tmp_path / "source" / "data.bin"
    file.write_bytes(b"content")
    return file.as_uri()


def test_download_takes_a_folder_or_a_name(url: str, tmp_path: Path) -> None:
    assert utils.download(url, str(tmp_path)) == str(tmp_path / "data.bin")
    assert utils.download(url, str(tmp_path / "new" / "other.bin")) == str(tmp_path / "new" / "other.bin")
    assert (tmp_path / "new" / "other.bin").read_bytes() == b"content"


def test_download_keeps_a_file_with_the_right_sum(url: str, tmp_path: Path) -> None:
    target = tmp_path / "data.bin"
    target.write_bytes(b"old")
    old, new = (hashlib.sha1(text, usedforsecurity=False).hexdigest() for text in (b"old", b"content"))
    utils.download(url, str(target), sha1_hash=old)
    assert target.read_bytes() == b"old"
    utils.download(url, str(target), sha1_hash=new)
    assert target.read_bytes() == b"content"


def test_download_refuses_another_content(url: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="hash does not match"):
        utils.download(url, str(tmp_path / "x"), sha1_hash="0" * 40, retries=1)
    assert not (tmp_path / "x").exists()


def test_repository_can_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_GLUON_REPO", "https://example.org/mirror")
    assert utils._get_repo_file_url("gluon/dataset", "a.zip") == "https://example.org/mirror/gluon/dataset/a.zip"


@pytest.mark.parametrize(
    ("shape", "legacy", "numpy"),
    [(None, False, False), ((), False, True), ((1, 0), False, True), ((2, 3), True, True)],
)
def test_known_shapes(shape: Any, legacy: bool, numpy: bool) -> None:
    assert utils.shape_is_known(shape) is legacy
    with mx.util.np_shape(True):
        assert utils.shape_is_known(shape) is numpy


def test_sizes_below_unknown_are_refused() -> None:
    with pytest.raises(AssertionError, match="cannot be less than 0, while received -1"):
        utils.shape_is_known((1, -1))


def test_long_lists_are_shortened_in_the_middle() -> None:
    assert utils._brief_print_list(list("abcdefgh")) == "'a', 'b', 'c', ..., 'e', 'f', 'g', 'h'"
