"""Blocks: names and prefixes, children, attributes, hooks, files."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd
from hybridlint.runtime.gluon import nn

if TYPE_CHECKING:
    from pathlib import Path


class Pair(gluon.HybridBlock):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.first = nn.Dense(3)
            self.second = nn.Dense(2, in_units=3, activation="relu")
            self.scale = self.params.get("scale", shape=(1,))

    def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
        return F.broadcast_mul(self.second(self.first(x)), scale)


def test_prefixes_come_from_the_open_scope() -> None:
    net = Pair(prefix="net_")
    assert net.name == "net"
    assert net.first.prefix == "net_dense0_"
    assert net.second.weight.name == "net_dense1_weight"
    assert net.second.act is not None
    assert net.second.act.prefix == "net_dense1_relu_"
    assert Pair(prefix="net").first.prefix == "netdense0_"


def test_without_scope_names_are_counted_for_the_program() -> None:
    with mx.name.NameManager():
        assert [nn.Dense(1).prefix, nn.Dense(1).prefix, nn.Conv2D(1, 1).prefix] == ["dense0_", "dense1_", "conv0_"]
        assert [nn.MaxPool2D().name, nn.Activation("relu").name, nn.GlobalAvgPool2D().name] == [
            "pool0",
            "relu0",
            "pool1",
        ]


def test_an_empty_prefix_opens_no_scope() -> None:
    with mx.name.NameManager():
        assert Pair(prefix="").first.prefix == "dense0_"


def test_repr_is_mxnets() -> None:
    assert repr(Pair()) == (
        "Pair(\n  (first): Dense(None -> 3, linear)\n  (second): Dense(3 -> 2, Activation(relu))\n)"
    )


def test_params_can_be_shared() -> None:
    net = Pair(prefix="a_")
    twin = Pair(prefix="b_", params=net.params)
    assert twin.scale is net.scale
    assert twin.prefix == "b_"


def test_collect_params_selects_by_name() -> None:
    names = list(Pair(prefix="net_").collect_params(".*bias|.*scale").keys())
    assert names == ["net_scale", "net_dense0_bias", "net_dense1_bias"]


def test_blocks_keep_their_type() -> None:
    net = Pair()
    with pytest.raises(TypeError, match="Changing attribute type for first"):
        setattr(net, "first", 3)  # noqa: B010
    with pytest.raises(AssertionError, match="Overriding Parameter attribute scale"):
        net.scale = net.params.get("other", shape=(1,))
    net.first = nn.Dense(5)
    assert list(net._children) == ["first", "second"]


def test_children_of_hybrid_blocks_are_hybrid() -> None:
    with pytest.raises(ValueError, match="Children of HybridBlock must also be HybridBlock"):
        nn.HybridSequential().add(nn.Sequential())
    with pytest.raises(ValueError, match="If you are using Sequential, please try HybridSequential instead"):
        Pair().extra = nn.Lambda("relu")


def test_blocks_in_a_list_are_warned_of() -> None:
    class Lost(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Dense(1)]

    with pytest.warns(UserWarning, match=r'"Lost.layers" is an unregistered container'):
        Lost().collect_params()


def test_registered_blocks_in_a_list_are_fine() -> None:
    class Kept(gluon.Block):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Dense(1)]
            self.register_child(self.layers[0])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(Kept().collect_params().keys())) == 2


def test_sequential_is_a_sequence() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4), nn.Dense(5), nn.Flatten())
    assert len(net) == 3
    assert [type(layer).__name__ for layer in net] == ["Dense", "Dense", "Flatten"]
    assert net[-1] is list(net)[2]
    assert isinstance(net[:2], nn.HybridSequential)
    assert len(net[:2]) == 2


def test_hooks_see_inputs_and_outputs_until_detached() -> None:
    seen: list[str] = []
    layer = nn.Flatten()
    before = layer.register_forward_pre_hook(lambda block, inputs: seen.append(f"before {len(inputs)}"))
    after = layer.register_forward_hook(lambda block, inputs, output: seen.append(f"after {output.shape}"))
    layer(nd.ones((2, 3, 4)))
    assert seen == ["before 1", "after (2, 12)"]
    before.detach()
    after.detach()
    layer(nd.ones((2, 3, 4)))
    assert len(seen) == 2


def test_apply_goes_bottom_up() -> None:
    seen: list[str] = []
    net = Pair(prefix="net_")
    assert net.apply(lambda block: seen.append(block.name)) is net
    assert seen == ["net_dense0", "net_dense1_relu", "net_dense1", "net"]


def test_cast_leaves_batch_norm_in_float32_for_half() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=2), nn.BatchNorm(in_channels=2))
    net.initialize()
    net.cast("float16")
    assert (net[0].weight.dtype, net[1].gamma.dtype) == ("float16", "float32")


def test_files_name_parameters_by_place(tmp_path: Path) -> None:
    file = str(tmp_path / "net.params")
    net = Pair()
    net.initialize()
    net(nd.ones((1, 4)))
    net.save_parameters(file)
    assert list(nd.load(file)) == ["scale", "first.weight", "first.bias", "second.weight", "second.bias"]
    twin = Pair()
    twin.load_parameters(file)
    assert (twin(nd.ones((1, 4))).asnumpy() == net(nd.ones((1, 4))).asnumpy()).all()


def test_shared_parameters_are_saved_once_on_demand(tmp_path: Path) -> None:
    class Tied(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Dense(2, in_units=2)
            self.b = nn.Dense(2, in_units=2, params=self.a.params)

    file = str(tmp_path / "tied.params")
    net = Tied()
    net.initialize()
    net.save_parameters(file, deduplicate=True)
    assert list(nd.load(file)) == ["b.weight", "b.bias"]
    Tied().load_parameters(file)


def test_loading_refuses_missing_and_unknown(tmp_path: Path) -> None:
    file = str(tmp_path / "some.params")
    nd.save(file, {"first.weight": nd.ones((3, 4)), "other.weight": nd.ones(1)})
    with pytest.raises(AssertionError, match="'scale' is missing in file"):
        Pair().load_parameters(file)
    with pytest.raises(ValueError, match=r"'other\.weight' loaded from file"):
        Pair().load_parameters(file, allow_missing=True)
    Pair().load_parameters(file, allow_missing=True, ignore_extra=True)
    with pytest.raises(mx.MXNetError, match="nowhere"):
        Pair().load_parameters(str(tmp_path / "nowhere"))


def test_old_names_of_saving_warn_and_work(tmp_path: Path) -> None:
    file = str(tmp_path / "old.params")
    net = Pair(prefix="net_")
    net.initialize()
    net(nd.ones((1, 4)))
    with pytest.warns(UserWarning, match="save_params is deprecated"):
        net.save_params(file)
    assert "dense0_weight" in nd.load(file)
    with pytest.warns(UserWarning, match="load_params is deprecated"):
        Pair(prefix="other_").load_params(file)


def test_summary_counts_shared_and_unique(capsys: pytest.CaptureFixture[str]) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(4), nn.BatchNorm())
    net.initialize()
    net.summary(nd.ones((2, 3)))
    printed = capsys.readouterr().out
    assert "Dense-1" in printed
    assert "Total params: 32" in printed
    assert "Non-trainable params: 8" in printed
    net.hybridize()
    with pytest.raises(AssertionError, match="must not be hybridized"):
        net.summary(nd.ones((2, 3)))
