"""The fixer of helpers without F: F becomes a parameter of the helper, and every caller passes its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

HEAD = "from mxnet import nd\nfrom mxnet.gluon import HybridBlock\n\n\n"
NET = """

class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return {}
"""
CENTERED = "def centered(x):\n    return x - x.mean(axis=1, keepdims=True)\n"


def fixed(text: str, *, unsafe: bool = True) -> str:
    return fix_source(SourceFile(Path("net.py"), HEAD + text), analyze_file, unsafe=unsafe).source.text


def test_a_function_gets_f_from_its_caller() -> None:
    text = fixed(CENTERED + NET.format("centered(x)"))
    assert "def centered(x, F=nd):\n    return F.broadcast_sub(x, x.mean(axis=1, keepdims=True))\n" in text
    assert "return centered(x, F=F)" in text


def test_an_array_on_the_device_of_the_input_becomes_one_of_f() -> None:
    helper = "def steps(x):\n    return nd.arange(3, ctx=x.context)\n"
    text = fixed(helper + NET.format("F.broadcast_mul(x, steps(x))"))
    assert "def steps(x, F=nd):\n    return F.arange(3)\n" in text
    assert "return F.broadcast_mul(x, steps(x, F=F))" in text


def test_a_call_inside_another_gets_f_too() -> None:
    assert "return centered(centered(x, F=F), F=F)" in fixed(CENTERED + NET.format("centered(centered(x))"))


def test_a_function_of_nd_becomes_one_of_f() -> None:
    helper = "def masked(x):\n    return nd.where(x > 0, x, nd.zeros_like(x))\n"
    text = fixed(helper + NET.format("masked(x)"))
    assert "def masked(x, F=nd):\n    return F.where(x > 0, x, F.zeros_like(x))\n" in text


def test_callers_without_f_get_it_as_well() -> None:
    outer = "\n\ndef both(x):\n    return centered(x) * 2\n"
    text = fixed(CENTERED + outer + NET.format("both(x)"))
    assert "def both(x, F=nd):\n    return centered(x, F=F) * 2\n" in text
    assert "return both(x, F=F)" in text


def test_a_method_gets_f_behind_self() -> None:
    method = "\n    def centered(self, x):\n        return x - x.mean(axis=1, keepdims=True)\n"
    text = fixed(NET.format("self.centered(x)") + method)
    assert "def centered(self, x, F=nd):\n" in text
    assert "return self.centered(x, F=F)" in text


MIXIN = """

class Centering:
    def centered(self, x):
        return x - x.mean(axis=1, keepdims=True)
"""
HEIR = """

class Net(Centering, HybridBlock):
    def hybrid_forward(self, F, x):
        return self.centered(x)
"""


def test_a_method_of_a_base_gets_f_from_the_classes_that_inherit_it() -> None:
    text = fixed(MIXIN + HEIR, unsafe=False)
    assert "def centered(self, x, F=nd):\n" in text
    assert "return self.centered(x, F=F)" in text


def test_a_method_that_overrides_it_gets_f_too() -> None:
    scaled = HEIR + "\n    def centered(self, x):\n        return 2 * super().centered(x)\n"
    text = fixed(MIXIN + scaled, unsafe=False)
    assert text.count("def centered(self, x, F=nd):\n") == 2
    assert "return 2 * super().centered(x, F=F)" in text


def test_a_method_of_another_class_with_its_name_stays() -> None:
    other = MIXIN.replace("Centering", "Other").replace("x - x.mean(axis=1, keepdims=True)", "self.centered(x + 1)")
    text = fixed(MIXIN + HEIR + other)
    assert "return self.centered(x, F=F)" in text
    assert "def centered(self, x):\n        return self.centered(x + 1)\n" in text


@pytest.mark.parametrize("owner", ["self", "Net"])
def test_a_static_method_has_no_self_before_f(owner: str) -> None:
    method = "\n    @staticmethod\n    def _centered(x):\n        return x - x.mean(axis=1, keepdims=True)\n"
    text = fixed(NET.format(f"{owner}._centered(x)") + method)
    assert "def _centered(F, x):\n" in text
    assert f"return {owner}._centered(F, x)" in text


def test_methods_that_would_take_it_at_different_places_stay() -> None:
    scaled = HEIR + "\n    def centered(self, *inputs):\n        return 2 * super().centered(*inputs)\n"
    assert fixed(MIXIN + scaled) == HEAD + MIXIN + scaled


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("@traced\n" + CENTERED + NET.format("centered(x)"), id="decorated"),
        pytest.param(CENTERED + NET.format("centered(x)") + "\n\nALL = [centered]\n", id="used in another way"),
        pytest.param(CENTERED + NET.format("centered(x)") + "\n\nprint(centered(1))\n", id="called by the module"),
        pytest.param(CENTERED + NET.format("centered(x)") + '\n\n__all__ = ["centered"]\n', id="exported"),
        pytest.param(
            CENTERED.replace("return", "F = 2.0\n    return F *") + NET.format("centered(x)"), id="another meaning of F"
        ),
    ],
)
def test_what_may_be_called_otherwise_stays(text: str) -> None:
    assert fixed(text) == HEAD + text


def test_callers_elsewhere_need_not_pass_it_so_that_it_is_safe() -> None:
    text = CENTERED + NET.format("centered(nd.relu(x))")
    assert "return centered(F.relu(x), F=F)" in fixed(text, unsafe=False)


def test_a_private_helper_takes_it_first() -> None:
    text = fixed((CENTERED + NET.format("centered(nd.relu(x))")).replace("centered", "_centered"), unsafe=False)
    assert "def _centered(F, x):\n" in text
    assert "return _centered(F, F.relu(x))" in text


def test_behind_open_arguments_it_is_unsafe() -> None:
    text = CENTERED.replace("(x)", "(x, *rest)", 1) + NET.format("centered(x)")
    assert fixed(text, unsafe=False) == HEAD + text
    assert "def centered(F, x, *rest):" in fixed(text)


def test_a_file_that_names_it_makes_it_unsafe(tmp_path: Path) -> None:
    text = HEAD + CENTERED + NET.format("centered(nd.relu(x))")
    (tmp_path / "helpers.py").write_text(text, encoding="utf-8")
    other = "from mxnet.gluon import HybridBlock\nfrom helpers import centered\n"
    (tmp_path / "net.py").write_text(other, encoding="utf-8")
    after = fix_source(SourceFile.read(tmp_path / "helpers.py"), analyze_file, unsafe=False).source.text
    assert "def centered(x):" in after
