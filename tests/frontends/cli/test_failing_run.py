"""A program that fails under ``hybridlint run``: its own frames, and what the linter says of the place."""

from __future__ import annotations

from .conftest import CommandLine

NET = """\
import mxnet as mx
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return x.reshape((x.shape[0], -1)) + 0


def main():
    net = Net()
    net.hybridize()
    {call}


main()
"""


def test_it_ends_with_the_rule_the_file_the_line_and_the_fix(cli: CommandLine) -> None:
    cli.write("train.py", NET.format(call="net(mx.nd.ones((2, 3)))"))
    outcome = cli("run", "train.py")
    assert outcome.status == 1
    frames = [line.strip() for line in outcome.err.splitlines() if line.startswith("  File ")]
    assert [frame.partition(", ")[2] for frame in frames] == [
        "line 16, in <module>",
        "line 13, in main",
        "line 7, in hybrid_forward",
    ]
    *_, finding, fix = outcome.err.splitlines()
    assert finding == "hybridlint: train.py:7:27: HYB101 `x` is a tensor: a Symbol has no `shape`"
    assert fix == "  fix: Reshape to `(0, -1)` (`hybridlint check --fix train.py`)"


def test_frames_of_the_runtime_are_hidden_in_causes_too(cli: CommandLine) -> None:
    call = "mx.nd.elemwise_add(mx.nd.ones((2, 3)), mx.nd.ones((3, 2)))"
    cli.write("train.py", NET.format(call=call))
    outcome = cli("run", "train.py")
    assert outcome.status == 1
    assert {line.split('"')[1] for line in outcome.err.splitlines() if line.startswith("  File ")} == {
        str(cli.folder / "train.py")
    }
    assert "MXNetError" in outcome.err


def test_what_the_linter_has_nothing_to_say_of_ends_as_in_python(cli: CommandLine) -> None:
    cli.write("train.py", NET.format(call="raise KeyError(1)"))
    assert cli("run", "train.py").err.splitlines()[-1] == "KeyError: 1"


def test_what_is_in_a_file_that_is_imported_is_named_there(cli: CommandLine) -> None:
    cli.write("model/net.py", NET.partition("def main")[0])
    cli.write("model/__init__.py", "")
    cli.write("train.py", "import mxnet as mx\nfrom model.net import Net\nn = Net()\nn.hybridize()\nn(mx.nd.ones(2))\n")
    assert "hybridlint: model/net.py:7:27: HYB101" in cli("run", "train.py").err.replace("\\", "/")


def test_pytest_has_nothing_to_warn_of(cli: CommandLine) -> None:
    cli.write("test_net.py", "import mxnet as mx\n\n\ndef test_it():\n    assert mx.nd.ones(2).shape == (2,)\n")
    outcome = cli("run", "-m", "pytest", "-p", "no:cacheprovider", "-W", "error::pytest.PytestAssertRewriteWarning")
    assert "1 passed" in outcome.out
    assert "warning" not in outcome.out
