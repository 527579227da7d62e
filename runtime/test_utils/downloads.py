"""Data sets and files for tests: downloaded once into the current directory, and found there from then on."""

from __future__ import annotations

import bz2
import gzip
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hybridlint.runtime.gluon import utils
from hybridlint.runtime.io import DataIter, MNISTIter

_DATA = "http://data.mxnet.io/"
_MNIST = ("train-labels-idx1-ubyte", "train-images-idx3-ubyte", "t10k-labels-idx1-ubyte", "t10k-images-idx3-ubyte")


def download(
    url: str, fname: str | None = None, dirname: str | None = None, overwrite: bool = False, retries: int = 5
) -> str:
    """Return the path of a file, which is downloaded unless it is there."""
    path = Path(fname or url.rpartition("/")[2])
    if dirname is not None:
        path = Path(dirname) / path
        path.parent.mkdir(parents=True, exist_ok=True)
    if overwrite or not path.exists():
        utils.download(url, str(path), overwrite=overwrite, retries=retries)
    return str(path)


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Download an archive into a folder and unpack it there."""
    path = Path(data_dir) / data_origin_name
    if not path.exists():
        download(url, dirname=data_dir)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(data_dir)


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Download a compressed file into a folder and unpack it there; nothing if the unpacked file is there."""
    target, packed = Path(data_dir) / data_name, Path(data_dir) / data_origin_name
    if target.exists():
        return
    download(url, str(packed))
    target.write_bytes(bz2.decompress(packed.read_bytes()))
    packed.unlink()


def get_mnist() -> dict[str, npt.NDArray[Any]]:
    """Return the handwritten digits, images in [0, 1] and labels, from the files of the current directory."""
    train_label, train, test_label, test = (_idx(download(f"{_DATA}data/mnist/{name}.gz")) for name in _MNIST)
    return {
        "train_data": _images(train),
        "train_label": train_label.astype(np.int8),
        "test_data": _images(test),
        "test_label": test_label.astype(np.int8),
    }


def _idx(path: str) -> npt.NDArray[Any]:
    """Return what a compressed idx file of bytes holds."""
    content = gzip.decompress(Path(path).read_bytes())
    rank = content[3]
    shape = struct.unpack_from(f">{rank}I", content, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * rank).reshape(shape)


def _images(pixels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return pixels.reshape(len(pixels), 1, *pixels.shape[1:]).astype(np.float32) / 255


def get_mnist_pkl() -> None:
    """Download the digits as a pickle into the folder `data`."""
    if not Path("data/mnist.pkl.gz").exists():
        download("http://deeplearning.net/data/mnist/mnist.pkl.gz", dirname="data")


def get_mnist_ubyte() -> None:
    """Download the digits as files of bytes into the folder `data`; nothing if all are there."""
    if not all(Path("data", name).exists() for name in _MNIST):
        get_zip_data("data", f"{_DATA}mxnet/data/mnist.zip", "mnist.zip")


def get_cifar10() -> None:
    """Download small pictures in ten classes, as records, into `data/cifar`; nothing if they are there."""
    if not all(Path("data/cifar", name).exists() for name in ("train.rec", "test.rec", "train.lst", "test.lst")):
        get_zip_data("data", f"{_DATA}mxnet/data/cifar10.zip", "cifar10.zip")


def get_mnist_iterator(
    batch_size: int, input_shape: tuple[int, ...], num_parts: int = 1, part_index: int = 0
) -> tuple[DataIter, DataIter]:
    """Return iterators over the training and the test digits; flat ones for an `input_shape` of one dimension."""
    get_mnist_ubyte()
    common: dict[str, Any] = {
        "input_shape": input_shape,
        "batch_size": batch_size,
        "shuffle": True,
        "flat": len(input_shape) != 3,
        "num_parts": num_parts,
        "part_index": part_index,
    }
    train_label, train, test_label, test = (f"data/{name}" for name in _MNIST)
    return MNISTIter(image=train, label=train_label, **common), MNISTIter(image=test, label=test_label, **common)


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """Return the path of MXNet's script that makes records of images. Raises OSError where there is none."""
    home = os.environ.get(home_env)
    for path in () if home is None else (Path(home) / "tools/im2rec.py", Path(home) / "python/mxnet/tools/im2rec.py"):
        if path.is_file():
            return str(path)
    raise OSError("Could not find path to tools/im2rec.py")
