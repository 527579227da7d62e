"""Values of the checked code: what would take much time or memory to compute is unknown, and nothing raises."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import Any

import pytest

from hybridlint.analysis.model.folding import fold_call, told_apart
from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Tensor
from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """import math

from mxnet import nd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
"""

#: Each would take more memory than there is, or for ever, or raise.
LARGE = """
math.factorial(10**7)
math.comb(10**7, 5 * 10**6)
"%2000000000d" % 3
"%*d" % (2000000000, 3)
10**10**10
1 << 10**12
1 << -1
[0] * 10**10
(x,) * 10**10
"a" * 10**10
10**10 * "a"
3000000000 * b"a"
"a".ljust(10**10)
("ab" * 5000).join("ab" * 5000)
"{:4000000000}".format(1)
F.split(x, num_outputs=10**9, axis=1)
F.slice_axis(x, axis=10**15, begin=0, end=1)
F.zeros(shape=(10**30, 10**30))[0]
x.reshape((10**30, 3))[0]
x[list(range(10**9))]
range(2**63)
len(range(2**63))
list(range(2**63))
range(5)[::0]
"abc"[::0]
[1, 2, 3][::0]
"abc"[2**70]
x[::0]
x[2**70 : 2**71 : 2**72]
slice(1, 2, 0)
F.split(x, num_outputs=10**8)
x.split(num_outputs=10**12, axis=0)
F.arange(0, 1, float("nan"))
F.arange(0, float("inf"))
F.arange(0, 10**30)
F.zeros((10**30, 2**63))
F.tile(x, reps=(10**9,) * 4)
float(10**400)
int(float("nan"))
math.exp(1000)
math.ceil(float("inf"))
1 // 0
0**-1
""".strip().splitlines()

#: Repeated, each doubles what a name holds, or how much is within it.
DOUBLING = """
s = s + s
s += s
s = [s, s]
s = (s, s)
s = {"a": s, "b": s}
s.append(s)
s.extend(s)
s[0] = [s, s]
n = n * n
n *= n
n = n << 1000
t = t + t
t = t.replace("a", "aa")
t = t.replace(t, t + t)
""".strip().splitlines()


def codes(*lines: str) -> list[str]:
    body = "".join(f"        {line}\n" for line in lines)
    return [f.rule.code for f in analyze_file(SourceFile(Path("net.py"), HEAD + body))]


@pytest.mark.parametrize("expression", LARGE)
def test_what_is_large_is_unknown(expression: str) -> None:
    assert codes(f"y = {expression}", "return x.asnumpy()")[-1] == "HYB106"


@pytest.mark.parametrize("statement", DOUBLING)
def test_what_grows_is_unknown_once_it_is_large(statement: str) -> None:
    begin = ("s = [x]", "n = 3", 't = "aa"')
    assert codes(*begin, *[statement] * 60, "y = (s, n, t, str(s), s == s)", "return x.asnumpy()")[-1] == "HYB106"


def test_small_values_are_computed() -> None:
    assert fold_call(operator.add, "a", "b") == "ab"
    assert fold_call(operator.mul, 2**60, 2**60) == 2**120


@pytest.mark.parametrize(
    ("compute", "values"),
    [
        (operator.add, ("a" * 15_000, "b" * 15_000)),
        (operator.mul, (2**4000, 2**4000)),
        (operator.truediv, (1, 0)),
        (operator.getitem, ("abc", slice(None, None, 0))),
        (operator.add, (1, STATIC_UNKNOWN)),
    ],
)
def test_large_results_and_failures_are_unknown(compute: Any, values: tuple[Any, ...]) -> None:
    assert fold_call(compute, *values) is STATIC_UNKNOWN


def test_containers_of_few_elements_are_told_apart() -> None:
    pair = ContainerValue("list", (StaticValue(1), ContainerValue("tuple", (Tensor(), StaticValue(2)))))
    assert told_apart(pair) is pair


def test_containers_that_hold_each_other_many_times_are_not() -> None:
    nested = ContainerValue("list", (StaticValue(1),))
    for _ in range(11):
        nested = ContainerValue("list", (nested, nested))
    assert told_apart(nested) == ContainerValue("list", None)
