"""Files of optimizers' states: those of MXNet are read, forged ones are refused before they cost anything."""

from __future__ import annotations

import base64
import json
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from hybridlint.runtime import gluon, lr_scheduler, nd, optimizer
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.serialization import pickles

GOLDENS = Path(__file__).parents[2] / "goldens"
FILES = {name: base64.b64decode(text) for name, text in json.loads((GOLDENS / "states.json").read_text()).items()}

#: What a file begins with, and a state that is an array: its class, and the attributes that follow.
HEAD = b"\x80\x04"
ARRAY = b"cmxnet.ndarray.ndarray\nNDArray\n(NtR}\x8c\x06handleB"


def text(value: str) -> bytes:
    return b"\x8c" + bytes([len(value)]) + value.encode()


def dtype(name: str, state: bytes) -> bytes:
    """Return the instructions that make a dtype and give it a state, and a number of it."""
    made = b"cnumpy\ndtype\n" + text(name) + b"\x89\x88\x87R" + state + b"b"
    return HEAD + b"}K\x00cnumpy.core.multiarray\nscalar\n" + made + b"C\x08" + bytes(8) + b"\x86Rs."


FORGED = {
    "nothing": b"",
    "a text file": b"states of a trainer",
    "an old protocol that runs a command": b"cos\nsystem\n(S'true'\ntR.",
    "a command": HEAD + b"cos\nsystem\n" + text("true") + b"\x85R.",
    "a builtin": HEAD + b"}K\x00cbuiltins\neval\n" + text("1") + b"\x85Rs.",
    "a command beside the states": HEAD + b"}cos\nsystem\n" + text("true") + b"\x85R\x86.",
    "no states": HEAD + b"K\x05.",
    "no end": HEAD + b"}",
    "more after the end": HEAD + b"}..",
    "two values": HEAD + b"}}.",
    "a dtype of objects": dtype("O8", b"(K\x03\x8c\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ft"),
    "a dtype with fields": dtype("f8", b"(K\x03\x8c\x01<N}NJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t"),
    "a dtype of another size": dtype("f8", b"(K\x03\x8c\x01<NNNK\x63K\x01K\x00t"),
    "a dtype that is told to be of objects": dtype("f8", b"(K\x03\x8c\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ft"),
    "attributes of a class": HEAD + b"cmxnet.optimizer\nAdam\n}b.",
    "attributes of a number": HEAD + b"}K\x00K\x01}bs.",
    "attributes given twice": HEAD + b"}K\x00cmxnet.optimizer\nAdam\n)\x81}b}bs.",
    "attributes that are no names": HEAD + b"}K\x00cmxnet.optimizer\nAdam\n)\x81}K\x01K\x01sbs.",
    "a memo of 4 GB in seven bytes": HEAD + b"Nr\xff\xff\xff\x1f",
    "a value that was never kept": HEAD + b"j\x00\x00\x00\x00.",
    "bytes of 4 GB": HEAD + b"}K\x00B\xff\xff\xff\xff",
    "bytes of exabytes": HEAD + b"}K\x00\x8e" + struct.pack("<Q", 2**62),
    "a byte array of exabytes": HEAD + b"}K\x00\x96" + struct.pack("<Q", 2**62),
    "a text of exabytes": HEAD + b"}\x8d" + struct.pack("<Q", 2**62),
    "a frame of exabytes": HEAD + b"\x95" + struct.pack("<Q", 2**62) + b"}.",
    "an integer of 2 GB": HEAD + b"}K\x00\x8b\xff\xff\xff\x7f",
    "an integer of many bytes": HEAD + b"}K\x00\x8a\xff" + bytes(255) + b"s.",
    "bytes that are filled from a number": HEAD + b"}K\x00cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85Rs.",
    "a million marks": HEAD + b"(" * 10**6,
    "more values than any list has": HEAD + b"}" * 10**6,
    "tuples ten thousand deep": HEAD + b"}K\x00N" + b"\x85" * 10**4 + b"s.",
    "a list within itself": HEAD + b"}K\x00]\x94h\x00as.",
    "a key that is a tuple": HEAD + b"}N" + b"\x94h\x00\x86" * 60 + b"Ns.",
    "a text that is none": HEAD + b"}\x8c\x02\xff\xfeNs.",
    "an array without bytes": HEAD + b"}K\x00cmxnet.ndarray.ndarray\nNDArray\n(NtR}bs.",
    "an array of another format": HEAD + b"}K\x00" + ARRAY + struct.pack("<I", 4) + b"oops" + b"sbs.",
    "an object that is no array": HEAD + b"}K\x00cmxnet.optimizer\nAdam\n)\x81}bs.",
    "an optimizer within the optimizer": HEAD + b"}cmxnet.optimizer\nSGD\n)\x81}\x8c\x01xcos\nAny\n)\x81sb\x86.",
}


@pytest.mark.parametrize("forged", FORGED)
def test_forged_files_are_refused_by_name(forged: str, tmp_path: Path) -> None:
    path = tmp_path / "forged.states"
    path.write_bytes(FORGED[forged])
    layer = gluon.nn.Dense(1, in_units=1)
    layer.initialize()
    trainer = gluon.Trainer(layer.collect_params(), "adam")
    tracemalloc.start()
    with pytest.raises(
        MXNetError, match=r"forged\.states: no states of an optimizer, as Updater\.get_states returns them: "
    ):
        trainer.load_states(str(path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50 * 2**20


def test_what_is_shared_is_made_once() -> None:
    """Thirty tuples of the one before, twice: written out they would be a thousand million."""
    parts = b"".join(b"\x94h" + bytes([k]) + b"\x86" for k in range(30))
    updater = optimizer.get_updater(optimizer.SGD())
    updater.set_states(HEAD + b"}K\x00N" + parts + b"s.")
    value = updater.states[0]
    assert value[0] is value[1]


def test_one_array_that_is_made_again_and_again_is_refused() -> None:
    content = pickles.load(FILES["sgd alone"])[0].attributes["handle"]
    again = b"cmxnet.ndarray.ndarray\nNDArray\n(NtR}\x8c\x06handleh\x00sb"
    forged = HEAD + b"}K\x00(C" + bytes([len(content)]) + content + b"\x94" + again * 20 + b"ts."
    with pytest.raises(MXNetError, match="its arrays are larger than the file"):
        optimizer.get_updater(optimizer.SGD()).set_states(forged)


def test_an_endless_file_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickles, "MOST_INSTRUCTIONS", 1000)
    with pytest.raises(pickles.PickleError, match="more than 1000 instructions"):
        pickles.load(HEAD + b"}" + b"K\x00Ns" * 1000 + b".")


@pytest.mark.parametrize("name", FILES)
def test_files_of_mxnet_are_read(name: str) -> None:
    kind = "adam" if name == "trainer" else name.split(maxsplit=1)[0]
    updater = optimizer.get_updater(optimizer.create(kind))
    updater.set_states(FILES[name])
    assert set(updater.states) == {0, 1}
    if "alone" not in name:
        assert updater.optimizer.num_update == 2
        assert updater.optimizer._index_update_count == {0: 2, 1: 2}
    dtype = "float16" if "half" in name else "float32"
    shapes = {0: (2,), 1: (2, 3)} if name == "trainer" else {0: (2, 3), 1: (2, 1)}
    for index, shape in shapes.items():
        updater(index, nd.ones(shape, dtype=dtype), nd.ones(shape, dtype=dtype))
    again = optimizer.get_updater(optimizer.create(kind))
    again.set_states(updater.get_states(dump_optimizer=True))
    assert again.optimizer.num_update == updater.optimizer.num_update


def test_numbers_and_schedulers_of_mxnet_are_what_they_were() -> None:
    updater = optimizer.get_updater(optimizer.create("adam"))
    updater.set_states(FILES["trainer"])
    assert updater.optimizer.lr == np.float32(0.1)
    assert updater.optimizer.wd == 0.01
    updater = optimizer.get_updater(optimizer.create("sgd"))
    updater.set_states(FILES["sgd with multi factor"])
    assert type(updater.optimizer.lr_scheduler) is lr_scheduler.MultiFactorScheduler
    assert updater.optimizer.lr_scheduler.step == [2, 5]


def test_states_of_half_precision_have_their_master_copy() -> None:
    updater = optimizer.get_updater(optimizer.create("sgd"))
    updater.set_states(FILES["sgd in half precision"])
    momentum, master = updater.states[0]
    assert momentum.dtype == master.dtype == np.float32
