"""Operators and methods that MXNet lacks in either run, and what shows that they are there or not meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\nfrom mxnet import nd\nfrom mxnet.gluon import HybridBlock, nn\n"
NET = "class Net(HybridBlock):\n    def hybrid_forward(self, F, x, y=None):\n"


def missing(body: str, before: str = "", path: Path = Path("net.py")) -> list[tuple[str, str]]:
    """Return the names that a body is told to take from nowhere, each with the severity."""
    text = f"{HEAD}{before}{NET}" + "".join(f"        {line}\n" for line in body.split("\n"))
    found = [finding for finding in analyze_file(SourceFile(path, text)) if finding.rule.code == "HYB519"]
    return [(finding.message.split("`")[1], finding.severity.value) for finding in found]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("return F.grid_sample(x, x)", "F.grid_sample"),
        ("return F.contrib.gelu(x)", "F.contrib.gelu"),
        ("return F.linalg.solve(x, x)", "F.linalg.solve"),
        ("return F.npx.gelu(x)", "F.npx.gelu"),
        ("return F.np.isclose(x, x)", "F.np.isclose"),
        ("act = F.silu\nreturn act(x)", "F.silu"),
        ("return nd.hardswish(x)", "nd.hardswish"),
        ("return mx.sym.swish(x)", "mx.sym.swish"),
        ("return x.clamp(0, 1) + 1", "x.clamp"),
        ("return F.relu(x).view(0, -1)", "F.relu(x).view"),
        ("return F.relu(x) if x.is_cuda else x * 2", "x.is_cuda"),
        ("return F.stack(*F.unsqueeze(x, 1)) / x.shape[0]", "F.unsqueeze"),
    ],
)
def test_missing_names_are_errors(body: str, name: str) -> None:
    assert missing(body) == [(name, "error")]


@pytest.mark.parametrize(
    "body",
    ["y = F.silu(x)\nreturn y / x.shape[0]", "y = F.contrib.SoftmaxOHEMOutput(x, y)\nreturn y / x.shape[0]"],
)
def test_nothing_else_is_reported_behind_a_missing_operator(body: str) -> None:
    assert errors(body) == {"HYB519"}


@pytest.mark.parametrize("call", ["F.silu(x, {})", "F.contrib.OHEM(x, data={})", "nd.contrib.OHEM({})"])
def test_arguments_of_a_missing_operator_are_judged_too(call: str) -> None:
    assert "HYB103" in errors(f"return {call.format('y.astype(x.dtype)')}")


def errors(body: str) -> set[str]:
    """Return the codes of the errors in a body."""
    text = f"{HEAD}{NET}" + "".join(f"        {line}\n" for line in body.split("\n"))
    return {one.rule.code for one in analyze_file(SourceFile(Path("net.py"), text)) if one.severity.value == "error"}


def test_all_missing_names_of_a_function_are_reported() -> None:
    body = "a = F.silu(x)\nb = F.mish(a)\nreturn a + b.clamp(0)"
    assert missing(body) == [("F.silu", "error"), ("F.mish", "error"), ("b.clamp", "error")]


@pytest.mark.parametrize(
    "body",
    [
        'return F.silu(x) if hasattr(F, "silu") else F.relu(x)',
        'if hasattr(x, "clamp"):\n    return x.clamp(0)\nreturn F.relu(x)',
        "try:\n    return F.silu(x)\nexcept AttributeError:\n    return F.relu(x)",
        "try:\n    x = x.clamp(0)\nexcept (TypeError, AttributeError):\n    x = F.relu(x)\nreturn x",
        'if mx.__version__ >= "2":\n    return F.silu(x)\nreturn F.relu(x)',
        "return F.broadcast_mul(x, y.get('scale'))",
        "return F.relu(x._internal_name())",
    ],
)
def test_code_that_expects_the_lack_is_not_reported(body: str) -> None:
    assert missing(body) == []


@pytest.mark.parametrize(
    "before",
    [
        "mx.nd.silu = mx.sym.silu = lambda x: x * x.sigmoid()\n",
        'for space in (mx.nd, mx.sym):\n    setattr(space, "silu", lambda x: x * x.sigmoid())\n',
        "def add(name):\n    setattr(mx.nd, name, lambda x: x * x.sigmoid())\n",
        'mx.library.load("operators.so")\n',
    ],
)
def test_names_that_the_file_adds_are_not_reported(before: str) -> None:
    assert missing("return F.silu(x)", before) == []


def test_names_that_an_imported_file_adds_are_not_reported(tmp_path: Path) -> None:
    (tmp_path / "patches.py").write_text("import mxnet as mx\n\nmx.nd.NDArray.clamp = mx.sym.Symbol.clamp = print\n")
    (tmp_path / "layers.py").write_text("import patches\n")
    assert missing("return x.clamp(0) + 1", "import layers\n", tmp_path / "net.py") == []
    assert missing("return x.clip(0, 1)", "import layers\n", tmp_path / "net.py") == []
    assert missing("return x.view(0) + 1", "import layers\n", tmp_path / "net.py") == [("x.view", "error")]


def test_methods_of_objects_of_the_file_are_not_reported() -> None:
    before = "class Config:\n    def scale_of(self, x):\n        return x\n\n\n"
    assert missing("return F.broadcast_mul(x, y.scale_of(x))", before) == []


def test_arguments_that_may_be_no_tensors_are_warned_about() -> None:
    assert missing("return F.relu(x) + y.encode_all()") == [("y.encode_all", "warning")]


def test_an_imported_file_that_does_not_parse_adds_no_names(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert missing("return F.silu(x)", "from . import broken\n", tmp_path / "net.py") == [("F.silu", "error")]
