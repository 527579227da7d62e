"""What a program changes, between its calls, of the objects that a block holds."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from textwrap import dedent

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.writer import module_changes
from hybridlint.proving.child.brief.changes import ExternalStore
from hybridlint.proving.child.changes.block_objects import holdings

Prove = Callable[..., dict[str, ProofOutcome]]


def _ways(body: str) -> dict[str, tuple[set[str], tuple[str, ...] | None]]:
    return {way.method: (set(way.names), way.given) for way in module_changes(dedent(body)).of("State").mutators}


def test_methods_that_change_their_object_and_what_they_are_called_with() -> None:
    assert _ways(
        """
        class Base:
            def rewind(self):
                self.step = 0

        class State(Base):
            def __init__(self):
                self.step, self.rate, self.names = 0, 1.0, []

            def advance(self, by=1):
                self._add(by)

            def _add(self, by):
                self.step += by

            def at(self, epoch):
                self.rate = 0.5 if epoch > 3 else self.rate

            def name(self, text):
                self.names.append(text)

            def both(self, step, *, rate):
                self.step, self.rate = step, rate

            def by_name(self):
                setattr(self, "rate", 0.1)
                vars(self)["step"] = 1

            @property
            def half(self):
                return self.rate / 2

            @half.setter
            def half(self, value):
                self.rate = 2 * value
        """
    ) == {
        "rewind": ({"step"}, ()),
        "advance": ({"step"}, ()),
        "at": ({"rate"}, ("epoch",)),
        "name": ({"names"}, None),
        "both": ({"step", "rate"}, None),
        "by_name": ({"rate", "step"}, ()),
        "half =": ({"rate"}, None),
    }


def test_methods_that_set_up_their_object_or_have_the_block_traced_anew_change_nothing() -> None:
    assert (
        _ways(
            """
            class State:
                def grow(self):
                    self.total += 4

                def load(self, path):
                    self.total = path

                def widen(self, by):
                    self.total += by
                    return self

                def set(self, total):
                    self.total = total
                    self._tell()

                def _tell(self):
                    self.net.hybridize()

            class Net(nn.HybridBlock):
                def __init__(self):
                    self.state = State()
                    self.state.grow()

            def build(path):
                state = State()
                state.load(path)
                return Net(state), Net(State().widen(2))
            """
        )
        == {}
    )


def test_a_method_that_is_called_once_the_object_is_handed_over_is_a_change() -> None:
    assert "load" in _ways(
        """
        class State:
            def load(self, path):
                self.total = path

        def run(path):
            state = State()
            net = Net(state)
            state.load(path)
        """
    )


def test_stores_of_other_code_into_objects() -> None:
    body = """
    class Callback:
        def __init__(self, net):
            net.first = 1

        def on_epoch(self):
            self.net.state.rate = 0.5

    def train(net, options):
        options["mix"] = 0.5
        net.apply(lambda part: setattr(part, "drop", 0.0))

    def build():
        net = Net()
        net.alpha = 0.5
        return net

    CONFIG.rate = 2
    for epoch in range(3):
        CONFIG.epoch = epoch
    """
    assert list(module_changes(dedent(body)).stores) == [
        ExternalStore("options", "mix", item=True),
        ExternalStore("part", "drop"),
        ExternalStore("state", "rate"),
        ExternalStore("CONFIG", "epoch"),
    ]


def test_objects_are_found_in_attributes_containers_and_callables() -> None:
    module = types.ModuleType("objects")
    exec(
        dedent(
            """
            class State:
                __slots__ = ("inner", "step")

                def at(self):
                    return 1.0

            class Inner:
                pass

            class Net:
                pass
            """
        ),
        vars(module),
    )
    net, state, others = module.Net(), module.State(), [module.Inner() for _ in range(4)]
    state.inner = others[0]
    net.state = net.again = state
    net.listed = [1, {"kl": others[1]}]
    net.called = functools.partial(lambda own=others[2]: own, others[2])
    net.nearby = lambda: others[3]
    shown = {id(one.value): one.shown("self") for one in holdings(net, module)}
    assert shown[id(state)] == "self.state"
    assert shown[id(others[0])] == "self.state.inner"
    assert shown[id(others[1])] == "self.listed[1]['kl']"
    assert shown[id(others[2])] == shown[id(others[3])] == "Inner"
    assert all(one.place.held_by(net) is one.value for one in holdings(net, module))


ANNEAL = """
    class Anneal:
        def __init__(self, start=1.0):
            self.value, self.seen, self.kind = start, 0, "relu"

        @property
        def weight(self):
            return 1.0 / (1 + self.seen)

        def step(self):
            self.seen += 1
            if self.seen % 5 == 0:
                self.value *= 0.5

        def choose(self, kind):
            self.kind = kind
"""


def test_a_value_of_an_object_that_is_frozen_at_the_trace_is_refuted(prove: Prove) -> None:
    outcomes = prove(
        ANNEAL
        + """
    GLOBAL = Anneal()

    class Made(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.anneal = Anneal()

        def hybrid_forward(self, F, x):
            return x * self.anneal.weight

    class Given(nn.HybridBlock):
        def __init__(self, anneal=GLOBAL):
            super().__init__()
            self._anneals = [anneal]

        def hybrid_forward(self, F, x):
            return x * self._anneals[0].value

    class Module(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * GLOBAL.weight

    class Options(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.options = {"mix": 0.5}

        def hybrid_forward(self, F, x):
            return x * self.options["mix"]

    def train(net):
        for epoch in range(3):
            net.options["mix"] = 0.1 * epoch
    """
    )
    found = {name: (o.status, o.variant, (o.call or "").rpartition(", once ")[2]) for name, o in outcomes.items()}
    assert found == {
        "Made": (ProofStatus.REFUTED, "changed settings", "self.anneal.step() is called"),
        "Given": (ProofStatus.REFUTED, "changed settings", "self._anneals[0].step() is called 10 times"),
        "Module": (ProofStatus.REFUTED, "changed settings", "GLOBAL.step() is called"),
        "Options": (ProofStatus.REFUTED, "changed settings", "self.options['mix'] is changed from 0.5 to 0.25"),
    }


def test_objects_whose_changes_the_block_does_not_miss_are_proved(prove: Prove) -> None:
    outcomes = prove(
        ANNEAL
        + """
    class Unread(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.anneal = Anneal()

        def hybrid_forward(self, F, x, scale):
            return F.broadcast_mul(x, scale)

        def scale(self):
            return nd.array([self.anneal.weight])

    class Alike(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.anneal = Anneal()

        def hybrid_forward(self, F, x):
            return F.relu(x) if self.anneal.weight > 0 else x

    class Told:
        def __init__(self, heard):
            self.value, self.heard = 1.0, heard

        def set(self, value):
            self.value = value
            self.heard()

    class Listening(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.told = Told(self._clear_cached_op)

        def hybrid_forward(self, F, x):
            return x * self.told.value
    """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == dict.fromkeys(
        ["Unread", "Alike", "Listening"], (ProofStatus.PROVED, ())
    )
    ran = {name: "changed settings" in {variant.name for variant in o.variants} for name, o in outcomes.items()}
    assert ran == {"Unread": False, "Alike": True, "Listening": True}


def test_where_a_method_cannot_be_called_the_proof_is_for_the_unchanged_object(prove: Prove) -> None:
    outcome = prove(
        ANNEAL
        + """
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.anneal = Anneal()

        def hybrid_forward(self, F, x):
            return F.Activation(x, act_type=self.anneal.kind)
    """
    )["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ("unchanged self.anneal.kind",))
