"""Layers whose arguments are in a dictionary, and classes of layers that code passes on."""

from __future__ import annotations

from tests.converting.bodies import converted, module_text


def test_a_function_takes_gluons_arguments_from_a_dictionary() -> None:
    text = converted(
        f"def conv(channels, **options):\n    return nn.Conv2D(channels, 3, prefix='a_', **options)\n\n\n"
        f"{module_text(start='self.a = conv(4, strides=2)')}".replace("\nimport mxnet", "import mxnet", 1)
    ).text
    assert "    return gluon_conv2d(channels, 3, **options)\n" in text
    assert text.count("def gluon_conv2d(") == 1


def test_what_names_a_block_is_no_such_dictionary() -> None:
    text = converted(module_text(start="self.a = nn.Dense(4, in_units=3, **kwargs)")).text
    assert "self.a = nn.Linear(3, 4)\n" in text


def test_a_dictionary_for_other_layers_is_named() -> None:
    (problem,) = converted(module_text(start="self.a = nn.LayerNorm(**units)")).problems
    assert problem.reason == "`LayerNorm` with `**units`"


def test_classes_of_layers_are_passed_on() -> None:
    text = module_text(start="self.a = norm(in_channels=3, prefix='a_')\nself.b = act(0.2)")
    text = converted(text.replace("units=4", "norm=nn.BatchNorm, act=nn.LeakyReLU")).text
    assert "def __init__(self, norm=gluon_batch_norm, act=nn.LeakyReLU):\n" in text
    assert "self.a = norm(in_channels=3)\n" in text
    assert text.count("def gluon_batch_norm(") == 1


def test_a_class_without_counterpart_is_named() -> None:
    (problem,) = converted(module_text(start="self.a = nn.GroupNorm")).problems
    assert problem.reason == "the class `GroupNorm` as a value"
