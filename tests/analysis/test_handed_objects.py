"""Objects that the calls of a class hand to its constructor: names that are bound to themselves end the search."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

TEXT = """from mxnet.gluon import HybridBlock


class Noise:
    pass


class Net(HybridBlock):
    def __init__(self, noise):
        super().__init__()
        self.noise = noise

    def hybrid_forward(self, F, x):
        return x.asnumpy()


def made(noise=None, other=None):
    noise = noise if noise else other if other else Noise()
    other = other if other else noise if noise else Noise()
    return Net(noise)
"""


def test_a_name_that_is_bound_to_itself_is_followed_once() -> None:
    assert "HYB106" in {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), TEXT))}


FUNCTIONS = """from mxnet.gluon import HybridBlock


def collector(store):
    def collect(array):
        store.append(array.asnumpy())
    return collect


class Layer(HybridBlock):
    def __init__(self, watch{default}):
        super().__init__()
        self.watch = watch

    def hybrid_forward(self, F, x):
        return self.watch(x)


class Net(HybridBlock):
    def __init__(self, on=True):
        super().__init__()
        self.layer = Layer({given})
"""


@pytest.mark.parametrize(
    ("default", "given", "found"),
    [
        ("", "collector([])", True),
        ("", "watch=collector([]) if on else None", True),
        ("", "lambda x: x.asnumpy()", True),
        ("=lambda x: x.asnumpy()", "", True),
        ("=None", "", False),
        ("", "lambda x: x * 2", False),
        ("", "on", False),
    ],
)
def test_functions_that_a_constructor_gets_are_followed(default: str, given: str, found: bool) -> None:
    text = FUNCTIONS.format(default=default, given=given)
    codes = {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))}
    assert ("HYB106" in codes) is found
