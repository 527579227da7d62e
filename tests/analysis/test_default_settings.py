"""Code that only other settings than the default lead to: a warning at most, whose fixes keep the default a graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

HEAD = "import sys\nfrom mxnet.gluon import HybridBlock, nn\n"
NET = """

class Net(HybridBlock):
    def __init__(self, {arguments}, **kwargs):
        super().__init__(**kwargs)
        {store}

    def hybrid_forward(self, F, x):
{body}
"""


def module(arguments: str, store: str, body: str, behind: str = "") -> SourceFile:
    """Return a file with a block that keeps a setting and reads it."""
    indented = "\n".join(f"        {line}" for line in body.split("\n"))
    text = HEAD + NET.format(arguments=arguments, store=store, body=indented) + behind
    return SourceFile(Path("net.py"), text)


def severities(source: SourceFile) -> set[str]:
    """Return the severities of what is found about shapes and data."""
    return {one.severity.value for one in analyze_file(source) if one.rule.code in {"HYB101", "HYB106"}}


OFF = {
    "a flag": ("debug=False", "self.debug = debug", "if self.debug:\n    print(x.shape)\nreturn F.relu(x)"),
    "a level": ("level=0", "self._level = level", "if self._level > 1:\n    print(x.shape)\nreturn F.relu(x)"),
    "a mode": ("mode='a'", "self.mode = mode", "if self.mode in ('b', 'c'):\n    x = x / x.shape[1]\nreturn x * 2"),
    "a mode in any case": (
        "mode='Avg'",
        "self.mode = mode.lower()",
        "if self.mode == 'avg':\n    return F.mean(x)\nreturn x / x.shape[1]",
    ),
    "an option that is None": (
        "log=None",
        "self.log = log",
        "if self.log is not None:\n    self.log(x.asnumpy())\nreturn F.relu(x)",
    ),
    "what is left after a return": (
        "debug=False",
        "self.debug = bool(debug)",
        "if not self.debug:\n    return F.relu(x)\nreturn x / x.shape[0]",
    ),
    "a local name": (
        "debug=False",
        "self.debug, self.other = debug, 1",
        "show = self.debug\nif show and x is not None:\n    print(x.shape)\nreturn F.relu(x)",
    ),
    "an operand": ("debug=False", "self.debug = debug", "self.debug and print(x.shape)\nreturn F.relu(x)"),
    "a conditional expression": ("by=False", "self.by = by", "return x / x.shape[1] if self.by else x * 2"),
    "an argument of the command": (
        "debug=0",
        "self.debug = debug",
        "if '--show' in sys.argv:\n    print(x.shape)\nreturn F.relu(x)",
    ),
}
_MODE = ("mode", "self.mode = mode", "if self.mode == 'size':\n    return x / x.shape[1]\nreturn F.relu(x)")
_FLAG = OFF["a flag"]
_MAIN = "\n\nif __name__ == '__main__':\n    "


@pytest.mark.parametrize("case", OFF)
def test_what_is_off_by_default_is_a_warning(case: str) -> None:
    assert severities(module(*OFF[case])) == {"warning"}


@pytest.mark.parametrize(
    "behind",
    [
        f"\n\ndef make():\n    return Net('plain')\n{_MAIN}Net('size')\n",
        f"\n\ndef make(**more):\n    return Net(mode='plain', **more)\n\n\ndef f():\n    Net('size')\n{_MAIN}f()\n",
    ],
)
def test_what_a_demonstration_alone_passes_is_a_warning(behind: str) -> None:
    assert severities(module(*_MODE, behind)) == {"warning"}


@pytest.mark.parametrize(
    ("setting", "behind"),
    [
        (("debug=True", *_FLAG[1:]), ""),
        (_FLAG, "\n\nnet = Net(debug=True)\n"),
        (_FLAG, "\n\ndef make(debug=True):\n    return Net(debug=debug)\n"),
        (_FLAG, "\n\ndef make(options):\n    return Net(debug=options.debug)\n"),
        (_FLAG, "\n\nnet = Net(**{'debug': True})\n"),
        (_FLAG, "\n\nclass Loud(Net):\n    def __init__(self):\n        super().__init__(True)\n"),
        (_FLAG, "\n\nnet = Net()\nnet.debug = True\n"),
        (_FLAG, f"{_MAIN}Net(debug=True)\n"),
        (_MODE, ""),
        (_MODE, "\n\ndef make():\n    return Net('plain'), Net('size')\n"),
    ],
)
def test_what_is_on_or_somebody_turns_on_is_an_error(setting: tuple[str, str, str], behind: str) -> None:
    assert severities(module(*setting, behind)) == {"error"}


def test_a_fix_keeps_the_default_a_graph() -> None:
    body = "if self.debug:\n    while x.sum().asscalar() > 1:\n        x = x / 2\nreturn self.dense(x)"
    fixed = {
        default: fix_source(
            module(f"debug={default}", "self.debug = debug\n        self.dense = nn.Dense(2)", body),
            analyze_file,
            unsafe=True,
            keep_eager=True,
        ).source.text
        for default in (True, False)
    }
    assert "def hybridize" in fixed[True]
    assert "def hybridize" not in fixed[False]
