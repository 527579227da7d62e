"""Code around the ``hybrid_forward`` of a block, and what ``__init__`` leaves for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "import functools\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
CHECKED = """
def checked(fn):
    @functools.wraps(fn)
    def around(self, F, x, *args, **params):
        {test}
        return fn(self, F, x, *args, **params)
    return around


class Net(HybridBlock):
    @checked
    def hybrid_forward(self, F, x):
        return F.relu(x)
"""
NET = """
class Net(HybridBlock):
    def __init__(self, k, n, flag=True, **kwargs):
        super().__init__(**kwargs)
        self.k, self.n = k, n
        self.flag = flag

    def hybrid_forward(self, F, x):
        {body}
"""
TAP = """
class Tap:
    def __init__(self, layer):
        self.kept = []
        layer.register_forward_hook(self.keep)

    def keep(self, block, inputs, output):
        self.kept.append(output)

    def take(self):
        taken, self.kept = self.kept, {left}
        return taken


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.body = nn.Dense(3)
        self.tap = Tap(self.body)

    def hybrid_forward(self, F, x):
        y = self.body(x)
        return y + sum(F.relu(z) for z in self.tap.take())
"""
COUNTED = """
class Net(HybridBlock):
    calls = 0

    def hybrid_forward(self, F, x):
        Net.calls += 1
        {log}
        return F.relu(x)
"""


def found(folder: Path, text: str) -> list[tuple[str, str]]:
    (folder / "net.py").write_text(HEAD + text, encoding="utf-8")
    return [(one.rule.code, one.severity.name) for one in analyze_file(SourceFile.read(folder / "net.py"))]


def test_what_a_decorator_does_before_the_entry_is_traced_too(tmp_path: Path) -> None:
    assert found(tmp_path, CHECKED.format(test="assert x.ndim == 3")) == [("HYB101", "ERROR")]


def test_a_decorator_may_do_what_suits_both_modes(tmp_path: Path) -> None:
    assert found(tmp_path, CHECKED.format(test="x = F.cast(x, 'float32')")) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return F.relu(x), self.k / self.n", [("HYB807", "ERROR")]),
        ("return F.relu(x), (F.tanh(x), 1 - self.k)", [("HYB807", "ERROR")]),
        ("return F.relu(x) * self.k, F.tanh(x) ** self.n", []),
        ("return x * self.flag", [("HYB304", "ERROR")]),
        ("return x * 2 if self.flag else x + self.k", []),
        ("return x / getattr(x, 'size', 1)", [("HYB101", "ERROR")]),
    ],
    ids=["a quotient", "inside", "operands", "a flag as a number", "a flag", "a default"],
)
def test_what_init_leaves(tmp_path: Path, body: str, expected: list[tuple[str, str]]) -> None:
    assert found(tmp_path, NET.format(body=body)) == expected


def test_a_default_of_getattr_raises_nothing_and_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(HEAD + NET.format(body="return x / getattr(x, 'size', 1)"), encoding="utf-8")
    (finding,) = analyze_file(SourceFile.read(tmp_path / "net.py"))
    assert "`getattr` gives its default once hybridized" in finding.message


def test_an_object_that_is_emptied_whenever_it_is_read_carries_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, TAP.format(left="[]")) == []
    assert [code for code, _ in found(tmp_path, TAP.format(left="self.kept[-2:]"))] != []


@pytest.mark.parametrize(
    "log", ["pass", "print('call', Net.calls)", "if Net.calls % 10 == 0:\n            print(Net.calls)"]
)
def test_counters_that_are_only_told_are_no_warning(tmp_path: Path, log: str) -> None:
    assert {severity for _, severity in found(tmp_path, COUNTED.format(log=log))} == {"INFO"}


def test_printed_tensors_are(tmp_path: Path) -> None:
    assert ("HYB701", "WARNING") in found(tmp_path, COUNTED.format(log="print(F.sum(x))"))


EAGER_ONLY = """
class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        if F.__name__.endswith('ndarray'):
            step = 2.0 / 15
            {then}
        return F.relu(x)
"""


def test_what_only_eager_runs_compute_in_several_statements_is_left_out(tmp_path: Path) -> None:
    assert found(tmp_path, EAGER_ONLY.format(then="x = x + F.round(x / step) * step")) == [("HYB406", "ERROR")]


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        ("warnings.warn('slow')", []),
        ("warnings.warn(f'{self.k} is old')", []),
        ("warnings.warn(str(x))", ["WARNING"]),
        ("logging.warning('slow')", ["INFO"]),
    ],
)
def test_a_warning_is_shown_once_for_each_place_with_or_without_a_graph(
    tmp_path: Path, text: str, severities: list[str]
) -> None:
    net = NET.format(body=f"{text}\n        return F.relu(x)")
    told = found(tmp_path, f"import logging\nimport warnings\n{net}")
    assert [severity for code, severity in told if code == "HYB701"] == severities
