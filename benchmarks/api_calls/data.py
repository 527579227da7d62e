"""Loading of data, and files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api_calls.table import case, integers, mlp, normal, pixels

if TYPE_CHECKING:
    from api_calls.table import Call


@case("data/DataLoader-arrays")
def _loader(mx: Any) -> Call:
    data = mx.gluon.data.ArrayDataset(normal(mx, 512, 32), integers(mx, 10, 512))
    loader = mx.gluon.data.DataLoader(data, batch_size=64, shuffle=True)
    return lambda: list(loader)


@case("data/DataLoader-numpy")
def _numpy_loader(mx: Any) -> Call:
    data = mx.gluon.data.ArrayDataset(normal(mx, 512, 32).asnumpy(), integers(mx, 10, 512).asnumpy())
    loader = mx.gluon.data.DataLoader(data, batch_size=64)
    return lambda: list(loader)


@case("data/DataLoader-pictures")
def _picture_loader(mx: Any) -> Call:
    transforms = mx.gluon.data.vision.transforms
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.2,) * 3)])
    data = mx.gluon.data.ArrayDataset(pixels(mx, 64, 32, 32, 3), integers(mx, 10, 64)).transform_first(transform)
    loader = mx.gluon.data.DataLoader(data, batch_size=16)
    return lambda: list(loader)


@case("data/NDArrayIter")
def _iterator(mx: Any) -> Call:
    batches = mx.io.NDArrayIter(normal(mx, 512, 32), integers(mx, 10, 512), batch_size=64, shuffle=True)

    def call() -> None:
        batches.reset()
        for _ in batches:
            pass

    return call


@case("data/batchify")
def _batchify(mx: Any) -> Call:
    rows = [normal(mx, 3, 32, 32) for _ in range(32)]
    return lambda: mx.gluon.data.dataloader.default_batchify_fn(rows)


@case("data/split_and_load")
def _split_and_load(mx: Any) -> Call:
    x = normal(mx, 64, 32)
    return lambda: mx.gluon.utils.split_and_load(x, [mx.cpu(0), mx.cpu(1)])


@case("data/clip_global_norm")
def _clip_global_norm(mx: Any) -> Call:
    arrays = [normal(mx, 16, 16) for _ in range(50)]
    return lambda: mx.gluon.utils.clip_global_norm(arrays, 1.0)


def _folder() -> Path:
    return Path(tempfile.mkdtemp())


@case("file/nd.save-load")
def _save(mx: Any) -> Call:
    file, arrays = str(_folder() / "arrays"), {f"x{index}": normal(mx, 64, 64) for index in range(100)}

    def call() -> Any:
        mx.nd.save(file, arrays)
        return mx.nd.load(file)

    return call


@case("file/save_parameters")
def _parameters(mx: Any) -> Call:
    net, file = mlp(mx, 20), str(_folder() / "net.params")
    net.initialize()
    net(normal(mx, 8, 16))

    def call() -> None:
        net.save_parameters(file)
        net.load_parameters(file)

    return call


@case("file/export-import")
def _export(mx: Any) -> Call:
    net, file = mlp(mx, 5), str(_folder() / "net")
    net.initialize()
    net.hybridize()
    net(normal(mx, 8, 16))

    def call() -> Any:
        net.export(file)
        return mx.gluon.SymbolBlock.imports(file + "-symbol.json", ["data"], file + "-0000.params")

    return call


@case("file/recordio")
def _recordio(mx: Any) -> Call:
    file, header = str(_folder() / "records.rec"), mx.recordio.IRHeader(0, 1.0, 0, 0)

    def call() -> None:
        writer = mx.recordio.MXRecordIO(file, "w")
        for _ in range(100):
            writer.write(mx.recordio.pack(header, b"x" * 1000))
        writer.close()
        reader = mx.recordio.MXRecordIO(file, "r")
        while True:
            record = reader.read()
            if record is None:
                break
            mx.recordio.unpack(record)
        reader.close()

    return call


@case("file/indexed-recordio")
def _indexed(mx: Any) -> Call:
    folder = _folder()
    index, file = str(folder / "records.idx"), str(folder / "records.rec")
    writer = mx.recordio.MXIndexedRecordIO(index, file, "w")
    for key in range(100):
        writer.write_idx(key, b"x" * 1000)
    writer.close()
    reader = mx.recordio.MXIndexedRecordIO(index, file, "r")
    return lambda: [reader.read_idx(key) for key in range(99, -1, -1)]
