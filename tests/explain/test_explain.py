"""What MXNet printed leads to the place in the code. The tracebacks are those of MXNet 1.9.1, shortened."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hybridlint.core.mxnet_message import Message
from hybridlint.core.mxnet_messages import MESSAGES, read_message
from hybridlint.frontends.commands import explain
from hybridlint.rule import all_rules
from tests.batches import batched

NET = """\
from mxnet.gluon import HybridBlock, nn


class Attention(HybridBlock):
    def __init__(self):
        super().__init__()
        self.project = nn.Dense(4, flatten=False)
        self.bias = self.params.get("bias", shape=(1, 1, 4), init="zeros")

    def hybrid_forward(self, F, x, bias):
        return F.softmax(self.project(x) + bias, axis=1)


class Gate(HybridBlock):
    def hybrid_forward(self, F, x):
        rows = x.shape[0]
        return x.reshape((rows, -1))
"""
FRAME = """\
Traceback (most recent call last):
  File "train.py", line 4, in <module>
    net(x)
  File "/usr/lib/python3.8/site-packages/mxnet/gluon/block.py", line 1060, in _get_graph
    out = self.hybrid_forward(symbol, *grouped_inputs, **params)
  File "{path}", line 16, in hybrid_forward
    rows = x.shape[0]
AttributeError: 'Symbol' object has no attribute 'shape'
"""
NODE = """\
Traceback (most recent call last):
  File "train.py", line 4, in <module>
    net(x)
  File "/usr/lib/python3.8/site-packages/mxnet/gluon/block.py", line 1196, in _deferred_infer_shape
    raise ValueError(error_msg)
ValueError: Deferred initialization failed because shape cannot be inferred. MXNetError: Error in operator \
net0_attention0__plus0: [23:00:02] Check failed: assign(&dattr, vec.at(i)): Incompatible attr in node \
net0_attention0__plus0 at 1-th input: expected [2,3,4], got [1,1,4]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _explain(text: str, *arguments: str) -> Result:
    return CliRunner().invoke(explain.command, arguments, input=text, standalone_mode=False)


@batched((pytest.param(message, id=message.example[:40]) for message in MESSAGES), lambda _: "all")
def test_a_message_is_known_by_its_own_example(message: Message) -> None:
    reading = read_message(message.example)
    assert reading is not None
    assert reading.message is message
    assert "{" not in reading.meaning.replace("{'", "")


def test_messages_name_rules_that_exist() -> None:
    known = {rule.code for rule in all_rules()}
    assert {message.example: message.rules for message in MESSAGES if not known.issuperset(message.rules)} == {}


def test_the_line_of_a_frame(project: Path) -> None:
    found = _explain(FRAME.format(path=project / "net.py"))
    assert found.return_value == 0
    assert "meaning: A Symbol stands for a tensor that does not exist yet" in found.output
    assert "HYB101 [*] error: `x` is a tensor: a Symbol has no `shape`\n  --> net.py:16:16\n" in found.output


def test_a_frame_of_another_machine(project: Path) -> None:
    assert "--> net.py:16:16\n" in _explain(FRAME.format(path="/home/her/work/net.py")).output


def test_the_class_that_made_a_node(project: Path) -> None:
    found = _explain(NODE)
    assert found.return_value == 0
    assert "cause: in `Attention`, which made `net0_attention0__plus0`\n" in found.output
    assert "net.py:11, in Attention, which makes `net0_attention0__plus0`\n" in found.output
    assert "HYB301 [*]" in found.output
    assert "HYB101" not in found.output


def test_the_only_class_that_a_message_fits(project: Path) -> None:
    assert "cause: in `Gate`\n" in _explain("AttributeError: 'Symbol' object has no attribute 'shape'").output


def test_files_are_named(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    log = tmp_path / "log.txt"
    log.write_text(NODE, encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    assert _explain("", str(log)).return_value == 1
    assert _explain("", str(log), "--in", str(project)).return_value == 0


def test_what_has_no_cause_is_said(project: Path) -> None:
    found = _explain("KeyError: 'a'")
    assert found.return_value == 1
    assert found.output.startswith("message: KeyError: 'a'\nThis is no message of MXNet's that hybridlint knows.\n")


def test_nothing_to_explain(project: Path) -> None:
    found = _explain("\n")
    assert str(found.exception).startswith("there is nothing to explain: give the text of a traceback")


def test_a_message_is_explained_without_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = _explain("RuntimeError: Parameter 'dense0_weight' has not been initialized. Note that you should")
    assert found.return_value == 0
    assert "remedy: Call `net.initialize()`" in found.output


def test_of_files_with_one_name_that_with_the_code_is_taken(project: Path) -> None:
    for folder in ("a", "b"):
        (project / folder).mkdir()
    (project / "a" / "net.py").write_text(f"# {folder}\n{NET}", encoding="utf-8")
    (project / "b" / "net.py").write_text(NET.replace("rows = x.shape[0]", "rows = 2"), encoding="utf-8")
    (project / "net.py").unlink()
    row = NET.split("\n").index("        rows = x.shape[0]") + 2
    text = FRAME.format(path="/elsewhere/net.py").replace("line 16", f"line {row}")
    assert f"--> {Path('a', 'net.py')}:{row}:16\n" in _explain(text).output


def test_a_node_that_is_made_in_a_loop_has_all_lines_of_its_operator(project: Path) -> None:
    text = NET.replace("return F.softmax(", "for _ in range(2):\n            x = x + x\n        return F.softmax(")
    (project / "net.py").write_text(text, encoding="utf-8")
    output = _explain(
        NODE.replace("__plus0", "__plus1").replace("expected [2,3,4], got [1,1,4]", "expected [2], got [3]")
    ).output
    assert "net.py:12, in Attention, which may make `net0_attention0__plus1`" in output
    assert "net.py:13, in Attention, which may make `net0_attention0__plus1`" in output
