"""What the uses of arguments say of them, and how sure that makes findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\n\n\nclass Net(mx.gluon.HybridBlock):\n    def hybrid_forward(self, F, x, *args):\n"


@pytest.mark.parametrize(
    ("body", "severities"),
    [
        ("first, other = args\nreturn x + first[0] + self.net(other)", {"warning"}),
        ("hidden, other = args\nreturn x + hidden[0] + self.net(other)", set()),
        ("hidden, other = args\nreturn F.relu(hidden)[0] + F.relu(hidden) + other", {"error"}),
        ("hidden, other = args\nreturn hidden[0] + F.relu(hidden) * other", {"error"}),
    ],
)
def test_what_args_are_taken_apart_into_may_be_lists(body: str, severities: set[str]) -> None:
    text = HEAD + "".join(f"        {line}\n" for line in body.split("\n"))
    found = [f for f in analyze_file(SourceFile(Path("net.py"), text)) if f.rule.code == "HYB201"]
    assert {finding.severity.value for finding in found} == severities


@pytest.mark.parametrize(
    ("tried", "codes"),
    [("x[1] * x[0]", set()), ("x[1]", {"HYB406"})],
    ids=["rows beside each other", "a row instead of another"],
)
def test_rows_that_are_read_together_are_items_of_a_list(tried: str, codes: set[str]) -> None:
    text = f"{HEAD}        try:\n            return {tried}\n        except IndexError:\n            return x[0]\n"
    assert {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))} == codes


@pytest.mark.parametrize(("name", "codes"), [("edge_index", {"HYB201", "HYB202"}), ("pair", set()), ("edges", set())])
def test_rows_that_select_from_a_tensor_are_those_of_an_index_array(name: str, codes: set[str]) -> None:
    body = f"def hybrid_forward(self, F, x, {name}):\n        a, b = {name}[0], {name}[1]\n"
    text = HEAD.partition("def ")[0] + f"{body}        return F.take(x, a) - x.take(indices=b)\n"
    assert {f.rule.code for f in analyze_file(SourceFile(Path("net.py"), text)) if f.rule.code[:5] == "HYB20"} == codes


def test_items_of_an_argument_may_be_lists_that_a_child_takes_apart() -> None:
    text = """
import mxnet as mx


class Cell(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x, cache):
        key, value = cache
        return x + key * value, [key, value]


class Net(mx.gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.cells = mx.gluon.nn.HybridSequential()
        for _ in range(2):
            self.cells.add(Cell())

    def hybrid_forward(self, F, x, caches):
        for cell, cache in zip(self.cells, caches):
            x, cache = cell(x, cache)
        return x
"""
    found = analyze_file(SourceFile(Path("net.py"), text))
    assert {f.severity.value for f in found if f.rule.code == "HYB208"} <= {"possible"}


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        ("x, prev", "out, old = prev\nreturn self.net(x, old), out"),
        ("x, both", "out, rest = both\nreturn F.concat(*([x] + rest), dim=1), out"),
        ("x, kept", "kept[0] = F.concat(kept[0], x, dim=1)\nkept[1] = x\nreturn kept[0] + kept[1]"),
    ],
)
def test_what_is_carried_or_taken_apart_into_lists_is_no_tensor(arguments: str, body: str) -> None:
    text = HEAD.replace("x, *args", arguments) + "".join(f"        {line}\n" for line in body.split("\n"))
    found = analyze_file(SourceFile(Path("net.py"), text))
    assert [finding.rule.code for finding in found if finding.rule.code.startswith("HYB2")] == []


def test_what_two_unknown_children_give_one_after_the_other_is_a_tensor_where_it_is_used_as_one() -> None:
    text = """
from mxnet import nd
from mxnet.gluon import nn
from elsewhere import Part


class Net(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.net = nn.HybridSequential()
        self.net.add(nn.Dense(8), Part(8))

    def hybrid_forward(self, F, x):
        x = self.net[0](x)
        x = self.net[1](x)
        rows = x.shape[0]
        return nd.softmax(x) * rows
"""
    found = analyze_file(SourceFile(Path("net.py"), text))
    assert [finding.rule.code for finding in found] == ["HYB101", "HYB502"]


def of(text: str, *codes: str) -> list[tuple[str, str]]:
    """Return the code and severity of each finding of these rules in a module."""
    found = analyze_file(SourceFile(Path("net.py"), text))
    return [(f.rule.code, f.severity.value) for f in found if f.rule.code in codes]


HELPER = """
import mxnet as mx


class Net(mx.gluon.HybridBlock):
    def helper(self, F, memory, x):
        {body}

    def hybrid_forward(self, F, x, memory):
        {before}
        return self.helper(F, memory, x)
"""


@pytest.mark.parametrize(
    "body",
    [
        'return x + memory["a"][0]',
        'return x + memory[self.kind]["keys"][0]',
        "return x + sum(v[0] for v in memory.values())",
        "memory[self.kind] = {}; return x + memory[self.kind][0]",
        "return x + memory[self.kind][0] if self.kind in memory else x",
        "return x + memory.get(self.kind)[0]",
    ],
)
def test_an_argument_is_a_dict_where_the_helper_that_gets_it_uses_one(body: str) -> None:
    assert of(HELPER.format(body=body, before="pass"), "HYB201", "HYB202", "HYB205", "HYB405") == []


def test_an_argument_may_be_a_list_where_a_helper_takes_elements_and_a_tensor_where_it_computes() -> None:
    assert of(HELPER.format(body="return x + memory[1]", before="pass"), "HYB202") == [("HYB202", "warning")]
    assert of(HELPER.format(body="return memory[1] + x * memory", before="pass"), "HYB202") == [("HYB202", "error")]


def test_what_takes_the_name_of_an_argument_is_not_the_argument() -> None:
    found = of(HELPER.format(body='return x + memory[1] + memory["a"]', before="memory = F.relu(x)"), "HYB202")
    assert ("HYB202", "error") in found


CELL = """
import mxnet as mx


class Cell(mx.gluon.{base}):
    def hybrid_forward(self, F, x, s):
        return F.relu(x + s[0]), [x * s[0]]
"""


@pytest.mark.parametrize("base", ["rnn.HybridRecurrentCell", "rnn.LSTMCell", "contrib.rnn.Conv2DGRUCell"])
def test_the_second_input_of_a_recurrent_cell_is_a_list(base: str) -> None:
    assert of(CELL.format(base=base), "HYB201") == []


def test_the_second_input_of_any_other_block_may_be_a_tensor() -> None:
    assert of(CELL.format(base="HybridBlock"), "HYB201") == [("HYB201", "warning")] * 2


def test_lists_are_as_long_as_each_other_and_tensors_as_tensors() -> None:
    text = (
        HEAD.replace("x, *args", "x, {0}, mean") + "        return x + sum(F.sum(mean[i]) for i in range(len({0})))\n"
    )
    assert of(text.format("params"), "HYB202") == []
    assert of(text.format("other"), "HYB202") == [("HYB202", "warning")]


def test_a_subscript_in_a_loop_is_found_once_for_all_iterations() -> None:
    text = HEAD + "        return sum(F.sum(F.relu(x)[k]) for k in range(3))\n"
    assert of(text, "HYB201", "HYB202") == [("HYB202", "error")]
