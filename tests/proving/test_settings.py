"""What a program changes of a block between its calls."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.writer import module_changes

Prove = Callable[..., dict[str, ProofOutcome]]


def _settings(body: str, name: str = "Net") -> list[str]:
    return [
        f"{s}{f' by {s.step}()' if s.step else ''}" for s in module_changes(dedent(body)).of(name).changed({"cast"})
    ]


def test_settings_are_read_by_hybrid_forward_and_written_by_other_code() -> None:
    assert _settings(
        """
        STATE, EPOCH, SEEN, LIMIT = {"mix": 0.0}, 0, [], 3
        EPOCH = 0
        STATE = {"mix": 0.0}

        def next_epoch():
            global EPOCH
            EPOCH += 1
            STATE["mix"] = 1.0
            STATE["unread"] = 1.0

        def train(net):
            net.alpha = 0.5

        class Net(nn.HybridBlock):
            def __init__(self):
                self._build()
                self.rate = self.alpha = self.stays = 1.0

            def _build(self):
                self.units = 3

            def set_rate(self, rate):
                self.rate = rate
                self.unread = rate

            def grow(self):
                self.body.add(nn.Dense(3))

            def cast(self, dtype):
                self.dtype = dtype

            def hybrid_forward(self, F, x):
                x = self._scaled(x) * self.units * self.stays
                self.count = self.count + 1
                return self.body(x) * EPOCH * self.dtype

            def _scaled(self, x):
                return x * self.rate * self.alpha * STATE["mix"] * self.count
        """
    ) == ["self.rate", "self.body by grow()", "EPOCH", "STATE['mix']", "self.alpha"]


def test_a_store_into_an_item_changes_what_holds_it(prove: Prove) -> None:
    body = """
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.active = [True, True]

        def prune(self, k):
            self.active[k] = False

        def hybrid_forward(self, F, x):
            return F.sin(x) if self.active[0] else x * 1
    """
    assert _settings(body) == ["self.active"]
    outcome = prove(dedent(body))["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ("unchanged self.active",))


def test_what_is_traced_anew_or_still_being_built_is_no_setting() -> None:
    assert (
        _settings(
            """
            class Net(nn.HybridBlock):
                @property
                def beta(self):
                    return self._beta

                @beta.setter
                def beta(self, value):
                    self._beta = value
                    self._clear_cached_op()

                def hybrid_forward(self, F, x):
                    return x * self.beta * self.alpha

            def build():
                net = Net()
                net.alpha = 2.0
                return net
            """
        )
        == []
    )


def test_a_script_changes_settings_in_its_loops() -> None:
    body = """
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * self.alpha * self.beta

    net = Net()
    net.beta = 1.0
    for epoch in range(3):
        net.alpha = epoch
    """
    assert _settings(body) == ["self.alpha"]


def test_attributes_are_also_stored_by_name_and_on_classes() -> None:
    body = """
    class Config:
        rate = 1.0

        @classmethod
        def advance(cls):
            cls.rate *= 0.5

    def train(net):
        net.apply(lambda part: setattr(part, "alpha", 0.0))
        vars(net)["beta"] = 0.0

    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return x * self.alpha * self.beta * Config.rate
    """
    assert set(_settings(body)) == {"self.alpha", "self.beta", "Config.rate"}


def test_a_setting_that_is_frozen_at_the_trace_is_refuted(prove: Prove) -> None:
    outcomes = prove(
        """
        STATE = {"epoch": 0}

        def set_epoch(epoch):
            STATE["epoch"] = epoch

        class Curriculum(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * (STATE["epoch"] + 1)

        class Dropping(nn.HybridBlock):
            def __init__(self, rate=0.2):
                super().__init__()
                self.rate = rate

            def set_rate(self, rate):
                self.rate = min(rate, 0.9)

            def hybrid_forward(self, F, x):
                return F.Dropout(x, p=self.rate)

        class Growing(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.body = nn.HybridSequential()

            def grow(self):
                self.body.add(nn.Activation("tanh"))

            def hybrid_forward(self, F, x):
                return self.body(x) * 2
        """
    )
    found = {name: (o.status, o.variant, (o.call or "").rpartition(", once ")[2]) for name, o in outcomes.items()}
    assert found == {
        "Curriculum": (ProofStatus.REFUTED, "changed settings", "STATE['epoch'] is changed from 0 to 1"),
        "Dropping": (ProofStatus.REFUTED, "changed settings", "self.rate is changed from 0.2 to 0.1"),
        "Growing": (ProofStatus.REFUTED, "changed settings", "self.grow() is called"),
    }


def test_a_setting_that_makes_no_difference_is_proved(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.steps = 2

            def advance(self, steps):
                self.steps += steps

            def hybrid_forward(self, F, x):
                return F.relu(x) if self.steps > 0 else x
        """
    )["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())
    assert "changed settings" in {ran.name for ran in outcome.variants}


def test_where_no_other_value_is_known_the_proof_is_for_the_unchanged_one(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.mode = "relu"

            def select(self, mode):
                self.mode = mode

            def hybrid_forward(self, F, x):
                return F.Activation(x, act_type=self.mode)
        """
    )["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ("unchanged self.mode",))
    assert outcome.reason == "only for unchanged self.mode: compiled = eager"


def test_a_method_that_only_the_constructor_calls_with_a_value_need_not_change_it_later(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.set_scale(2.0)

            def set_scale(self, scale):
                self.scale = scale
                return self

            def hybrid_forward(self, F, x):
                return x * self.scale
        """
    )["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ("unchanged self.scale",))


def test_a_method_that_has_the_block_traced_anew_by_another_one_hides_no_change(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.rate = 0.5

            def set_rate(self, rate):
                self.rate = rate
                self._refresh()

            def _refresh(self):
                self._clear_cached_op()

            def hybrid_forward(self, F, x):
                return x * self.rate
        """
    )["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())


def test_a_fix_is_not_taken_back_for_a_setting_that_was_frozen_before(prove: Prove) -> None:
    net = """
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.alpha = 0.5

        def set_alpha(self, alpha):
            self.alpha = alpha

        def hybrid_forward(self, F, x):
            return {value} * self.alpha
    """
    outcome = prove(net.format(value="x.reshape(x.shape)"), net.format(value="F.reshape_like(x, x)"))["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ("unchanged self.alpha",))


def test_a_list_that_a_method_shuffles_or_turns_is_a_setting(prove: Prove) -> None:
    """What changes a list in place leaves the graph with the order that it had when it was traced."""
    outcomes = prove(
        """
        from collections import deque

        import numpy as np

        class Shuffled(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.order = list(np.random.permutation(6))

            def shuffle(self):
                np.random.shuffle(self.order)

            def hybrid_forward(self, F, x):
                return F.stack(*[F.slice_axis(x, axis=1, begin=int(i), end=int(i) + 1) for i in self.order], axis=1)

        class Turned(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.order = [0, 1, 2]

            def turn(self):
                self.order.reverse()

            def hybrid_forward(self, F, x):
                return F.stack(*[F.slice_axis(x, axis=1, begin=i, end=i + 1) for i in self.order], axis=1)

        class OfACopy(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.order = [0, 1, 2]

            def drawn(self):
                order = list(self.order)
                np.random.shuffle(order)
                return order

            def hybrid_forward(self, F, x):
                return F.stack(*[F.slice_axis(x, axis=1, begin=i, end=i + 1) for i in self.order], axis=1)

        class Weighted(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.weights = deque([1.0, 2.0])
                self.left_out = set()

            def leave_out(self, *places):
                self.left_out |= set(places)

            def hybrid_forward(self, F, x):
                return x * sum(self.weights) * len(self.left_out | {0})

        class Fixed(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.factors = deque([1.0, 2.0])

            def hybrid_forward(self, F, x):
                return x * sum(self.factors)

        def shift(net):
            net.weights.extendleft([3.0])
            return list(net.factors)
        """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Shuffled": (ProofStatus.REFUTED, ()),
        "Turned": (ProofStatus.REFUTED, ()),
        "OfACopy": (ProofStatus.PROVED, ()),
        # What cannot be changed, or only by a method with other arguments, is a reserve.
        "Weighted": (ProofStatus.PROVED, ("unchanged self.left_out", "unchanged self.weights")),
        "Fixed": (ProofStatus.PROVED, ()),
    }


@pytest.mark.parametrize(
    ("configured", "settings"),
    [
        ("configure(net, gain=2.0, net_name='a')", ["self.gain"]),
        ("configure(net)", []),
        ("other(net, gain=2.0)", []),
    ],
)
def test_settings_are_also_stored_by_the_names_of_keywords(configured: str, settings: list[str]) -> None:
    assert (
        _settings(
            f"""
        def configure(net, **settings):
            for name, value in settings.items():
                setattr(net, name, value)

        def main(net):
            {configured}

        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * self.gain
        """
        )
        == settings
    )


def test_a_method_that_stores_its_keywords_is_called_with_some() -> None:
    """The change is that of the attribute: a call of the method without keywords makes none."""
    body = """
    class Net(nn.HybridBlock):
        def configure(self, **settings):
            for name, value in settings.items():
                setattr(self, name, value){anew}

        def hybrid_forward(self, F, x):
            return x * self.gain

    def main(net):
        net.configure(gain=2.0)
    """
    assert _settings(body.replace("{anew}", "")) == ["self.gain"]
    assert _settings(body.replace("{anew}", "\n            self.hybridize()")) == []
