"""Calls that cannot bind their arguments, and a hybrid_forward that has no argument for F."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """
from mxnet.gluon import nn, HybridBlock


def scaled(F, x, by=2, *, axis=-1):
    return F.sum(x, axis) * by


def doubled(x):
    return x * 2


if True:
    def doubled(x, y):
        return x * y


class Gate(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.gamma = self.params.get("gamma", shape=(1,))

    def hybrid_forward(self, F, x, y=None, gamma=None):
        return F.broadcast_mul(x, gamma)


class Net(HybridBlock):
    def __init__(self, wide=True, **kwargs):
        super().__init__(**kwargs)
        self.gate = Gate()
        self.either = Gate() if wide else nn.Dense(2)
        self.norm = Norm()

    def half(self, F, x):
        return F.relu(x)

    def open(self, x):
        raise NotImplementedError

    def again(self, x):
        return x * 2

    def hybrid_forward(self, F, x, y, *args, **kwargs):
        return {call}


class Norm(nn.BatchNorm):
    def hybrid_forward(self, F, x, gamma, beta, running_mean, running_var):
        return F.broadcast_mul(x, gamma)


class Below(Net):
    def again(self, x, y):
        return x * y
"""


def _told(text: str) -> list[str]:
    return [f.message for f in analyze_file(SourceFile(Path("net.py"), text)) if f.rule.code in {"HYB813", "HYB814"}]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("scaled(x)", "`scaled` gets no `x`"),
        ("scaled(F, x, 1, 2)", "`scaled` takes 2 to 3 positional arguments, and gets 4"),
        ("scaled(F, x, axes=1)", "`scaled` takes no `axes`"),
        ("scaled(F, x, x=y)", "`scaled` gets `x` twice"),
        ("self.half(x)", "`self.half` gets no `x`"),
        ("self.gate(x, y, y, y)", "`self.gate` takes 1 to 3 positional arguments, and gets 4"),
        ("self.gate(x, y, y)", "`self.gate` gets `gamma` twice"),
        ("self.gate(x, y=y)", "`self.gate` is called as a block, which takes no keywords"),
    ],
)
def test_a_call_that_does_not_fit_is_reported_in_place_of_what_it_would_run(call: str, told: str) -> None:
    assert _told(HEAD.replace("{call}", call)) == [f"{told}: the call raises TypeError"]


@pytest.mark.parametrize(
    "call",
    [
        "scaled(F, x)",
        "scaled(F, x, 1, axis=0)",
        "scaled(F, *args)",
        "scaled(F, **kwargs)",
        "doubled(x)",
        "self.gate(x)",
        "self.gate(x, y)",
        "self.either(x, y, x)",
        "self.norm(x)",
        "self.open()",
        "self.again(x, y)",
    ],
)
def test_a_call_that_fits_or_may_fit_is_not_reported(call: str) -> None:
    assert _told(HEAD.replace("{call}", call)) == []


BLOCK = """
import mxnet as mx
from mxnet.gluon import nn, HybridBlock


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.body = nn.Dense(2)

    def hybrid_forward({arguments}):
        return {result}
"""


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ("self, x", "self.body(x)"),
        ("self, x", "mx.nd.sigmoid(x)"),
        ("self, x, y", "self.body(x) + y"),
        ("self, x, y=None", "-x"),
        ("self, x, *, scale=1", "x * scale"),
    ],
)
def test_an_input_where_the_operators_are_passed_is_reported_alone(arguments: str, result: str) -> None:
    found = analyze_file(SourceFile(Path("net.py"), BLOCK.format(arguments=arguments, result=result)))
    assert [finding.rule.code for finding in found] == ["HYB813"]


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ("self, F, x", "self.body(x)"),
        ("self, nd, x", "nd.FullyConnected(x) * nd.ones(2)"),
        ("self, G, x", "self.helper(G, x)"),
        ("self, x, *args", "x.relu(args[0])"),
    ],
)
def test_the_operators_may_have_any_name(arguments: str, result: str) -> None:
    assert _told(BLOCK.format(arguments=arguments, result=result)) == []


def test_a_class_that_calls_its_method_itself_passes_what_it_likes() -> None:
    own = "    def forward(self, x):\n        return self.hybrid_forward(x)\n"
    assert _told(BLOCK.format(arguments="self, x", result="self.body(x)") + "\n" + own) == []


CHOSEN = """
from mxnet.gluon import nn, rnn, HybridBlock

CELLS = {"rnn": rnn.RNNCell, "lstm": rnn.LSTMCell}


def rows(operators, x):
    return x.shape[0]


class Net(HybridBlock):
    def __init__(self, kind, wide, **kwargs):
        super().__init__(**kwargs)
        self.count = {"a": rows}.get(kind)
        self.cell = CELLS[kind](8) if wide else nn.Dense(8)
        self.other = CELLS[kind](8)

    def hybrid_forward(self, F, x, states):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("return x * self.count(F, x)", ["HYB101"]),
        ("out, [state] = self.cell(x, states)\n        return out, state", []),
        ("out = self.other(x, states)\n        return out[0].shape[0] * x", ["HYB101"]),
    ],
)
def test_what_a_table_holds_is_followed(body: str, codes: list[str]) -> None:
    found = analyze_file(SourceFile(Path("net.py"), CHOSEN.replace("{body}", body)))
    assert [finding.rule.code for finding in found if finding.rule.code != "HYB806"] == codes


STATES = """
from mxnet.gluon import nn, rnn, HybridBlock


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.rnn = rnn.GRU(8, 2)
        self.cell = rnn.LSTMCell(8)
        self.other = Other()

    def hybrid_forward(self, F, x, states):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("top = states[0][-1]\n        out, states = self.rnn(x, states)\n        return out, top", ["error"]),
        ("h, c = states\n        return self.cell(x, states)[0], h[-1], c", ["error"]),
        ("return self.cell(inputs=x, states=states)[1], states[0][:, -1]", ["error"]),
        ("return self.rnn(x, states)[0], states[-1]", []),
        ("top = states[0][-1]\n        return self.other(x, states), top", []),
        ("top = states[0][-1]\n        states = states[1]\n        return self.cell(x, states)[0], top", []),
    ],
)
def test_states_of_a_recurrent_layer_are_tensors(body: str, found: list[str]) -> None:
    told = analyze_file(SourceFile(Path("net.py"), STATES.replace("{body}", body)))
    assert [finding.severity.value for finding in told if finding.rule.code == "HYB202"] == found
