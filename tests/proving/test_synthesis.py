"""Getting a block to run that nobody said anything of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.repairs.error_repairs import repair_by_error
from hybridlint.proving.child.specs.seen_inputs import seen_inputs
from hybridlint.proving.child.specs.spec import Spec, TensorSpec

Prove = Callable[..., dict[str, ProofOutcome]]

IN_LARGER_BLOCKS = """
class Cell(nn.HybridBlock):
    def __init__(self, table):
        super().__init__()
        self.scale = table["scale"]

    def hybrid_forward(self, F, x, y, scale=None):
        return F.broadcast_mul(x, y.expand_dims(axis=1)) * self.scale

class Net(nn.HybridBlock):
    def __init__(self, tables, classes):
        super().__init__()
        self.cells = nn.HybridSequential()
        self.stem = nn.Conv2D(6, 3, strides=2, in_channels=3)
        self.cell = Cell(tables["a"])
        self.head = nn.Dense(classes)

    def hybrid_forward(self, F, x):
        y = F.flatten(self.stem(x).sum(axis=3).expand_dims(axis=3).sum(axis=(2, 3)))
        return self.head(self.cell(self.stem(x).sum(axis=3).swapaxes(1, 2), y))

TABLES = {"a": {"scale": 0.5}}

def net50():
    raise RuntimeError("too large")

def net(classes=3, pretrained=True):
    assert not pretrained
    return Net(TABLES, classes)

def main():
    os._exit(1)
"""


def test_a_block_that_only_a_larger_one_can_build(prove: Prove) -> None:
    outcomes = prove(IN_LARGER_BLOCKS)
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "Cell": ProofStatus.PROVED,
        "Net": ProofStatus.PROVED,
    }
    assert outcomes["Net"].setup == '(tables=({"a": {"scale": 0.5}}), classes=3) on x (N, 3, H, W)'
    assert [dict(sizes) for sizes in outcomes["Net"].rounds] == [{"N": 2, "H": 8, "W": 10}, {"N": 3, "H": 8, "W": 14}]
    assert outcomes["Cell"].setup == "(table={'scale': 0.5}) on x (N, H, 6), y (N, 6)"
    assert [dict(sizes) for sizes in outcomes["Cell"].rounds] == [{"N": 2, "H": 3}, {"N": 3, "H": 5}]


def test_a_larger_block_that_ends_the_process_is_left_out(prove: Prove) -> None:
    outcomes = prove(
        """
        class Cell(nn.HybridBlock):
            def __init__(self, table):
                super().__init__()
                self.scale = table["scale"]["value"]

            def hybrid_forward(self, F, x):
                return x * self.scale

        class Fine(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x)

        def cell():
            os._exit(5)
            return Cell({})
        """
    )
    assert outcomes["Cell"].reason.startswith("constructor argument `table` cannot be guessed")
    assert outcomes["Fine"].status is ProofStatus.PROVED


def test_inputs_follow_their_use(prove: Prove) -> None:
    outcomes = prove(
        """
        class Logs(nn.HybridBlock):
            def hybrid_forward(self, F, x, probabilities):
                return F.log(probabilities) * x

        class Rows(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(7, 3)
                self.dense = nn.Dense(4)

            def hybrid_forward(self, F, x, these):
                return self.dense(x), self.embed(these)

        class Many(nn.HybridBlock):
            def hybrid_forward(self, F, xs):
                return F.concat(*[2 * x for x in xs], dim=1)

        class Picks(nn.HybridBlock):
            def hybrid_forward(self, F, x, which):
                return F.pick(x, which)

        class Cell(gluon.rnn.HybridRecurrentCell):
            def __init__(self, hidden):
                super().__init__()
                self.hidden = hidden
                self.dense = nn.Dense(hidden)

            def state_info(self, batch_size=0):
                return [{"shape": (batch_size, self.hidden)}, {"shape": (batch_size, self.hidden)}]

            def hybrid_forward(self, F, inputs, states):
                out = F.tanh(self.dense(inputs) + states[0])
                return out, [out, states[1] * out]
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Rows"].setup == "() on x (N, 6), these (N, L) of whole numbers below 7"
    assert outcomes["Many"].setup == "() on xs [(N, 4), (N, 4)]"
    assert outcomes["Picks"].setup == "() on x (N, L), which (N,) of whole numbers below 3"
    assert outcomes["Cell"].setup == "(hidden=4) on inputs (N, 6), states [(N, 4), (N, 4)]"


def test_errors_say_what_size_was_wanted(prove: Prove) -> None:
    outcome = prove(
        """
        class Bottleneck(nn.HybridBlock):
            def __init__(self, channels):
                super().__init__()
                self.narrow = nn.Conv2D(channels, 1)
                self.wide = nn.Conv2D(channels * 4, 1)

            def hybrid_forward(self, F, x):
                return x + self.wide(F.relu(self.narrow(x)))
        """
    )["Bottleneck"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.setup == "(channels=4) on x (N, 16, H, W)"


@pytest.mark.parametrize(
    "sentence",
    [
        "MXNetError: operands could not be broadcast together with shapes [2,3,8,10] [2,16,8,10]",
        "MXNetError: Error in operator broadcast_add: rhs: sizes 3 and 16 do not broadcast",
        "MXNetError: weight: expected shape (4, 16, 3, 3), got (4, 3, 3, 3)",
    ],
)
def test_repairs(sentence: str) -> None:
    inputs: dict[str, Spec] = {"x": TensorSpec(("N", 3, "H", "W")), "y": TensorSpec(("N", 5))}
    wanted: dict[str, Spec] = {**inputs, "x": TensorSpec(("N", 16, "H", "W"))}
    assert wanted in list(repair_by_error(inputs, {"N": 2, "H": 8, "W": 10}, Failure(sentence, None)))


def test_nothing_is_repaired_without_a_hint() -> None:
    failure = Failure("TypeError: 'int' object is not callable", None)
    assert list(repair_by_error({"x": TensorSpec(("N", 3))}, {"N": 2}, failure)) == []


class _Array:
    def __init__(self, *shape: int, values: str = "normal") -> None:
        import numpy as np

        self.shape = shape
        rng = np.random.RandomState(0)
        raw = rng.randint(0, 4, shape) if values == "whole" else rng.normal(size=shape)
        self.raw = raw.astype("float32")

    def asnumpy(self) -> object:
        return self.raw


def test_what_varies_between_two_calls_gets_a_name() -> None:
    sizes = ({"N": 2, "H": 8}, {"N": 3, "H": 12})
    found = seen_inputs(sizes, (_Array(2, 5, 2), [_Array(2, 7)], None), (_Array(3, 5, 3), [_Array(3, 11)], None))
    assert found is not None
    assert [str(spec) for spec in found.inputs[:1]] == ["(N, 5, H)"]
    assert [str(spec) for spec in found.inputs[1]] == ["(N, W)"]  # type: ignore[union-attr]
    assert str(found.inputs[2]) == "None"
    assert found.rounds == [{"N": 2, "H": 2, "W": 7}, {"N": 3, "H": 3, "W": 11}]


def test_whole_numbers_stay_whole() -> None:
    found = seen_inputs(({"N": 2}, {"N": 3}), (_Array(2, 9, values="whole"),), (_Array(3, 9, values="whole"),))
    assert found is not None
    assert str(found.inputs[0]) == "(N, 9) of whole numbers below 4"


def test_what_cannot_be_made_anew_is_no_sighting() -> None:
    assert seen_inputs(({"N": 2}, {"N": 3}), (object(),), (object(),)) is None


def test_arguments_are_what_the_constructor_speaks_of(prove: Prove) -> None:
    outcomes = prove(
        """
        SIZES = {18: [2, 3], 34: [4, 5]}

        def cell(kind, units):
            if kind == "gated":
                return nn.Dense(units, activation="sigmoid")
            raise ValueError(f"no cell {kind}")

        class Net(nn.HybridBlock):
            def __init__(self, depth, kind, filters, table):
                super().__init__()
                self.body = nn.HybridSequential()
                for width, units in filters:
                    self.body.add(nn.Dense(units * width))
                self.cell = cell(kind, units=SIZES[depth][0])
                self.width = table.shape[1]

            def hybrid_forward(self, F, x):
                return self.cell(self.body(x)) * self.width
        """
    )
    assert outcomes["Net"].status is ProofStatus.PROVED, outcomes["Net"].reason
    assert outcomes["Net"].setup == (
        "(depth=18, kind='gated', filters=[(1, 4), (1, 4)], table=nd.ones((4, 8))) on x (N, 6)"
    )


def test_sizes_that_settle_a_parameter_stay(prove: Prove) -> None:
    """Each size would work for a new block; for one that has run only the batch is free."""
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2D(4, 3)
                self.head = nn.Dense(2)

            def hybrid_forward(self, F, x):
                return self.head(self.stem(x))
        """
    )["Net"]
    assert outcome.reason == "compiled = eager"
    assert outcome.gradients
    assert [dict(sizes) for sizes in outcome.rounds] == [{"N": 2, "H": 8, "W": 10}, {"N": 3, "H": 8, "W": 10}]


def test_calls_that_only_infer_shapes_are_not_seen(prove: Prove) -> None:
    outcomes = prove(
        """
        class Cell(nn.HybridBlock):
            def __init__(self, table):
                super().__init__()
                self.scale = table["scale"]
                self.dense = nn.Dense(3)

            def hybrid_forward(self, F, x, y):
                return self.dense(x) * self.scale + y

        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.stem = nn.Dense(3)
                for scale in range(2, 3):
                    self.cell = Cell({"scale": scale})

            def hybrid_forward(self, F, x):
                return self.cell(x, self.stem(x))
        """
    )
    assert outcomes["Cell"].setup == "(table={'scale': 2}) on x (N, 4), y (N, 3)"
    assert outcomes["Cell"].status is ProofStatus.PROVED


def test_dictionaries_are_made_of_the_keys_that_they_are_asked_for_where_nobody_calls(prove: Prove) -> None:
    outcomes = prove(
        """
        class Tower(nn.HybridBlock):
            def __init__(self, config):
                super().__init__()
                self.embed = nn.Embedding(config["size"], config["dim"])

            def hybrid_forward(self, F, ids):
                return self.embed(ids)

        class Pair(nn.HybridBlock):
            def __init__(self, user):
                super().__init__()
                self.tower = Tower(user)

            def hybrid_forward(self, F, ids):
                return self.tower(ids)
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Pair"].setup == "(user={'size': 4, 'dim': 4}) on ids (N, T) of whole numbers below 4"


def test_masks_and_states_have_the_shapes_that_they_have_beside_sequences(prove: Prove) -> None:
    outcomes = prove(
        """
        class Attention(nn.HybridBlock):
            def __init__(self, units):
                super().__init__()
                self.proj = nn.Dense(units, flatten=False)

            def hybrid_forward(self, F, query, key, mask):
                scores = F.batch_dot(self.proj(query), self.proj(key), transpose_b=True)
                return F.broadcast_add(scores, mask.expand_dims(axis=1))

        class Encoder(nn.HybridBlock):
            def __init__(self, vocab, hidden):
                super().__init__()
                self.embed = nn.Embedding(vocab, hidden)
                self.lstm = gluon.rnn.LSTM(hidden, layout="NTC")

            def hybrid_forward(self, F, inputs, h, c):
                out, states = self.lstm(self.embed(inputs), [h, c])
                return out, states[0], states[1]
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Attention"].setup == (
        "(units=4) on query (N, T, 6), key (N, T, 6), mask (N, T) of whole numbers below 2"
    )
    assert outcomes["Encoder"].setup == (
        "(vocab=4, hidden=4) on inputs (N, T) of whole numbers below 4, h (1, N, 4), c (1, N, 4)"
    )


def test_a_larger_block_that_leaves_sizes_of_parameters_unknown_ends_nothing(prove: Prove) -> None:
    outcomes = prove(
        """
        class Cell(nn.HybridBlock):
            def __init__(self, units, size=0):
                super().__init__()
                self.weight = self.params.get("weight", shape=(units, size), allow_deferred_init=True)

            def hybrid_forward(self, F, x, weight):
                return F.FullyConnected(x, weight, no_bias=True, num_hidden="four")

        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.cell = Cell(units=4, size=None)

            def hybrid_forward(self, F, x):
                return self.cell(x)

        def net():
            return Net()
        """
    )
    assert outcomes["Cell"].status is ProofStatus.NOT_RUN
    assert "running it failed" not in outcomes["Cell"].reason


def test_inputs_behind_a_named_one_that_are_gone_through(prove: Prove) -> None:
    outcomes = prove("""
    class Sorted(nn.HybridBlock):
        def hybrid_forward(self, F, indices, *args):
            return [F.take(arg, indices) for arg in args]

    class Ignoring(nn.HybridBlock):
        def hybrid_forward(self, F, x, *args):
            return F.relu(x)
    """)
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "Sorted": ProofStatus.PROVED,
        "Ignoring": ProofStatus.PROVED,
    }
    assert "input 1" in str(outcomes["Sorted"].setup)
    assert "input" not in str(outcomes["Ignoring"].setup)


def test_a_number_of_inputs_that_is_0_until_it_is_said(prove: Prove) -> None:
    outcomes = prove("""
    class Fusion(nn.HybridBlock):
        def __init__(self, num_inputs=0, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=(num_inputs,), init="ones")

        def hybrid_forward(self, F, x, weight):
            return F.broadcast_mul(x, weight)
    """)
    assert (outcomes["Fusion"].status, outcomes["Fusion"].setup) == (ProofStatus.PROVED, "(num_inputs=4) on x (N, 4)")


FAILING = """
class Shuffle(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        n, c, h, w = x.size()
        return x.reshape((n, c, w, h))

class Net(nn.HybridBlock):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2D(channels, 3)
        self.shuffle = Shuffle()

    def hybrid_forward(self, F, x):
        return self.shuffle(self.conv(x))

class Loss(gluon.loss.Loss):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def hybrid_forward(self, F, x, y):
        return F.relu(x - y + self.margin)

class Custom(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.Custom(x, op_type="NobodyRegistered")
"""


def test_what_fails_whatever_it_is_given_is_told_with_the_line_that_fails(prove: Prove) -> None:
    outcomes = prove(FAILING)
    assert {outcome.status for outcome in outcomes.values()} == {ProofStatus.NOT_RUN}
    lines = {name: outcome.failed_row for name, outcome in outcomes.items()}
    first = lines["Shuffle"]
    assert first is not None
    assert lines == {"Shuffle": first, "Net": first, "Loss": first + 14, "Custom": first + 22}
    assert "'int' object is not callable" in outcomes["Net"].reason, "it got further than where images are missing"
    assert outcomes["Net"].add == "Correct that line: it fails whatever the inputs are."
    assert outcomes["Loss"].add == "Correct that line: it fails whatever the arguments are."
    assert outcomes["Custom"].add == "Correct that line: it fails whatever the inputs are."


def test_inputs_are_those_of_a_forward_that_calls_the_hybrid_one(prove: Prove) -> None:
    outcomes = prove("""
    class Output(nn.HybridBlock):
        def forward(self, data, chosen):
            return super().forward(data + chosen)

        def hybrid_forward(self, F, data):
            return F.relu(data)

    class Around(Output):
        def hybrid_forward(self, F, data):
            return F.relu(data)

        def forward(self, data, chosen):
            if chosen is None:
                return super().forward(data, data)
            return data * 2
    """)
    assert outcomes["Output"].setup == "() on data (N, L), chosen (N, L)"
    assert (outcomes["Output"].status, outcomes["Around"].status) == (ProofStatus.PROVED, ProofStatus.NOT_RUN)
    assert outcomes["Around"].reason == "its own `forward` computes without the part that hybridize() compiles"


def test_lengths_of_sequences_are_what_operators_take_as_such(prove: Prove) -> None:
    outcomes = prove("""
    class Masked(nn.HybridBlock):
        def hybrid_forward(self, F, x, steps):
            return F.SequenceMask(F.swapaxes(x, 0, 1), sequence_length=steps, use_sequence_length=True)
    """)
    assert outcomes["Masked"].status is ProofStatus.PROVED
    assert "steps (N,) of whole numbers below 4" in str(outcomes["Masked"].setup)


def test_lists_are_what_their_names_say(prove: Prove) -> None:
    outcomes = prove("""
    class Stages(nn.HybridBlock):
        def __init__(self, channels_list=None, strides_list=None, lags=None):
            super().__init__()
            assert len(set(lags)) == len(lags), "no duplicated lags"
            self.stages = nn.HybridSequential()
            for channels, strides in zip(channels_list, strides_list):
                self.stages.add(nn.Conv2D(channels, 3, strides, padding=1))

        def hybrid_forward(self, F, x):
            return self.stages(x)
    """)
    assert outcomes["Stages"].status is ProofStatus.PROVED
    assert outcomes["Stages"].setup == ("(lags=[1, 2, 4], channels_list=[4, 8], strides_list=[1, 1]) on x (N, 3, H, W)")


def test_names_that_mxnet_lacks_too(prove: Prove) -> None:
    outcomes = prove("""
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.relu(x) * nd.shape(x)[0]

    class Nothing(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            self.result = F.relu(x)
    """)
    assert "MXNet 1.9.1 does not have it either" in outcomes["Net"].reason
    assert outcomes["Net"].add == "Correct the name in that line."
    assert outcomes["Nothing"].add == "Return an array from `hybrid_forward`."


ASKING = """
class Part(nn.HybridBlock):
    def __init__(self, table):
        super().__init__()
        self.layer = nn.Dense(table.pop()["w"])

    def hybrid_forward(self, F, x, scale=None, lengths=None):
        if scale is None and lengths is None:
            raise ValueError("give scale or lengths")
        return F.broadcast_mul(self.layer(x), scale)

class Net(nn.HybridBlock):
    def __init__(self, parts):
        super().__init__()
        self.part = Part(parts)

    def hybrid_forward(self, F, x, y):
        return self.part(x, y)

def build_net(name, width):
    kinds = {"small": [{"w": 4}], "large": [{"w": 8}]}
    return Net(kinds[name])
"""


def test_functions_that_need_arguments_and_inputs_that_the_code_asks_for(prove: Prove) -> None:
    outcomes = prove(ASKING)
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "Part": ProofStatus.PROVED,
        "Net": ProofStatus.PROVED,
    }
    assert outcomes["Part"].setup == "(table=[{'w': 4}]) on x (N, 4), scale (N, 4)"


def test_a_dictionary_cannot_be_returned_by_a_compiled_block(prove: Prove) -> None:
    outcomes = prove("""
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return {"a": F.relu(x)}
    """)
    assert outcomes["Net"].status is ProofStatus.REFUTED
    assert "must be (nested) list of Symbol or NDArray" in outcomes["Net"].reason


def test_labels_of_pixels_and_states_of_what_begins_with_some(prove: Prove) -> None:
    outcomes = prove("""
    class Pixels(gluon.loss.Loss):
        def __init__(self):
            super().__init__(None, 0)

        def hybrid_forward(self, F, pred, label):
            return -F.pick(F.log_softmax(pred, axis=1), label, axis=1).mean(axis=(1, 2))

    class Model(nn.HybridBlock):
        def __init__(self, encoder):
            super().__init__()
            self.encoder = encoder

        def hybrid_forward(self, F, x):
            return self.encoder(x, self.encoder.begin_state(2, func=F.zeros))[0]
    """)
    assert outcomes["Pixels"].status is ProofStatus.PROVED
    assert outcomes["Pixels"].setup == "() on pred (N, L, H, W), label (N, H, W) of whole numbers below 3"
    assert "encoder=gluon.rnn." in str(outcomes["Model"].setup)


BATCHED = """
from mxnet.gluon import HybridBlock, nn


class Latent(HybridBlock):
    def __init__(self, units=3, batch_size=4, **kwargs):
        super().__init__(**kwargs)
        self.noise_shape = (batch_size, units)
        self.dense = nn.Dense(units)

    def hybrid_forward(self, F, x):
        return self.dense(x) + F.random.normal(shape=self.noise_shape)


class Recurrent(HybridBlock):
    def __init__(self, units=3, rows=6, **kwargs):
        super().__init__(**kwargs)
        self.state_shape = (rows, units)
        self.update = nn.Dense(units)

    def hybrid_forward(self, F, x):
        return F.tanh(self.update(F.concat(x, F.zeros(self.state_shape), dim=1)))
"""


def test_a_batch_of_the_size_that_a_block_is_made_for(prove: Prove) -> None:
    outcomes = prove(BATCHED)
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Latent": (ProofStatus.PROVED, ("batches of 4",)),
        "Recurrent": (ProofStatus.PROVED, ("batches of 6",)),
    }
