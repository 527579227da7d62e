"""Ask the real MXNet 1.9.1 what its modules for data and images give, and keep the answers beside this file.

    PYTHON_WITH_MXNET tests/goldens/data.py

`answer` runs on any module with MXNet's interface, so that the tests ask the bundled runtime the same way. This file
runs in both interpreters, so it stays within Python 3.8.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).parent / "data.json"

_SET = "D.SimpleDataset(list(range(10)))"
_DATES = "counted('life is good\\nlife is long')"
_BOXES = "np.array([[0, .1, .1, .5, .6], [1, .4, .3, .9, .9], [2, 0, 0, .2, .2]], 'f')"
_LINES = "mx.sym.FullyConnected(mx.sym.Activation(mx.sym.FullyConnected(mx.sym.var('data'), num_hidden=3, name='a'), "

_MODELS = """
alexnet densenet121 densenet161 densenet169 densenet201 inceptionv3 mobilenet0.25 mobilenet0.5 mobilenet0.75
mobilenet1.0 mobilenetv2_0.25 mobilenetv2_0.5 mobilenetv2_0.75 mobilenetv2_1.0 resnet18_v1 resnet34_v1
resnet50_v1 resnet101_v1 resnet152_v1 resnet18_v2 resnet34_v2 resnet50_v2 resnet101_v2 resnet152_v2
squeezenet1.0 squeezenet1.1 vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn
""".split()  # noqa: SIM905

#: Expressions: D is gluon.data, T its transforms, I mx.image, R mx.recordio; `u` is an image of bytes, `f` of floats.
CASES = [
    # data sets and samplers
    f"[list({_SET}.shard(3, k)) for k in range(3)]",
    f"{_SET}.shard(3, 3)",
    f"[len({_SET}.take(3)), len({_SET}.take(None)), len({_SET}.take(100))]",
    f"list({_SET}.filter(lambda x: x % 2))",
    f"{_SET}.sample(3)",
    f"list({_SET}.sample(D.SequentialSampler(3, 2)))",
    f"{_SET}.transform(lambda x: x * 2)[3]",
    f"{_SET}.transform(lambda x: x * 2, lazy=False)[3]",
    "D.ArrayDataset([1, 2], [3, 4]).transform_first(lambda x: x + 10)[1]",
    "D.ArrayDataset([1, 2], [3, 4]).transform(lambda x, y: x * y)[1]",
    "D.ArrayDataset(mx.nd.arange(3), mx.nd.zeros((3, 2)))[1]",
    "D.ArrayDataset()",
    "D.ArrayDataset([1], [1, 2])",
    "list(D.BatchSampler(D.SequentialSampler(7), 3, 'keep'))",
    "twice(D.BatchSampler(D.SequentialSampler(7), 3, 'rollover'))",
    "twice(D.BatchSampler(D.SequentialSampler(7), 3, 'discard'))",
    "list(D.BatchSampler(D.SequentialSampler(7), 3, 'nothing'))",
    "list(D.RandomSampler(5))",
    "list(D.FilterSampler(lambda x: x > 5, list(range(8))))",
    "list(mx.gluon.contrib.data.IntervalSampler(13, 3))",
    "list(mx.gluon.contrib.data.IntervalSampler(13, 3, rollover=False))",
    "mx.gluon.contrib.data.IntervalSampler(3, 4)",
    # loaders
    "list(D.DataLoader(list(range(10)), 4))",
    "list(D.DataLoader(list(range(10)), 4, last_batch='rollover'))",
    "list(D.DataLoader(list(range(10)), 4, shuffle=True))",
    "list(D.DataLoader(D.ArrayDataset(np.arange(6).reshape(3, 2), np.arange(3.0)), 2))",
    "D.DataLoader([1])",
    "D.DataLoader([1], 1, shuffle=True, sampler=D.SequentialSampler(1))",
    "D.DataLoader([1], 1, batch_sampler=[[0]])",
    "D.dataloader.default_batchify_fn([(1, mx.nd.ones((2,), dtype='int32'))] * 2)",
    "D.dataloader.default_batchify_fn(['a', 'b'])",
    "D.dataloader.default_batchify_fn([True, False])",
    # records
    "written([b'', b'abc', b'x' * 8, MAGIC, b'abcd' + MAGIC + b'ef', b'a' + MAGIC, MAGIC * 2, b'zz' + MAGIC * 3])",
    "R.pack(R.IRHeader(0, 4.0, 2574, 0), b'ab').hex()",
    "R.pack(R.IRHeader(9, [1, 2.5], 3, 4), b'ab').hex()",
    "R.unpack(R.pack(R.IRHeader(9, [1, 2.5], 3, 4), b'ab'))",
    "R.MXRecordIO('x', 'a')",
    "R.MXRecordIO('/nowhere/x', 'r')",
    # sizes and parts of images
    *[f"I.imresize({x}, {size}, interp={k})" for x in "uf" for size in ("7, 9", "18, 16") for k in range(5)],
    "I.resize_short(u, 10)",
    "I.scale_down((640, 480), (720, 120))",
    "I.fixed_crop(u, 1, 2, 5, 6, (3, 4), 9)",
    "I.center_crop(u, (11, 50))",
    "I.random_crop(u, (11, 5))",
    "I.random_size_crop(u, (11, 5), (0.1, 0.5), (0.5, 2))",
    "I.copyMakeBorder(mx.nd.ones((3, 3)), 1, 1, 1, 1)",
    *[f"I.copyMakeBorder(u, 1, 2, 3, 4, {how})" for how in ("type=1", "type=2", "value=9.0", "values=(5, 6, 7)")],
    "I.color_normalize(f, mx.nd.array([1, 2, 3]), mx.nd.array([2, 2, 2]))",
    *[f"I.imrotate(f.transpose((2, 0, 1)), 30{zoom})" for zoom in ("", ", zoom_in=True", ", zoom_out=True")],
    "I.imrotate(mx.nd.stack(f, f), mx.nd.array([30, -100]))",
    "I.imrotate(u, 30)",
    "I.random_rotate(f.transpose((2, 0, 1)), (-20, 20))",
    "I.imdecode(b'')",
    "I.imdecode('text')",
    # augmenters
    "I.BrightnessJitterAug(.3)(f)",
    "I.ContrastJitterAug(.3)(f)",
    "I.SaturationJitterAug(.3)(f)",
    "I.HueJitterAug(.3)(f)",
    "I.ColorJitterAug(.1, .2, .3)(f)",
    "I.LightingAug(.3, np.ones(3), np.eye(3))(f)",
    "I.RandomGrayAug(.7)(f)",
    "I.HorizontalFlipAug(.5)(f)",
    "I.RandomCropAug((5, 6))(f)",
    "I.RandomSizedCropAug((5, 6), .2, (.5, 2))(f)",
    "I.SequentialAug([I.CastAug('float64'), I.HorizontalFlipAug(1)])(f)",
    "[a.dumps() for a in I.CreateAugmenter((3, 8, 8), 12, True, True, True, True, True, .1, .1, .1, .1, .1, .1)]",
    f"I.DetHorizontalFlipAug(.9)(f, {_BOXES})",
    f"I.DetRandomPadAug()(f, {_BOXES})",
    f"I.CreateMultiRandCropAugmenter([.1, .5], (.75, 1.33), (.1, 1.))(f, {_BOXES})",
    f"I.DetRandomSelectAug([I.DetHorizontalFlipAug(1)], .5)(f, {_BOXES})",
    f"I.DetBorrowAug(I.CastAug('float64'))(f, {_BOXES})",
    "[a.dumps() for a in I.CreateDetAugmenter((3, 8, 8), 12, .5, .5, .1, True, True, True, .1, .1, .1, .1, .1)]",
    "I.DetBorrowAug(3)",
    # transforms
    "T.Normalize((4, 5, 6), (0.1, 2, 3))(mx.nd.array([[[5]], [[7]], [[0]]], dtype='uint8'))",
    *[f"T.Random{what}(-1)(u).shape" for what in ("Brightness", "Contrast", "Saturation", "Hue", "Lighting")],
    "mx.nd.image.random_hue(u, 1, -0.5)",
    "T.Compose([T.Resize(8, interpolation=0), T.ToTensor(), T.Normalize((.1, .2, .3), (.5, .5, .5))])(u)",
    "str(T.Compose([T.Resize(8), T.CenterCrop(3), T.ToTensor(), T.Cast('float16')]))",
    "T.CenterCrop((7, 5), interpolation=0)(u)",
    "T.CropResize(1, 2, 5, 6)(mx.nd.stack(u, u))",
    "T.RandomResizedCrop(7, interpolation=0)(u)",
    "T.Rotate(30)(u)",
    "T.Rotate(30, zoom_in=True)(f.transpose((2, 0, 1)))",
    "T.RandomRotation((10, 30))(f.transpose((2, 0, 1)))",
    "T.RandomRotation((7, 5))",
    "T.RandomApply(T.Cast('float64'), p=1.0)(u)",
    # iterators
    "batches(mx.io.CSVIter(data_csv=file('d.csv', '1,2\\n3,4\\n5,6\\n'), data_shape=(2,), batch_size=2))",
    "batches(mx.io.CSVIter(data_csv=file('d.csv', '1,2\\n3,4\\n5,6\\n'), data_shape=(2, 1), batch_size=2, "
    "label_csv=file('l.csv', '7\\n8\\n9\\n'), round_batch=False))",
    "batches(mx.io.PrefetchingIter(mx.io.NDArrayIter(np.arange(10).reshape(5, 2), np.arange(5), 2)))",
    # texts
    f"sorted({_DATES}.items())",
    f"mx.contrib.text.vocab.Vocabulary({_DATES}, 3, 1, reserved_tokens=['<pad>']).token_to_idx",
    f"mx.contrib.text.vocab.Vocabulary({_DATES}).to_indices(['is', 'nothing'])",
    f"mx.contrib.text.vocab.Vocabulary({_DATES}).to_tokens(99)",
    "vectors().idx_to_vec",
    "vectors().get_vecs_by_tokens(['A', 'b', 'c'], lower_case_backup=True)",
    "vectors().update_token_vectors('nothing', mx.nd.ones((2,)))",
    "mx.contrib.text.embedding.CompositeEmbedding(mx.contrib.text.vocab.Vocabulary(counted('b x')), "
    "[vectors(), vectors()]).idx_to_vec",
    # tables
    f"printed(mx.viz.print_summary, {_LINES}'relu', name='b'), num_hidden=2, name='c'), shape={{'data': (1, 4)}})",
    f"printed(mx.viz.print_summary, {_LINES}'relu', name='b'), num_hidden=2, name='c'))",
    "mx.viz.print_summary(3)",
    # known networks: names, shapes and printed form
    *[f"structure({name!r})" for name in _MODELS],
    "mx.gluon.model_zoo.vision.get_model('nothing')",
    *[f"scores({name!r}, {size})" for name, size in (("mobilenet0.25", 64), ("mobilenetv2_0.25", 64))],
    *[f"scores({name!r}, 64)" for name in ("resnet18_v1", "resnet18_v2")],
]

MAGIC = (0xCED7230A).to_bytes(4, "little")


def answer(mx: Any, expression: str) -> Any:
    """Return what an expression gives, as plain data; of an error the names of its kinds."""
    random.seed(3)
    np.random.seed(3)
    with tempfile.TemporaryDirectory() as folder:
        try:
            return plain(eval(expression, _names(mx, Path(folder))))
        except Exception as error:
            known = {"ValueError", "TypeError", "KeyError", "AssertionError", "MXNetError"}
            return {"raises": next((k.__name__ for k in type(error).__mro__ if k.__name__ in known), repr(error))}


def plain(value: Any) -> Any:
    """Return arrays, numbers and sequences as plain data."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if isinstance(value, np.ndarray):
        values = [float(f"{number:.6g}") for number in value.ravel()]
        return {"dtype": value.dtype.name, "shape": list(value.shape), "values": values}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (bytes, Path)):
        return repr(value)
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def _names(mx: Any, folder: Path) -> dict[str, Any]:
    """Return what expressions can name."""
    drawn = np.random.RandomState(0).randint(0, 256, (12, 15, 3))
    data = importlib.import_module(f"{mx.__name__}.gluon.data")

    def file(name: str, text: str) -> str:
        (folder / name).write_text(text, encoding="utf-8")
        return str(folder / name)

    def written(records: list[bytes]) -> Any:
        paths = str(folder / "x.idx"), str(folder / "x.rec")
        writer = mx.recordio.MXIndexedRecordIO(*paths, "w")
        for place, record in enumerate(records):
            writer.write_idx(place, record)
        writer.close()
        reader = mx.recordio.MXIndexedRecordIO(*paths, "r")
        read = [reader.read_idx(place) for place in range(len(records))]
        return [Path(paths[1]).read_bytes().hex(), Path(paths[0]).read_text(encoding="utf-8"), read]

    def batches(iterator: Any) -> Any:
        epochs = []
        for _ in range(2):
            epochs.append([(b.data[0], b.label[0], b.pad) for b in iterator])
            iterator.reset()
        return epochs

    def vectors() -> Any:
        path = file("vectors.txt", "a 0.1 0.2\nb 0.3 0.4\n<unk> 9 9\n")
        return mx.contrib.text.embedding.CustomEmbedding(path)

    return {
        "mx": mx,
        "np": np,
        "D": data,
        "T": data.vision.transforms,
        "I": mx.image,
        "R": mx.recordio,
        "MAGIC": MAGIC,
        "u": mx.nd.array(drawn, dtype="uint8"),
        "f": mx.nd.array(drawn, dtype="float32"),
        "twice": lambda sampler: [list(sampler), len(sampler), list(sampler)],
        "file": file,
        "written": written,
        "batches": batches,
        "vectors": vectors,
        "counted": mx.contrib.text.utils.count_tokens_from_str,
        "printed": _printed,
        "structure": lambda name: _structure(mx.gluon.model_zoo.vision.get_model(name, prefix="net_")),
        "scores": lambda name, size: _scores(mx, mx.gluon.model_zoo.vision.get_model(name, prefix="net_"), size),
    }


def _printed(function: Any, *args: Any, **kwargs: Any) -> str:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out:
        function(*args, **kwargs)
    return out.getvalue()


def _structure(net: Any) -> list[Any]:
    """Return what identifies a network: how many parameters, and sums of their names and of the printed form."""
    named = [(name, list(p.shape), p.grad_req) for name, p in net.collect_params().items()]
    structural = list(net._collect_params_with_prefix())
    return [len(named), *(hashlib.sha1(json.dumps(x).encode()).hexdigest() for x in (named, structural, str(net)))]


def _scores(mx: Any, net: Any, size: int) -> Any:
    """Return some of what a network gives for an image, with parameters that their order decides."""
    net.initialize(mx.init.Zero())
    image = mx.nd.array(np.random.RandomState(1).uniform(-1, 1, (1, 3, size, size)))
    net(image)
    generator = np.random.RandomState(2)
    for parameter in net.collect_params().values():
        fan = int(np.prod(parameter.shape[1:])) if len(parameter.shape) > 1 else 1
        drawn = generator.uniform(0.5, 1.5, parameter.shape) if fan == 1 else generator.standard_normal(parameter.shape)
        parameter.set_data(mx.nd.array(drawn * np.sqrt(1.5 / fan)))
    eager = net(image)
    net.hybridize()
    return [eager[0, ::97], net(image)[0, ::97]]


if __name__ == "__main__":
    os.environ.setdefault("MXNET_SUBGRAPH_VERBOSE", "0")
    module = importlib.import_module("mxnet")
    found = {expression: answer(module, expression) for expression in CASES}
    ANSWERS.write_text(json.dumps(found, separators=(",", ":")).replace('},"', '},\n"') + "\n", encoding="utf-8")
