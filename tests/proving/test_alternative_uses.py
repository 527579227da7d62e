"""Other ways to use a proved block: other arguments of the constructor, by which its code chooses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus, VariantResult

Prove = Callable[..., dict[str, ProofOutcome]]

HEAD = "from mxnet.gluon import HybridBlock\n"
BY_TABLE = """

class ByTable(HybridBlock):
    def __init__(self, loss="centered"):
        super().__init__()
        self._kind = loss

    def centered(self, F, x):
        return F.broadcast_sub(x, F.mean(x, axis=1, keepdims=True))

    def scaled(self, F, x):
        return x / F.max(x, axis=1, keepdims=True)

    def hybrid_forward(self, F, x):
        return {"centered": self.centered, "scaled": self.scaled}[self._kind](F, x)
"""
BY_NAME = """

class ByName(HybridBlock):
    def __init__(self, mode="tanh"):
        super().__init__()
        self.mode = mode

    def hybrid_forward(self, F, x):
        if self.mode == "first":
            return x[:, 0]
        return F.tanh(x)
"""
BOTH_RIGHT = """

class BothRight(HybridBlock):
    def __init__(self, mode="tanh"):
        super().__init__()
        self.mode = mode

    def hybrid_forward(self, F, x):
        return F.tanh(x) if self.mode == "tanh" else F.relu(x) if self.mode == "relu" else x
"""


def test_what_a_name_in_a_table_chooses_is_refuted(prove: Prove) -> None:
    assert prove(HEAD + BY_TABLE)["ByTable"].status is ProofStatus.REFUTED


def test_what_another_name_chooses_is_refuted(prove: Prove) -> None:
    assert prove(HEAD + BY_NAME)["ByName"].status is ProofStatus.REFUTED


def test_names_that_choose_what_is_right_restrict_nothing(prove: Prove) -> None:
    outcome = prove(HEAD + BOTH_RIGHT)["BothRight"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())


OPTIONAL_LIST = """

class Skips(HybridBlock):
    def hybrid_forward(self, F, x, skips=None):
        if skips is not None:
            for skip in skips:
                x = x + skip
        return F.relu(x)


class Extras(HybridBlock):
    def hybrid_forward(self, F, x, extras=None):
        return F.add_n(x, *[F.relu(extra) for extra in extras]) if extras else F.relu(x)
"""


def test_an_optional_input_that_is_gone_through_is_a_list(prove: Prove) -> None:
    outcomes = prove(HEAD + OPTIONAL_LIST)
    assert [outcomes[name].status for name in ("Skips", "Extras")] == [ProofStatus.PROVED, ProofStatus.PROVED]
    assert outcomes["Skips"].only == ("lists: an array in place of `skips` runs eagerly too",)
    assert outcomes["Extras"].only == ()


MASKED = """

class Masked(HybridBlock):
    def hybrid_forward(self, F, x, mask=None):
        score = F.batch_dot(x, x, transpose_b=True)
        if mask is not None:
            score = {masked}
        return F.batch_dot(F.softmax(score), x)
"""


@pytest.mark.parametrize(
    ("masked", "status"),
    [
        ("score + (1 - mask.expand_dims(1)) * -1e9", ProofStatus.REFUTED),
        ("F.broadcast_add(score, (1 - mask.expand_dims(1)) * -1e9)", ProofStatus.PROVED),
        ("score + (1 - mask) * -1e9", ProofStatus.PROVED),
    ],
)
def test_an_optional_input_that_fails_compiled_in_each_shape_refutes(
    prove: Prove, masked: str, status: ProofStatus
) -> None:
    outcome = prove(HEAD + MASKED.replace("{masked}", masked))["Masked"]
    assert (outcome.status, outcome.only) == (status, ())


OBSERVED = """
from mxnet.gluon import nn


class Meter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)


class Loss(HybridBlock):
    def __init__(self, callbacks=()):
        super().__init__()
        self.callbacks = list(callbacks)

    def hybrid_forward(self, F, x):
        for callback in self.callbacks:
            callback.update({told})
        return F.square(x)
"""
CALLED = """

class Net(HybridBlock):
    def __init__(self, on_step=None):
        super().__init__()
        self._on_step = on_step

    def hybrid_forward(self, F, x):
        if self._on_step is not None:
            self._on_step(x.asnumpy())
        return F.relu(x)
"""


def test_what_callbacks_are_told_is_run_though_there_are_none_by_default(prove: Prove) -> None:
    outcome = prove(HEAD + OBSERVED.replace("{told}", "float(x.mean().asscalar())"))["Loss"]
    assert outcome.status is ProofStatus.REFUTED
    assert str(outcome.setup).startswith("(callbacks=[Meter()])")
    assert prove(HEAD + CALLED)["Net"].status is ProofStatus.REFUTED


def test_callbacks_that_are_told_nothing_of_tensors_restrict_nothing(prove: Prove) -> None:
    outcome = prove(HEAD + OBSERVED.replace("{told}", "1"))["Loss"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())


NOISY = """
from mxnet.gluon import nn


class Noisy(HybridBlock):
    def __init__(self, units, share=0.5):
        super().__init__()
        self.share = share
        self.fc = nn.Dense(units)

    def hybrid_forward(self, F, x, noise=None):
        y = self.fc(x)
        if noise is None:
            return y
        {change}
        return y + self.share * noise
"""


def test_noise_has_the_shape_of_what_it_is_added_to(prove: Prove) -> None:
    assert prove(HEAD + NOISY.format(change="pass"))["Noisy"].only == ()
    assert prove(HEAD + NOISY.format(change="self.share *= 0.9"))["Noisy"].status is ProofStatus.REFUTED


EAGER_WAYS = """
from mxnet.gluon import nn


class Levels(HybridBlock):
    def __init__(self, as_dict=False):
        super().__init__()
        self.as_dict = as_dict

    def hybrid_forward(self, F, x):
        half = F.relu(x) * 0.5
        if self.as_dict:
            return {"whole": x * 2, "half": half}
        return x * 2, half


class Shortcut(HybridBlock):
    def __init__(self, project=True):
        super().__init__()
        self.project = project
        self.main = nn.Dense(4)
        self.skip = nn.Dense(4)

    def hybrid_forward(self, F, x):
        return self.main(x) + self.skip(x) if self.project else self.main(x)
"""


def test_a_way_that_only_eager_calls_can_take_is_a_restriction_where_nobody_takes_it(prove: Prove) -> None:
    outcomes = prove(HEAD + EAGER_WAYS)
    assert {name: (one.status, one.only) for name, one in outcomes.items()} == {
        "Levels": (ProofStatus.PROVED, ("as_dict=False",)),
        "Shortcut": (ProofStatus.PROVED, ("project=True",)),
    }


def test_a_way_that_the_project_takes_is_refuted(prove: Prove) -> None:
    outcome = prove(HEAD + EAGER_WAYS + "\n\nNET = Levels(as_dict=True)\n")["Levels"]
    assert outcome.status is ProofStatus.REFUTED


def test_a_graph_takes_an_optional_input_in_each_call_or_in_none(prove: Prove) -> None:
    """MXNet refuses the other call; a proof of both ways, each by a block of its own, says so."""
    outcome = prove(
        """
        class Masked(nn.HybridBlock):
            def hybrid_forward(self, F, x, mask=None):
                return F.relu(x) if mask is None else F.broadcast_mul(F.relu(x), mask)
        """
    )["Masked"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert outcome.variants[-2:] == (
        VariantResult("with `mask`"),
        VariantResult(
            "with and without `mask` in turn", "a graph takes the inputs that its first call had, and no others"
        ),
    )


def test_what_an_eager_call_keeps_may_be_none_for_a_graph(prove: Prove) -> None:
    """An array that the first call makes is none that a Symbol is added to: hybridized before it, the block works."""
    outcomes = prove(
        """
        class Kept(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.table = None

            def hybrid_forward(self, F, x):
                if self.table is None:
                    self.table = F.arange(6).reshape((1, -1))
                return F.broadcast_add(x, self.table)

        class Made(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.broadcast_add(x, F.arange(6).reshape((1, -1)))
        """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Kept": (ProofStatus.PROVED, ("blocks that are hybridized before their first call",)),
        "Made": (ProofStatus.PROVED, ()),
    }


RATED = """
from mxnet import autograd


class WordDropout(HybridBlock):
    def __init__(self, rate=0.0, **kwargs):
        super().__init__(**kwargs)
        self._rate = rate

    def hybrid_forward(self, F, x):
        if self._rate <= 0 or not {training}:
            return x * 1
        return F.Dropout(x, p=self._rate)
"""


@pytest.mark.parametrize(
    ("training", "status"), [("autograd.is_training()", ProofStatus.REFUTED), ("True", ProofStatus.PROVED)]
)
def test_a_rate_of_zero_is_another_one_too(prove: Prove, training: str, status: ProofStatus) -> None:
    """Where code branches on a number that is zero by default, the default leaves something out."""
    outcome = prove(HEAD + RATED.format(training=training))["WordDropout"]
    assert (outcome.status, outcome.only) == (status, ())


COUNTED = """

class Model(HybridBlock):
    def __init__(self, units, heads=0):
        super().__init__()
        self.heads = heads
        self.units = units

    def hybrid_forward(self, F, x):
        return x.reshape((x.shape[0], -1)) * self.heads if self.heads else F.relu(x)


def small(**kwargs):
    settings = {settings}
    settings.update(kwargs)
    return Model({units}, **settings)
"""


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ('{"heads": 2}', ProofStatus.REFUTED),
        ("dict(heads=2)", ProofStatus.REFUTED),
        ("dict(heads=0)", ProofStatus.PROVED),
        ("dict(kwargs)", ProofStatus.PROVED),
    ],
)
def test_a_number_that_the_project_passes_in_place_of_none_is_another_way(
    prove: Prove, settings: str, status: ProofStatus
) -> None:
    code = COUNTED.replace("{settings}", settings).replace("{units}", "8")
    assert prove(HEAD + code)["Model"].status is status
