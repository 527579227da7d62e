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


CALLBACKS = """from mxnet.gluon import HybridBlock


class Anneal:
    def ran(self, block):
        block.scale = block.scale / 2


class Net(HybridBlock):
    def __init__(self, callbacks=None):
        super().__init__()
        self.scale = 1.0
        self.callbacks = callbacks or [Anneal()]

    def hybrid_forward(self, F, x):
        for one in self.callbacks:
            one.ran(self)
        return x * self.scale
"""


def test_objects_of_a_list_that_stands_where_none_is_given() -> None:
    assert "HYB703" in {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), CALLBACKS))}


DRAWN = """import random
import time

import numpy as np
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self, {parameter}):
        super().__init__()
        self.source = {given}

    def hybrid_forward(self, F, x):
        return x * self.source{call}
"""
SOURCES = {
    "a module by default": ("source=np.random", "source", ".uniform()", "HYB601"),
    "a module where none is given": ("source=None", "source or random", ".random()", "HYB601"),
    "one of two": ("source=None", "np.random if source is None else source", ".rand()", "HYB601"),
    "a function by default": ("*, source=random.random", "source", "()", "HYB601"),
    "a clock by default": ("source=time.time", "source", "()", "HYB602"),
}


@pytest.mark.parametrize("case", SOURCES)
def test_what_draws_unless_something_else_is_given(case: str) -> None:
    parameter, given, call, code = SOURCES[case]
    text = DRAWN.format(parameter=parameter, given=given, call=call)
    assert code in {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))}


PRESUMED = """import mxnet as mx
from mxnet.gluon import HybridBlock


class Box:
    def {name}(self):
        return mx.nd.ones((1, 3))


class Net(HybridBlock):
    def __init__(self, box, **kwargs):
        super().__init__(**kwargs)
        self.low = box.{name}()

    def hybrid_forward(self, F, x):
        return F.broadcast_add(x, self.low)
{other}"""
OTHER = "\n\nclass Other:\n    def lowest(self):\n        return 0\n"


@pytest.mark.parametrize(
    ("name", "other", "codes"), [("lowest", "", {"HYB503"}), ("lowest", OTHER, set()), ("pop", "", set())]
)
def test_the_one_class_that_has_a_method_tells_what_it_gives(name: str, other: str, codes: set[str]) -> None:
    text = PRESUMED.format(name=name, other=other)
    assert {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))} == codes


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


CENTRE = """import numpy as np
from mxnet import nd
from mxnet.gluon import HybridBlock


class Centre(HybridBlock):
    def __init__(self, mean=None, name=None):
        super().__init__()
        self.mean = mean

    def hybrid_forward(self, F, x):
        return x - self.mean


"""


@pytest.mark.parametrize(
    ("calls", "reported"),
    [
        ("net = Centre(nd.array([[1.0, 2.0]]))", True),
        ("def make():\n    return Centre(mean=nd.ones((1, 2)))", True),
        ("MEAN = nd.ones((1, 2))\n\n\ndef make():\n    return Centre(MEAN)", True),
        ("def make(mean):\n    return Centre(mean)\n\n\nnet = make(nd.ones((1, 2)))", True),
        ("net = Centre(np.ones((1, 2)))", True),
        ('config = {"mean": nd.ones((1, 2))}\nnet = Centre(**config)', True),
        ('config = {"name": nd.ones((1, 2))}\nnet = Centre(**config)', False),
        ("class Heir(Centre):\n    def __init__(self):\n        super().__init__(nd.ones((1, 2)))", True),
        (
            "class Net(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
            "        self.mean = nd.ones((1, 2))\n        self.centre = Centre(self.mean)",
            True,
        ),
        ('if __name__ == "__main__":\n    Centre(nd.ones((1, 2)))', True),
        (
            'def make(mean):\n    return Centre(mean)\n\n\nif __name__ == "__main__":\n    Centre(nd.ones((1, 2)))',
            False,
        ),
        ("net = Centre(0.5)", False),
        ("net = Centre(np.float32(0.5))", False),
        ("net = Centre(None, nd.ones((1, 2)))", False),
        ("def make(*given):\n    return Centre(*given, nd.ones((1, 2)))", False),
        ("def make(mean):\n    return Centre(mean)", False),
    ],
)
def test_an_array_that_a_call_gives_meets_symbols(calls: str, reported: bool) -> None:
    found = [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), f"{CENTRE}{calls}\n"))]
    assert ("HYB503" in found) is reported


def test_an_array_in_a_list_and_one_that_is_the_default() -> None:
    listed = (
        CENTRE.replace("x - self.mean", "x * self.mean[0] + self.mean[1]") + "net = Centre([nd.ones(1), nd.ones(1)])\n"
    )
    default = CENTRE.replace("mean=None", "mean=nd.ones((1, 2))")
    for text in (listed, default):
        assert "HYB503" in [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))]
