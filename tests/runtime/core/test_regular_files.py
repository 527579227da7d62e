"""Readers open regular files alone: a pipe or a device in the place of one raises at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hybridlint.runtime as mx

READERS: dict[str, Callable[[str], Any]] = {
    "nd.load": mx.nd.load,
    "sym.load": mx.sym.load,
    "image.imread": mx.image.imread,
    "recordio": lambda path: mx.recordio.MXRecordIO(path, "r"),
    "CSVIter": lambda path: mx.io.CSVIter(data_csv=path, data_shape=(1,), batch_size=1),
    "LibSVMIter": lambda path: mx.io.LibSVMIter(data_libsvm=path, data_shape=(1,), batch_size=1),
    "MNISTIter": lambda path: mx.io.MNISTIter(image=path, label=path, batch_size=1),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("name", READERS)
def test_pipes_and_devices_raise_at_once(name: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero"):
        with pytest.raises(mx.base.MXNetError, match="it is a pipe or a device, not a file"):
            READERS[name](path)
