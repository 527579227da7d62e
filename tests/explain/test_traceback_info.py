"""One traceback is read in every form in which it is printed, and logged."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from hybridlint.explain.library_frames import is_library, mxnet_module
from hybridlint.explain.traceback_info import parse_traceback

PYTHON = """\
Traceback (most recent call last):
  File "/a/train.py", line 4, in <module>
    net(x)
  File "/usr/lib/python3.8/site-packages/mxnet/gluon/block.py", line 1060, in _get_graph
    out = self.forward(x)
  File "/a/net.py", line 7, in hybrid_forward
    rows = x.shape[0]
AttributeError: 'Symbol' object has no attribute 'shape'
"""
IPYTHON = """\
---------------------------------------------------------------------------
AttributeError                            Traceback (most recent call last)
File /a/train.py:4
      2 net = Net()
----> 4 net(x)

File /usr/lib/python3.8/site-packages/mxnet/gluon/block.py:1060, in HybridBlock._get_graph(self, *args)
   1059         params = {}
-> 1060         out = self.forward(x)

File /a/net.py:7, in Net.hybrid_forward(self, F, x)
      6     def hybrid_forward(self, F, x):
----> 7         rows = x.shape[0]
      8         return x

AttributeError: 'Symbol' object has no attribute 'shape'
"""
OLD_IPYTHON = """\
---------------------------------------------------------------------------
AttributeError                            Traceback (most recent call last)
/a/train.py in <module>
      2 net = Net()
----> 4 net(x)

/usr/lib/python3.8/site-packages/mxnet/gluon/block.py in _get_graph(self, *args)
-> 1060         out = self.forward(x)

/a/net.py in hybrid_forward(self, F, x)
      6     def hybrid_forward(self, F, x):
----> 7         rows = x.shape[0]

AttributeError: 'Symbol' object has no attribute 'shape'
"""
PYTEST = """\
=================================== FAILURES ===================================
___________________________________ test_net ___________________________________

    def test_net():
        net = Net()
>       net(x)

/a/train.py:4:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
/usr/lib/python3.8/site-packages/mxnet/gluon/block.py:1060: in _get_graph
    out = self.forward(x)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

self = Net(

), F = <module 'mxnet.symbol'>
x = <Symbol data>

    def hybrid_forward(self, F, x):
>       rows = x.shape[0]
E       AttributeError: 'Symbol' object has no attribute 'shape'

/a/net.py:7: AttributeError
=========================== short test summary info ============================
FAILED train.py::test_net - AttributeError: 'Symbol' object has no attribute ...
============================== 1 failed in 0.12s ===============================
"""
PYTEST_SHORT = """\
___________________________________ test_net ___________________________________
/a/train.py:4: in test_net
    net(x)
/usr/lib/python3.8/site-packages/mxnet/gluon/block.py:1060: in _get_graph
    out = self.forward(x)
/a/net.py:7: in hybrid_forward
    rows = x.shape[0]
E   AttributeError: 'Symbol' object has no attribute 'shape'
"""


def _each_line(prefix: str) -> Callable[[str], str]:
    return lambda text: "".join(f"{prefix.format(number)}{line}\n" for number, line in enumerate(text.splitlines(), 10))


FORMS: dict[str, Callable[[str], str]] = {
    "python": lambda text: text,
    "python 3.11": lambda text: text.replace("x.shape[0]\n", "x.shape[0]\n           ^^^^^^^\n"),
    "colours": lambda text: re.sub(r"(\w+Error|\d+)", "\x1b[1;31m\\1\x1b[0m", text),
    "windows": lambda text: text.replace("\n", "\r\n"),
    "times": _each_line("2024-05-03 10:11:{},123 ERROR "),
    "glog": _each_line("E0503 10:11:12.{}0123  4711 train.py:12] "),
    "compose": _each_line("worker_1  | "),
    "mpi": _each_line("[1,{}]<stderr>:"),
    "first line only": lambda text: f"2024-05-03 10:11:12 ERROR {text}",
    "log around": lambda text: f"INFO:root:epoch 0\nERROR:root:failed\n{text}INFO:root:done\n",
    "after another": lambda text: text.replace("shape", "size").replace("7", "9") + "retry\n" + text,
    "ipython": lambda _: IPYTHON,
    "old ipython": lambda _: OLD_IPYTHON,
    "notebook colours": lambda _: re.sub(r"(\w+Error|\d+|in )", "\x1b[0;32m\\1\x1b[0m", IPYTHON),
    "pytest": lambda _: PYTEST,
    "pytest colours": lambda _: re.sub(r"^(E  .*|>.*)$", "\x1b[31m\\1\x1b[0m", PYTEST, flags=re.MULTILINE),
    "pytest short": lambda _: PYTEST_SHORT,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form(form: str) -> None:
    (error,) = parse_traceback(FORMS[form](PYTHON))
    assert error.message.startswith("AttributeError: 'Symbol' object has no attribute 'shape'")
    assert [(frame.path, frame.row) for frame in error.user_frames] == [("/a/train.py", 4), ("/a/net.py", 7)]
    assert error.user_frames[-1].function.endswith("hybrid_forward")
    assert error.user_frames[-1].code == "rows = x.shape[0]"


@pytest.mark.parametrize(
    "line", ["Cell In[3], line 5", "Input In [3], in <cell line: 5>()", "<ipython-input-3-ab1> in <module>"]
)
def test_a_cell_of_a_notebook(line: str) -> None:
    (error,) = parse_traceback(f"{line}\n----> 5 net(x)\n\nMXNetError: no\n")
    assert [(frame.row, frame.code) for frame in error.user_frames] == [(5, "net(x)")]


@pytest.mark.parametrize(
    "link",
    [
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
    ],
)
def test_chained_exceptions(link: str) -> None:
    last = 'Traceback (most recent call last):\n  File "/a/train.py", line 9, in main\n    go()\napp.Failed: step 0\n'
    first, second = parse_traceback(f"{PYTHON}\n{link}\n\n{last}")
    assert first.message.endswith("has no attribute 'shape'")
    assert (second.message, second.user_frames[0].row) == ("app.Failed: step 0", 9)


def test_lines_of_native_code_are_a_part_of_the_message() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/a/net.py", line 7, in f\n    y.backward()\n'
        'mxnet.base.MXNetError: Traceback (most recent call last):\n  File "../src/imperative/cached_op.cc", line 777\n'
        "MXNetError: Check failed: no\n"
    )
    (error,) = parse_traceback(text)
    assert [frame.path for frame in error.frames] == ["/a/net.py"]
    assert error.message.endswith("Check failed: no")


def test_the_functions_that_raised_stand_behind_the_message() -> None:
    text = PYTHON.partition('  File "/a/net.py"')[0] + "IndexError\n"
    assert parse_traceback(text)[0].text == "IndexError\n(raised by mxnet.gluon.block._get_graph)"


def test_a_message_alone() -> None:
    (error,) = parse_traceback("It failed again!\n\nAttributeError: 'Symbol' object has no attribute 'shape'\n")
    assert (error.frames, error.message) == ((), "AttributeError: 'Symbol' object has no attribute 'shape'")


def test_nodes_and_parameters_of_a_message() -> None:
    (error,) = parse_traceback(
        "MXNetError: Error in operator net0_plus0: Check failed: Incompatible attr in node net0_plus0"
    )
    assert error.names == ("net0_plus0",)
    (error,) = parse_traceback("RuntimeError: Parameter 'net0_weight' has not been initialized")
    assert error.names == ("net0_weight",)


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("mxnet/gluon/block.py", "mxnet.gluon.block"),
        ("C:\\env\\Lib\\site-packages\\mxnet\\symbol\\numpy\\_symbol.py", "mxnet.symbol.numpy._symbol"),
        ("/x/mxnet/__init__.py", "mxnet"),
        ("/home/me/mxnet/train.py", None),
        ("/home/me/mxnet/gluon/mine.py", None),
        ("/x/site-packages/hybridlint/runtime/symbol/methods.py", "mxnet.symbol.methods"),
        ("<string>", None),
    ],
)
def test_a_file_of_mxnet(path: str, module: str | None) -> None:
    assert mxnet_module(path) == module


@pytest.mark.parametrize(
    ("path", "library"),
    [
        ("/usr/lib/python3.8/contextlib.py", True),
        ("C:\\Python38\\Lib\\contextlib.py", True),
        ("/env/lib/python3.8/site-packages/gluoncv/a.py", True),
        ("<string>", True),
        ("<frozen importlib._bootstrap>", True),
        ("<stdin>", False),
        ("<ipython-input-3-abc>", False),
        ("/home/me/lib/net.py", False),
        ("mxnet/example/net.py", False),
    ],
)
def test_a_file_of_a_library(path: str, library: bool) -> None:
    assert is_library(path) == library
