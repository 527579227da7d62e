"""``mx.gluon.data.vision.datasets``: MNIST, CIFAR, image folders and image records."""

from __future__ import annotations

import gzip
import os
import struct
import tarfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from hybridlint.runtime import image, recordio
from hybridlint.runtime.gluon.data.dataset import Dataset, RecordFileDataset, _DownloadedDataset, as_rows
from hybridlint.runtime.gluon.utils import _get_repo_file_url, check_sha1
from hybridlint.runtime.util import is_np_array

Transform = Callable[..., Any]

_IMAGES = (".jpg", ".jpeg", ".png")


def _home(name: str) -> str:
    return os.path.join(os.environ.get("MXNET_HOME", os.path.join("~", ".mxnet")), "datasets", name)


class MNIST(_DownloadedDataset):
    """Handwritten digits: uint8 images (28, 28, 1) with numpy int32 labels.

    Files missing in `root` are downloaded. Raises OSError if that fails.
    """

    _namespace = "mnist"
    _train_data = ("train-images-idx3-ubyte.gz", "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d")
    _train_label = ("train-labels-idx1-ubyte.gz", "2a80914081dc54586dbdf242f9805a6b8d2a15fc")
    _test_data = ("t10k-images-idx3-ubyte.gz", "c3a25af1f52dad7f726cce8cacb138654b760d48")
    _test_label = ("t10k-labels-idx1-ubyte.gz", "763e7fa3757d93b0cdec073cef058b2004252c17")

    def __init__(self, root: str | None = None, train: bool = True, transform: Transform | None = None) -> None:
        self._train = train
        super().__init__(_home(self._namespace) if root is None else root, transform)

    def _get_data(self) -> None:
        data, label = (self._train_data, self._train_label) if self._train else (self._test_data, self._test_label)
        images, labels = (
            self._fetch(_get_repo_file_url(f"gluon/dataset/{self._namespace}", name), sha1)
            for name, sha1 in (data, label)
        )
        with gzip.open(labels, "rb") as file:
            struct.unpack(">II", file.read(8))
            numbers = np.frombuffer(file.read(), dtype=np.uint8).astype(np.int32)
        with gzip.open(images, "rb") as file:
            file.read(16)
            pixels = np.frombuffer(file.read(), dtype=np.uint8).reshape(len(numbers), 28, 28, 1)
        self._data, self._label = _array(pixels), numbers


class FashionMNIST(MNIST):
    """Images of clothes: uint8 images (28, 28, 1) with numpy int32 labels."""

    _namespace = "fashion-mnist"
    _train_data = ("train-images-idx3-ubyte.gz", "0cf37b0d40ed5169c6b3aba31069a9770ac9043d")
    _train_label = ("train-labels-idx1-ubyte.gz", "236021d52f1e40852b06a4c3008d8de8aef1e40b")
    _test_data = ("t10k-images-idx3-ubyte.gz", "626ed6a7c06dd17c0eec72fa3be1740f146a2863")
    _test_label = ("t10k-labels-idx1-ubyte.gz", "17f9ab60e7257a1620f4ad76bbbaf857c3920701")


class CIFAR10(_DownloadedDataset):
    """Small images of ten classes: uint8 images (32, 32, 3) with numpy int32 labels."""

    _namespace = "cifar10"
    _archive_file = ("cifar-10-binary.tar.gz", "fab780a1e191a7eda0f345501ccd62d20f7ed891")
    _train_data: tuple[tuple[str, str], ...] = (
        ("data_batch_1.bin", "aadd24acce27caa71bf4b10992e9e7b2d74c2540"),
        ("data_batch_2.bin", "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795"),
        ("data_batch_3.bin", "1dd00a74ab1d17a6e7d73e185b69dbf31242f295"),
        ("data_batch_4.bin", "aab85764eb3584312d3c7f65fd2fd016e36a258e"),
        ("data_batch_5.bin", "26e2849e66a845b7f1e4614ae70f4889ae604628"),
    )
    _test_data: tuple[tuple[str, str], ...] = (("test_batch.bin", "67eb016db431130d61cd03c7ad570b013799c88c"),)
    # The number of label bytes before the pixels, and which of them is used.
    _labels, _place = 1, 0

    def __init__(self, root: str | None = None, train: bool = True, transform: Transform | None = None) -> None:
        self._train = train
        super().__init__(_home(self._namespace) if root is None else root, transform)

    def _read_batch(self, filename: str) -> tuple[Any, Any]:
        rows = np.fromfile(filename, dtype=np.uint8).reshape(-1, self._labels + 3 * 32 * 32)
        pixels = rows[:, self._labels :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return pixels, rows[:, self._place].astype(np.int32)

    def _get_data(self) -> None:
        files = self._train_data if self._train else self._test_data
        paths = [os.path.join(self._root, name) for name, _ in files]
        known = zip(paths, files, strict=True)
        if not all(os.path.exists(path) and check_sha1(path, sha1) for path, (_, sha1) in known):
            self._unpack()
        batches = [self._read_batch(path) for path in paths]
        self._data = _array(np.concatenate([data for data, _ in batches]))
        self._label = np.concatenate([label for _, label in batches])

    def _unpack(self) -> None:
        """Extract the archive's files into the folder, without the archive's own folder."""
        name, sha1 = self._archive_file
        with tarfile.open(self._fetch(_get_repo_file_url(f"gluon/dataset/{self._namespace}", name), sha1)) as archive:
            for member in archive.getmembers():
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    with open(os.path.join(self._root, os.path.basename(member.name)), "wb") as file:
                        file.write(content.read())


class CIFAR100(CIFAR10):
    """Small images of 20 classes (100 with `fine_label`): uint8 images (32, 32, 3) with numpy int32 labels."""

    _namespace = "cifar100"
    _archive_file = ("cifar-100-binary.tar.gz", "a0bb982c76b83111308126cc779a992fa506b90b")
    _train_data = (("train.bin", "e207cd2e05b73b1393c74c7f5e7bea451d63e08e"),)
    _test_data = (("test.bin", "8fb6623e830365ff53cf14adec797474f5478006"),)
    _labels = 2

    def __init__(
        self,
        root: str | None = None,
        fine_label: bool = False,
        train: bool = True,
        transform: Transform | None = None,
    ) -> None:
        self._fine_label = fine_label
        self._place = int(fine_label)
        super().__init__(root, train, transform)


class ImageRecordDataset(RecordFileDataset):
    """Images (height, width, C) of uint8 and their labels from a record file. `flag` is 0 for gray images."""

    def __init__(self, filename: str, flag: int = 1, transform: Transform | None = None) -> None:
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: Any) -> Any:
        header, data = recordio.unpack(super().__getitem__(idx))
        pixels = image.imdecode(data, self._flag)
        return (pixels, header.label) if self._transform is None else self._transform(pixels, header.label)


class ImageFolderDataset(Dataset):
    """Images in a folder with one subfolder per class, sorted by name; the label is the class index.

    `synsets` are the class names, `items` pairs of file and label. Entries that are neither folders nor images are
    skipped with a warning.
    """

    def __init__(self, root: str, flag: int = 1, transform: Transform | None = None) -> None:
        self._root = os.path.expanduser(root)
        self._flag = flag
        self._transform = transform
        self._exts = list(_IMAGES)
        self._list_images(self._root)

    def _list_images(self, root: str) -> None:
        self.synsets: list[str] = []
        self.items: list[tuple[str, int]] = []
        for folder in sorted(os.listdir(root)):
            path = os.path.join(root, folder)
            if not os.path.isdir(path):
                warnings.warn(f"Ignoring {path}, which is not a directory.", stacklevel=3)
                continue
            label = len(self.synsets)
            self.synsets.append(folder)
            self.items += self._images_of(path, label)

    def _images_of(self, folder: str, label: int) -> list[tuple[str, int]]:
        found = []
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            suffix = os.path.splitext(name)[1]
            if suffix.lower() in self._exts:
                found.append((path, label))
            else:
                warnings.warn(f"Ignoring {path} of type {suffix}. Only support {', '.join(self._exts)}", stacklevel=4)
        return found

    def __getitem__(self, idx: Any) -> Any:
        path, label = self.items[idx]
        pixels = image.imread(path, self._flag)
        return (pixels, label) if self._transform is None else self._transform(pixels, label)

    def __len__(self) -> int:
        return len(self.items)


def _array(pixels: Any) -> Any:
    array = as_rows(pixels)
    return array.as_np_ndarray() if is_np_array() else array
