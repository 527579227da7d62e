"""What only looks at arrays goes under a guard, as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import fixed, lines

CASES = {
    "a check": ("assert x.min() > 0\nreturn x * 2", "if F is mx.nd:\n    assert x.min() > 0\nreturn x * 2"),
    "with comments": (
        "# first\nassert x.min() > 0  # positive\nreturn x * 2",
        "# first\nif F is mx.nd:\n    assert x.min() > 0  # positive\nreturn x * 2",
    ),
    "over several lines": (
        'assert (\n    x.min() > 0  # low\n), "negative"\nreturn x * 2',
        'if F is mx.nd:\n    assert (\n        x.min() > 0  # low\n    ), "negative"\nreturn x * 2',
    ),
    "a raise": (
        'if x.min() < 0:\n    raise ValueError("negative")  # no\nreturn x * 2',
        'if F is mx.nd:\n    if x.min() < 0:\n        raise ValueError("negative")  # no\nreturn x * 2',
    ),
    "what is only looked at": (
        "m = x.mean().asscalar()  # look\n\n# now\nprint(m)\nreturn x * 2",
        "if F is mx.nd:\n    m = x.mean().asscalar()  # look\n\n    # now\n    print(m)\nreturn x * 2",
    ),
    "a list that nothing reads": (
        "self.seen.append(x.shape)\nreturn x * 2",
        "if F is mx.nd:\n    self.seen.append(x.shape)\nreturn x * 2",
    ),
    "inside another block": (
        "if self.checked:\n    assert x.min() > 0\nreturn x * 2",
        "if self.checked:\n    if F is mx.nd:\n        assert x.min() > 0\nreturn x * 2",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_under_a_guard(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


@pytest.mark.parametrize(
    "before", ["a = 1; assert x.min() > a\nreturn x * 2", "m = x.mean().asscalar()\nprint(m)\nreturn x * m"]
)
def test_what_stays(before: str) -> None:
    assert fixed(before) == before


CLASS = "\n\nclass Net(HybridBlock):\n  def hybrid_forward(self, F, x):\n    assert x.min() > 0\n    return x * 2\n"


@pytest.mark.parametrize(
    ("head", "module"),
    [
        ("import mxnet\n", "mxnet.nd"),
        ("from mxnet import ndarray\n", "ndarray"),
        ("from mxnet import nd as arrays\n", "arrays"),
    ],
)
def test_the_name_that_the_file_has(head: str, module: str) -> None:
    source = SourceFile(Path("net.py"), f"{head}from mxnet.gluon import HybridBlock\n{CLASS}")
    text = fix_source(source, analyze_file, unsafe=False).source.text
    assert text == source.text.replace("    assert", f"    if F is {module}:\n      assert")


def test_an_import_where_there_is_no_name() -> None:
    source = SourceFile(Path("net.py"), f"from mxnet import gluon\nfrom mxnet.gluon import HybridBlock\n{CLASS}")
    text = fix_source(source, analyze_file, unsafe=False).source.text
    guarded = source.text.replace("    assert", "    if F is nd:\n      assert")
    assert text == guarded.replace("import gluon\n", "import nd, gluon\n")


def test_no_import_under_a_name_that_is_taken() -> None:
    head = "from other import nd\nfrom mxnet.gluon import HybridBlock\n"
    source = SourceFile(Path("net.py"), f"{head}{CLASS}")
    assert fix_source(source, analyze_file, unsafe=False).source.text == source.text


HELPER = """\
from mxnet import nd
from mxnet.gluon import HybridBlock


def checked(x, limit):{check}
    return x


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return checked(x, 3) * 2
"""


def helper(check: str) -> str:
    return HELPER.format(check="".join(f"\n    {line}" for line in check.splitlines()))


@pytest.mark.parametrize(
    "check",
    [
        "assert x.max() < limit, 'large'",
        "assert x.asnumpy().min() > 0",
        "if x.min() < 0:\n    raise ValueError('negative')",
    ],
)
def test_functions_without_f_ask_for_an_array(check: str) -> None:
    source = SourceFile(Path("net.py"), helper(check))
    inner = "\n".join(f"    {line}" for line in check.splitlines())
    text = fix_source(source, analyze_file, unsafe=False).source.text
    assert text == helper(f"if isinstance(x, nd.NDArray):\n{inner}")


def test_what_may_be_a_number_too_is_left() -> None:
    text = helper("assert x.max() < limit").replace("return checked(x, 3) * 2", "return checked(x, 3) * self.scale(3)")
    text += "\n    def scale(self, y):\n        assert y > 2\n        return y\n"
    source = SourceFile(Path("net.py"), text)
    assert "isinstance(y" not in fix_source(source, analyze_file, unsafe=True).source.text
