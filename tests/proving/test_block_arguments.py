"""Blocks that a block is given, counts of inputs, lists of numbers: what the body says, whatever their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.values.block_arguments import BlockUsage, parts
from hybridlint.proving.child.build.values.guesses import by_name
from hybridlint.proving.child.inputs.source.variadic_inputs import variadic_names
from hybridlint.runtime.gluon import nn

Prove = Callable[..., dict[str, ProofOutcome]]


class Target(nn.HybridBlock):
    """Of its arguments it calls one, takes one apart, and makes a layer of one."""

    def __init__(self, online: Any, tapped: Any, act: str) -> None:
        super().__init__()
        self.online = online
        self.tapped = tapped
        self.act = nn.Activation(act)
        self.first = tapped[0]

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """(N, C) -> (N, C)."""
        return self.act(self.online(x)) + self.tapped(x)


class Tasks(nn.HybridBlock):
    """One label for each head."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.HybridSequential()
        self.heads.add(nn.Dense(2), nn.Dense(3), nn.Dense(4))
        self.count = 2

    def hybrid_forward(self, F: Any, x: Any, *labels: Any) -> Any:
        """(N, C), three labels -> a list."""
        return [head(x) - label for head, label in zip(self.heads, labels, strict=False)]


class Fuse(Tasks):
    """It counts its branches."""

    def hybrid_forward(self, F: Any, *branches: Any) -> Any:
        """Return the sum of two branches."""
        y = branches[0]
        for k in range(1, self.count):
            y = y + branches[k]
        return y


def test_what_a_block_calls_is_a_block() -> None:
    assert {name: use.part for name, use in parts(Target).items()} == {
        "online": BlockUsage.CALLED,
        "tapped": BlockUsage.TAKEN_APART,
    }


@pytest.mark.parametrize(("cls", "count"), [(Tasks, 3), (Fuse, 2)])
def test_inputs_are_as_many_as_they_are_gone_through_with(cls: Any, count: int) -> None:
    block = cls()
    assert [f"input {k}" for k in range(count)] in variadic_names(block, block.hybrid_forward)


@pytest.mark.parametrize(("name", "first"), [("betas", "[0.1, 0.3]"), ("beta", "0.5"), ("loss_weights", "[0.1, 0.3]")])
def test_several_numbers_are_a_list(name: str, first: str) -> None:
    assert by_name(name)[0] == first


def test_blocks_that_are_given_blocks_are_run(prove: Prove) -> None:
    found = prove(
        """
        class Loss(gluon.HybridBlock):
            def __init__(self, online, target):
                super().__init__()
                self.online, self.gamma = online, 0.9
                self.target = target
                self.online = online

            def hybrid_forward(self, F, obs, action, reward, after, done):
                best = F.argmax(self.online(after), axis=1)
                aim = reward + self.gamma * (1 - done) * F.pick(self.target(after), best, axis=1)
                return F.smooth_l1(F.pick(self.online(obs), action, axis=1) - F.BlockGrad(aim), scalar=1.0)

        class Taps(gluon.HybridBlock):
            def __init__(self, net, wanted):
                super().__init__()
                self.net = net
                self._taps = []
                for i in wanted:
                    net[i].register_forward_hook(lambda _block, _given, output: self._taps.append(output))

            def hybrid_forward(self, F, x):
                del self._taps[:]
                y = self.net(x)
                return y, F.concat(*[F.max(t, axis=(2, 3)) for t in self._taps], dim=1)

        def backbone(widths=(4, 5, 6)):
            net = nn.HybridSequential()
            for w in widths:
                net.add(nn.Conv2D(w, 3, padding=1, activation="relu"))
            return net

        def annealed(start=1.0, steps=5):
            done = 0

            def blend(F, x):
                nonlocal done
                done += 1
                return x * (start - min(done, steps) / steps)
            return blend

        def regressor(units):
            net = nn.HybridSequential()
            for u in units:
                net.add(nn.Dense(u), nn.HybridLambda(annealed()))
            return net
        """
    )
    assert {name: outcome.status for name, outcome in found.items()} == {
        "Loss": ProofStatus.PROVED,
        "Taps": ProofStatus.PROVED,
        "backbone": ProofStatus.PROVED,
        "regressor": ProofStatus.REFUTED,
    }


def test_what_is_chosen_once_when_a_block_is_built_is_the_same_each_time(prove: Prove) -> None:
    found = prove(
        """
        class Flipped(gluon.HybridBlock):
            def __init__(self, seed=None):
                super().__init__()
                self.scale = random.Random(seed).random()

            def hybrid_forward(self, F, x):
                return x * self.scale

        class Anew(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * random.random()
        """
    )
    assert found["Flipped"].status is ProofStatus.PROVED
    assert found["Anew"].status is ProofStatus.REFUTED


def test_what_is_gone_through_and_called_is_a_network(prove: Prove) -> None:
    found = prove(
        """
        class Perceptual(gluon.HybridBlock):
            def __init__(self, extractor, layers):
                super().__init__()
                self.extractor = extractor
                self.layers = set(layers)

            def hybrid_forward(self, F, x):
                kept = []
                for k, layer in enumerate(self.extractor):
                    x = layer(x)
                    if k in self.layers:
                        kept.append(x)
                return F.concat(x, *kept, dim=1)
        """
    )
    assert found["Perceptual"].status is ProofStatus.PROVED


def test_a_block_by_its_annotation_is_one_that_is_called_so(prove: Prove) -> None:
    """An annotation that says "some block" says less than the argument's name, and than the call."""
    outcome = prove(
        """
        from mxnet.gluon import HybridBlock

        class Dynamics(nn.HybridBlock):
            def __init__(self, units=4):
                super().__init__()
                self.dense = nn.Dense(units)

            def hybrid_forward(self, F, state, action):
                return self.dense(F.concat(state, action, dim=1))

        class Plan(nn.HybridBlock):
            def __init__(self, dynamics: HybridBlock, horizon: int):
                super().__init__()
                self.dynamics, self.horizon = dynamics, horizon

            def hybrid_forward(self, F, state, action):
                for _ in range(self.horizon):
                    state = self.dynamics(state, action)
                return state
        """
    )["Plan"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert "dynamics=Dynamics()" in (outcome.setup or "")


def test_a_block_that_is_asked_for_its_first_states_is_a_recurrent_layer(prove: Prove) -> None:
    """The class keeps it under another name, and `ScratchRNN` speaks of it too."""
    outcome = prove(
        """
        class ScratchRNN(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x)

        class Model(nn.HybridBlock):
            def __init__(self, rnn_layer, units):
                super().__init__()
                self.rnn = rnn_layer
                self.dense = nn.Dense(units, flatten=False)

            def hybrid_forward(self, F, x, state):
                y, state = self.rnn(x, state)
                return self.dense(y), state

            def begin_state(self, *args, **kwargs):
                return self.rnn.begin_state(*args, **kwargs)
        """
    )["Model"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert "rnn_layer=gluon.rnn.GRU(4)" in (outcome.setup or "")


def test_a_list_is_as_long_as_the_code_says(prove: Prove) -> None:
    outcome = prove(
        """
        NAMES = ["x", "v", "sin", "cos", "omega"]

        class Cost(nn.HybridBlock):
            def __init__(self, weights):
                super().__init__()
                assert len(weights) == len(NAMES)
                self.weights = weights

            def hybrid_forward(self, F, x):
                return sum(weight * F.square(x) for weight in self.weights)
        """
    )["Cost"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert "weights=[0.1, 0.2, 0.3, 0.4, 0.5]" in (outcome.setup or "")
