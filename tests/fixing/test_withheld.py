"""The last repair of what raises, where something that silently differs is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.fixing.withheld import IN_VAIN, REASON, STAYS_EAGER, UNFINISHED, may_be_held, may_be_in_vain
from hybridlint.text.source import SourceFile

HEAD = "import random\n\nimport mxnet as mx\nfrom mxnet.gluon import HybridBlock\n"
LOUD = """

class Loud(HybridBlock):
    def hybrid_forward(self, F, x):
        x = x.reshape((x.shape[0], -1))
        return x.T
"""
SILENT = """

class Silent(HybridBlock):
    def hybrid_forward(self, F, x):
        return x * random.choice([1, 2]) if self.noisy else x
"""
BOTH = """

class Both(HybridBlock):
    def __init__(self):
        super().__init__()
        self.loud = Loud()
        self.silent = Silent()

    def hybrid_forward(self, F, x):
        return self.loud(self.silent(x))
"""


def outcome(text: str) -> FixOutcome:
    return fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=False)


def test_one_repair_of_two_is_held_back() -> None:
    done = outcome(HEAD + LOUD + SILENT + BOTH)
    assert "x.reshape((0, -1))" in done.source.text
    assert "x.T" in done.source.text
    assert [dropped.reason for dropped in done.dropped] == [REASON]


def test_classes_that_do_not_name_each_other_are_judged_alone() -> None:
    done = outcome(HEAD + LOUD + SILENT)
    assert "x.T" not in done.source.text
    assert not done.dropped


def test_nothing_is_held_back_without_silent_differences() -> None:
    assert not outcome(HEAD + LOUD).dropped


def test_nothing_is_held_back_where_something_still_raises() -> None:
    body = "return self.net(x, self.table[x.shape])"
    raising = f"\n\nclass Raising(HybridBlock):\n    def hybrid_forward(self, F, x):\n        {body}\n"
    done = outcome(HEAD + LOUD + SILENT + raising + BOTH.replace("Silent()", "Silent(), Raising()"))
    assert "x.T" not in done.source.text


def may_hold(text: str) -> bool:
    source = SourceFile(Path("net.py"), text)
    return may_be_held(source, analyze_file(source), unsafe=False)


def test_a_check_fixes_in_memory_only_where_a_repair_may_be_held_back() -> None:
    assert may_hold(HEAD + LOUD + SILENT + BOTH)
    assert not may_hold(HEAD + LOUD)
    assert not may_hold(HEAD + LOUD + SILENT)


NUMBERS = """

class Numbers(HybridBlock):
    def hybrid_forward(self, F, x):
        n = int(x.sum().asscalar())
        return x.T[:n]
"""
PARENT = """

class Parent(HybridBlock):
    def __init__(self):
        super().__init__()
        self.numbers = Numbers()

    def hybrid_forward(self, F, x):
        return self.numbers(x.T)
"""


@pytest.mark.parametrize("unsafe", [False, True])
def test_repairs_are_held_back_where_numbers_are_needed_that_no_graph_has(unsafe: bool) -> None:
    source = SourceFile(Path("net.py"), HEAD + NUMBERS + PARENT)
    done = fix_source(source, analyze_file, unsafe=unsafe)
    assert done.source.text == HEAD + NUMBERS + PARENT
    assert {dropped.reason for dropped in done.dropped} == {IN_VAIN}


def test_a_class_that_needs_no_numbers_is_repaired_beside_one_that_does() -> None:
    done = outcome(HEAD + NUMBERS + LOUD)
    assert "x.T[:n]" in done.source.text
    assert "return x.transpose()" in done.source.text


TWO_LOSSES = """

class Both(HybridBlock):
    def __init__(self):
        super().__init__()
        self.numbers = Numbers()
        self.loud = Loud()

    def forward(self, x):
        return self.numbers(x) + self.loud(x)
"""
MAIN = """

def main():
    net = mx.gluon.nn.Sequential()
    net.add(Numbers(), Loud())
    return net
"""


@pytest.mark.parametrize("user", [TWO_LOSSES, MAIN], ids=["a forward", "a function that starts a program"])
def test_code_that_is_in_no_graph_does_not_join_the_blocks_that_it_uses(user: str) -> None:
    done = outcome(HEAD + NUMBERS + LOUD + user)
    assert "x.T[:n]" in done.source.text
    assert "return x.transpose()" in done.source.text


def test_what_is_held_back_is_not_offered() -> None:
    source = SourceFile(Path("net.py"), HEAD + NUMBERS + LOUD)
    found = analyze_file(source)
    assert may_be_in_vain(found)
    assert not may_be_in_vain(analyze_file(SourceFile(Path("net.py"), HEAD + LOUD)))


CHUNKS = """

class Chunks(HybridBlock):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm()

    def forward(self, x):
        chunks = [x[i : i + 2] for i in range(0, x.shape[0], 2)]
        return mx.nd.concat(*[self.norm(chunk) for chunk in chunks], dim=0)
"""
GATE = """

class Gate(HybridBlock):
    def __init__(self):
        super().__init__()
        self.gate = nn.Dense(4)

    def forward(self, x):
        return x * mx.nd.sigmoid(self.gate(x))
"""


def test_a_class_that_would_have_to_stay_eager_is_not_written_to_be_compiled() -> None:
    text = HEAD + "from mxnet.gluon import nn\n" + CHUNKS + GATE
    done = fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=True, keep_eager=True)
    assert [dropped.reason for dropped in done.dropped] == [STAYS_EAGER]
    assert CHUNKS in done.source.text
    assert "def hybrid_forward(self, F, x):\n        return x * F.sigmoid(self.gate(x))" in done.source.text


DECODER = """

class Decoder(HybridBlock):
    def __init__(self):
        super().__init__()
        self.most = 5
        self.head = nn.Dense(4, flatten=False)

    def forward(self, x):
        scores = mx.nd.softmax(self.head(x))
        return scores.topk(axis=1, k=min(self.most, scores.shape[1]))
"""


def test_a_class_that_runs_eagerly_is_not_written_to_raise() -> None:
    text = HEAD + "from mxnet.gluon import nn\n" + DECODER
    done = fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=True)
    assert [dropped.reason for dropped in done.dropped] == [UNFINISHED]
    assert done.source.text == text
