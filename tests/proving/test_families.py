"""Families of arguments and inputs that no single name tells: they follow from how a block uses them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.list_items import items_of
from hybridlint.proving.child.build.values.block_arguments import BlockCallShape, called_like, parts
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.failure_site import FailureSite, blame
from hybridlint.proving.child.inputs.repairs.failing_operands import Operand, operands
from hybridlint.proving.child.inputs.repairs.same_shapes import same_shapes
from hybridlint.proving.child.specs.spec import TensorSpec, show

Prove = Callable[..., dict[str, ProofOutcome]]

# -- networks as arguments


class Actor:
    def hybrid_forward(self, F: Any, x: Any, noise: Any) -> Any:
        return x, noise


class Trunk:
    def hybrid_forward(self, F: Any, x: Any, mask: Any = None) -> Any:
        return x


class Judge:
    def __init__(self, actor: Any, trunk: Any, heads: Any) -> None:
        self.actor = actor
        self.trunk = trunk
        self.heads = heads

    def hybrid_forward(self, F: Any, x: Any, noise: Any) -> Any:
        action, _rest = self.actor(x, noise)
        scores = self.heads(action)
        return [self.trunk(x) + score for score in scores]


def test_a_network_is_called_with_as_many_inputs_as_its_owner_passes_and_gives_as_many_outputs() -> None:
    calls = {name: use.call for name, use in parts(Judge).items()}
    assert calls == {"actor": BlockCallShape(2, 2), "trunk": BlockCallShape(1, 1), "heads": BlockCallShape(1, 2)}
    assert called_like(Actor, calls["actor"])
    assert called_like(Trunk, calls["trunk"])
    assert not called_like(Trunk, calls["actor"])
    assert calls["actor"].network is None
    assert calls["heads"].network == "nn.HybridLambda(lambda F, x: (F.tanh(x), F.sigmoid(x)))"


def test_a_loss_gets_a_network_of_its_module_that_is_called_like_the_one_that_it_wants(prove: Prove) -> None:
    outcomes = prove(
        """
        class Critics(nn.HybridBlock):
            def __init__(self, actions):
                super().__init__()
                self.first, self.second = nn.Dense(actions), nn.Dense(actions)

            def hybrid_forward(self, F, state):
                return self.first(state), self.second(state)

        class Objective(nn.HybridBlock):
            def __init__(self, online):
                super().__init__()
                self.online = online

            def hybrid_forward(self, F, state, action):
                first, second = self.online(state)
                return F.pick(F.minimum(first, second), action)
        """
    )
    assert outcomes["Objective"].status is ProofStatus.PROVED, outcomes["Objective"].reason
    assert (
        outcomes["Objective"].setup
        == "(online=Critics(actions=4)) on state (N, 6), action (N,) of whole numbers below 3"
    )


# -- lists as arguments


def test_what_a_loop_keeps_as_a_child_is_a_block_and_what_it_asks_for_states_a_cell() -> None:
    source = """
    for coef, term in terms:
        self.register_child(term)
    for cell in self.cells:
        cell.state_info()
    for width, stride in sizes:
        self.add(nn.Dense(width, stride))
    """
    tree = ast.parse(dedent(source))
    found = [pair for node in ast.walk(tree) if isinstance(node, ast.For) for pair in items_of(node, tree)]
    assert found[0] == ("terms", "[(1, nn.Dense(4)), (1, nn.Dense(4))]")
    assert ("cells", "[gluon.rnn.GRUCell(4), gluon.rnn.GRUCell(4)]") in found
    assert all(name != "sizes" for name, _ in found)


def test_a_key_that_a_dictionary_lacks_gives_way_to_one_that_it_has(prove: Prove) -> None:
    outcomes = prove(
        """
        LOSSES = {"l1": gluon.loss.L1Loss, "l2": gluon.loss.L2Loss}

        def loss_of(name):
            return LOSSES[name]()

        class Sum(nn.HybridBlock):
            def __init__(self, net, objectives):
                super().__init__()
                self.net = net
                self.weights = dict(objectives)
                for name, _ in objectives:
                    self.register_child(loss_of(name), name)

            def hybrid_forward(self, F, x, label):
                y = self.net(x)
                return sum(weight * self._children[name](y, label) for name, weight in self.weights.items())
        """
    )
    assert outcomes["Sum"].status is ProofStatus.PROVED, outcomes["Sum"].reason
    assert "objectives=[('l" in str(outcomes["Sum"].setup)


def test_blame_tells_the_keys_of_the_dictionary() -> None:
    table = {"a": 1, "b": 2}
    try:
        table["c"]
    except KeyError as error:
        told = blame(error)
    assert (told.missing, told.keys) == ("'c'", ("'a'", "'b'"))


# -- states


def test_states_are_those_of_all_cells_in_a_block(prove: Prove) -> None:
    outcomes = prove(
        """
        class Stack(nn.HybridBlock):
            def __init__(self, cells):
                super().__init__()
                self.cells = cells
                for cell in cells:
                    self.register_child(cell)

            def hybrid_forward(self, F, x, *states):
                left, found = list(states), []
                for cell in self.cells:
                    count = len(cell.state_info())
                    x, state = cell(x, left[:count])
                    left, found = left[count:], found + state
                return x, found

        class Model(nn.HybridBlock):
            def __init__(self, vocab, hidden=5):
                super().__init__()
                self.embed = nn.Embedding(vocab, 3)
                self.stack = Stack([gluon.rnn.LSTMCell(hidden), gluon.rnn.GRUCell(7)])

            def hybrid_forward(self, F, token, states):
                return self.stack(self.embed(token), *states)
        """
    )
    assert outcomes["Model"].status is ProofStatus.PROVED, outcomes["Model"].reason
    assert str(outcomes["Model"].setup).endswith("states [(N, 5), (N, 5), (N, 7)]")
    assert outcomes["Stack"].status is ProofStatus.PROVED, outcomes["Stack"].reason


def test_tokens_of_a_recurrent_network_begin_with_the_steps_and_one_name_holds_all_its_states(prove: Prove) -> None:
    outcome = prove(
        """
        class Model(nn.HybridBlock):
            def __init__(self, vocab):
                super().__init__()
                self.embed = nn.Embedding(vocab, 4)
                self.rnn = gluon.rnn.LSTM(6)

            def hybrid_forward(self, F, inputs, hidden):
                return self.rnn(self.embed(inputs), hidden)
        """
    )["Model"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert outcome.setup == "(vocab=4) on inputs (T, N) of whole numbers below 4, hidden [(1, N, 6), (1, N, 6)]"


# -- what stands beside an input in the statement that fails


class _Array:
    def __init__(self, *shape: int) -> None:
        self.shape = shape

    def asnumpy(self) -> None: ...


def _joined(memory: _Array, x: _Array) -> None:
    wide = x
    raise ValueError(f"no {memory} and {wide}")


def test_the_arrays_of_a_failing_statement_are_told_with_the_inputs_that_they_come_from() -> None:
    memory, x = _Array(2, 5), _Array(2, 5, 4)
    try:
        _joined(memory, x)
    except ValueError as error:
        found = operands(error, {"tokens": x, "memories": [memory]})
    assert found == (
        Operand("memory", (2, 5), ("memories", 0), frozenset([("memories", 0)])),
        Operand("wide", (2, 5, 4), ("tokens",), frozenset([("tokens",)])),
    )


@pytest.mark.parametrize(
    ("sentence", "own", "other", "expected"),
    [
        ("sizes 5 and 4 do not broadcast", (2, 5), (2, 4), "(N, 4)"),
        ("2 and 3 dimensions cannot be joined", (2, 5), (2, 5, 4), "(N, T, 4)"),
        ("index: expected shape (2, 4), got (2, 5)", (2, 5), (2, 4, 9), "(N, 4)"),
    ],
)
def test_an_input_takes_the_shape_of_what_it_fails_beside(
    sentence: str, own: tuple[int, ...], other: tuple[int, ...], expected: str
) -> None:
    arrays = (Operand("a", own, ("a",), frozenset()), Operand("b", other, None, frozenset()))
    found = same_shapes(
        {"a": TensorSpec(("N", "T"))},
        {"N": 2, "T": 5},
        Failure(f"MXNetError: {sentence}", 1, FailureSite(), (1,), arrays),
    )
    assert show(next(found)["a"]) == expected


def test_a_size_of_one_is_never_taken_from_beside() -> None:
    arrays = (Operand("a", (2, 5), ("a",), frozenset()), Operand("b", (2, 1), None, frozenset()))
    failure = Failure("MXNetError: sizes 5 and 3", 1, FailureSite(), (1,), arrays)
    assert not list(same_shapes({"a": TensorSpec(("N", "T"))}, {"N": 2, "T": 5}, failure))


def test_every_state_of_a_list_has_a_shape_of_its_own(prove: Prove) -> None:
    outcome = prove(
        """
        class Window(nn.HybridBlock):
            def __init__(self, hidden):
                super().__init__()
                self.cell = gluon.rnn.LSTMCell(hidden)
                self.step = nn.Dense(3)

            def hybrid_forward(self, F, x, states):
                h, c, kappa = states
                out, (h, c) = self.cell(x, [h, c])
                return out, [h, c, kappa + F.exp(self.step(out))]
        """
    )["Window"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert outcome.setup is not None
    assert outcome.setup.endswith(", (N, 3)]")


# -- other ways to use a block

SWITCHED = """
class Head(nn.HybridBlock):
    def __init__(self, classes, aux=True):
        super().__init__()
        self.aux = aux
        self.main, self.beside = nn.Dense(classes), nn.Dense(classes)

    def hybrid_forward(self, F, x):
        return (self.main(x), self.beside(x)) if self.aux else self.main(x)

def head():
    return Head(4, aux={aux})
"""


def test_an_option_that_the_project_gives_is_tried_too(prove: Prove) -> None:
    outcome = prove(SWITCHED.format(aux=False))["Head"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason
    assert "aux=False" in str(outcome.setup)


def test_a_switch_that_works_both_ways_restricts_nothing(prove: Prove) -> None:
    outcome = prove(
        """
        class Scaled(nn.HybridBlock):
            def __init__(self, twice=False):
                super().__init__()
                self.twice = twice

            def hybrid_forward(self, F, x):
                return F.tanh(x) * 2 if self.twice else F.tanh(x)
        """
    )["Scaled"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())


def test_an_optional_input_is_given_too(prove: Prove) -> None:
    outcome = prove(
        """
        class Gated(nn.HybridBlock):
            def hybrid_forward(self, F, x, gate=None):
                if gate is not None and gate.asnumpy().sum() > 1000:
                    return F.tanh(x) * gate
                return F.tanh(x)
        """
    )["Gated"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason
    assert "gate (N, L)" in str(outcome.setup)


def test_layers_of_an_optional_input_are_proved_in_calls_that_give_it(prove: Prove) -> None:
    outcome = prove(
        """
        class Fusion(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.table, self.other = nn.Dense(4), nn.Dense(4)

            def hybrid_forward(self, F, table, other=None):
                y = self.table(table)
                return y if other is None else y + self.other(other)
        """
    )["Fusion"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert outcome.only == ("calls with `other`, as its layers get no shapes otherwise",)


# -- states


CELL = """
    class Cell(nn.HybridBlock):
        def __init__(self, hidden):
            super().__init__()
            self.gates, self.update = nn.Dense(2 * hidden), nn.Dense(2 * hidden)

        def hybrid_forward(self, F, inputs, states):
            before = states[0]
            new, keep = F.split(self.gates(inputs) + self.update(before), num_outputs=2, axis=1)
            after = F.sigmoid(keep) * F.tanh(new) + (1 - F.sigmoid(keep)) * before
            return after, [after]
"""


def test_states_of_which_items_are_taken_by_number_are_a_list(prove: Prove) -> None:
    found = prove(CELL)["Cell"]
    assert found.status is ProofStatus.PROVED, found.reason
    assert str(found.setup).endswith("states [(N, 4)]")


def test_an_array_of_which_the_first_item_is_taken_is_no_list(prove: Prove) -> None:
    found = prove(CELL.replace("states", "rows"))["Cell"]
    assert found.status is not ProofStatus.PROVED


def test_an_input_list_may_be_filled_with_what_is_returned_too(prove: Prove) -> None:
    outcomes = prove(
        """
        class Returned(nn.HybridBlock):
            def hybrid_forward(self, F, x, states):
                first, second = states
                states[0] = F.tanh(x + first)
                return x * second, states

        class Lost(nn.HybridBlock):
            def hybrid_forward(self, F, x, states):
                first, second = states
                states[0] = F.tanh(x + first)
                return x * second
        """
    )
    assert outcomes["Returned"].status is ProofStatus.PROVED, outcomes["Returned"].reason
    assert outcomes["Lost"].status is ProofStatus.REFUTED
    assert outcomes["Lost"].reason.startswith("compiled: input states[0] afterwards")


# -- what the module and its errors tell


def test_settings_that_the_module_writes_down_are_taken(prove: Prove) -> None:
    found = prove(
        """
        config = dict(units=6, size=(4, 3))

        class Draw(nn.HybridBlock):
            def __init__(self, opt):
                super().__init__()
                self.opt = opt
                height, width = opt["size"]
                self.dense = nn.Dense(opt["units"] * height * width)

            def hybrid_forward(self, F, x):
                return self.dense(x).reshape((-1, self.opt["units"]) + self.opt["size"])
        """
    )["Draw"]
    assert found.status is ProofStatus.PROVED, found.reason
    assert '"size": (4, 3)' in str(found.setup)


def test_every_type_that_an_argument_may_have_is_tried(prove: Prove) -> None:
    found = prove(
        """
        class Interface:
            def compute(self):
                raise NotImplementedError

        class Trained(nn.HybridBlock):
            def __init__(self, measure):
                super().__init__()
                if isinstance(measure, Interface) is False and isinstance(measure, gluon.loss.Loss) is False:
                    raise TypeError("The type of `measure` must be `Interface` or `gluon.loss.Loss`.")
                self.measure, self.dense = measure, nn.Dense(3)

            def hybrid_forward(self, F, x):
                return self.dense(x)
        """
    )["Trained"]
    assert found.status is ProofStatus.PROVED, found.reason
    assert "gluon.loss.L2Loss()" in str(found.setup)


def test_optional_inputs_that_are_needed_together_are_given_together(prove: Prove) -> None:
    found = prove(
        """
        class Pooled(nn.HybridBlock):
            def __init__(self, vocab=30):
                super().__init__()
                self.words, self.grams = nn.Embedding(vocab, 6), nn.Embedding(vocab, 6)

            def hybrid_forward(self, F, word, grams=None, gram_mask=None):
                if grams is None or gram_mask is None:
                    raise ValueError("the parts of the words are needed")
                masked = F.broadcast_mul(self.grams(grams), gram_mask.expand_dims(axis=2))
                return self.words(word) + masked.sum(axis=1)
        """
    )["Pooled"]
    assert found.status is ProofStatus.PROVED, found.reason


def test_arrays_that_cannot_be_joined_get_as_many_axes(prove: Prove) -> None:
    found = prove(
        """
        class Table(nn.HybridBlock):
            def __init__(self, numbers=3, kinds=(5, 9), units=6):
                super().__init__()
                self.count = len(kinds)
                self.number = nn.Dense(units)
                self.kinds = nn.HybridSequential()
                self.kinds.add(*[nn.Embedding(count, units) for count in kinds])

            def hybrid_forward(self, F, number, kind):
                columns = F.split(kind, num_outputs=self.count, axis=1, squeeze_axis=True)
                return F.stack(self.number(number), *[self.kinds[k](columns[k]) for k in range(self.count)], axis=1)
        """
    )["Table"]
    assert found.status is ProofStatus.PROVED, found.reason
