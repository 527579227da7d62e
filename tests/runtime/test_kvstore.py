"""Values by key, and what training loops call."""

from __future__ import annotations

from pathlib import Path

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd


def pulled(store: mx.kvstore.KVStore, key: object) -> list[float]:
    out = nd.zeros((2,))
    store.pull(key, out=out)
    values: list[float] = out.asnumpy().tolist()
    return values


def test_what_is_pushed_is_summed() -> None:
    store = mx.kv.create("local")
    store.init("w", nd.ones((2,)))
    assert pulled(store, "w") == [1, 1]
    store.push("w", [nd.ones((2,)), nd.ones((2,)) * 2])
    assert pulled(store, "w") == [3, 3]


def test_an_optimizer_updates_what_is_stored(tmp_path: Path) -> None:
    store = mx.kv.create("device")
    store.init([0, 1], [nd.ones((2,)), nd.ones((2,))])
    store.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.9))
    store.push([0, 1], [nd.ones((2,)), nd.zeros((2,))])
    assert (pulled(store, 0), pulled(store, 1)) == ([0.5, 0.5], [1, 1])
    store.save_optimizer_states(str(tmp_path / "states"))
    store.load_optimizer_states(str(tmp_path / "states"))


def test_unknown_keys_and_stores_are_refused() -> None:
    store = mx.kv.create()
    with pytest.raises(mx.MXNetError, match="inited"):
        store.push("w", nd.ones((2,)))
    assert mx.kv.create("Zzz").type == "zzz"
    with pytest.raises(mx.MXNetError, match="dist_sync"):
        mx.kv.create("dist_sync")
    with pytest.raises(TypeError):
        mx.kv.create(5)


def test_keys_are_numbers_or_texts() -> None:
    store = mx.kv.create()
    store.init(3, nd.ones((2,)))
    with pytest.raises(mx.MXNetError, match="Mixed key types"):
        store.init("w", nd.ones((2,)))
    with pytest.raises(mx.MXNetError, match="Mixed key types"):
        store.push(["w"], [nd.ones((2,))])


def test_the_store_for_tests_sums_and_keeps_nothing() -> None:
    store = mx.kv.create("teststore")
    first, second = nd.ones((2,)), nd.zeros((2,))
    store.broadcast("w", first * 3, [first, second])
    assert (first.asnumpy().tolist(), second.asnumpy().tolist()) == ([3, 3], [3, 3])
    store.pushpull("w", [first, second])
    assert second.asnumpy().tolist() == [6, 6]
    store.pushpull("w", [first, second], out=first)
    assert first.asnumpy().tolist() == [12, 12]
    assert (store.type, store.rank, store.num_workers) == ("teststore", 0, 1)
    assert not type(store).is_capable("optimizer")


def test_checkpoints_are_written_every_few_epochs(tmp_path: Path) -> None:
    write = mx.callback.do_checkpoint(str(tmp_path / "net"), period=2)
    for epoch in range(4):
        write(epoch, mx.sym.Variable("x"), {"x": nd.ones((1,))}, {})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0002.params", "net-0004.params", "net-symbol.json"]
