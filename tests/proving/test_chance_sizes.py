"""Inputs are those that the eager run takes: what fails on all usual inputs is not proved on unusual ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.search.chance_sizes import flatters, unlike, without_ones
from hybridlint.proving.child.search.input_choice import FoundInputs, InputChoice
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, show

Prove = Callable[..., dict[str, ProofOutcome]]


def _inputs(*shapes: tuple[int | str, ...]) -> dict[str, Spec]:
    return {f"x{k}": TensorSpec(shape) for k, shape in enumerate(shapes)}


def _shown(inputs: dict[str, Spec]) -> list[str]:
    return [show(spec) for spec in inputs.values()]


# -- what flatters


@pytest.mark.parametrize(
    ("shapes", "flattering"),
    [
        ([("N", 4)], False),
        ([("N", 3, "H", "W")], False),
        ([("N", 4, 1, 1)], True),
        ([("N", 4), ("N", 1)], True),
        ([(16, 32)], True),
        ([("N",)], True),
        ([("N",), ("N", 4)], False),
        ([], False),
    ],
)
def test_sizes_of_one_and_arrays_without_a_batch_flatter(shapes: list[tuple[int | str, ...]], flattering: bool) -> None:
    assert flatters(_inputs(*shapes)) is flattering


def test_other_sizes_in_the_place_of_one() -> None:
    found = [_shown(inputs) for inputs in without_ones(_inputs(("N", 4, 1), (1, 5)))]
    assert found == [["(N, 4, 6)", "(N, 5)"], ["(N, 4, 6)", "(1, 5)"], ["(N, 4, 1)", "(N, 5)"]]
    assert [_shown(inputs) for inputs in without_ones(_inputs(("N", 4), ("N", 1)))] == [["(N, 4)", "(N, 4)"]]
    assert not list(without_ones(_inputs(("N", 4))))


def test_sizes_are_unlike_those_of_parameters_and_sides_unlike_each_other() -> None:
    assert [_shown(inputs) for inputs in unlike(_inputs(("N", 4), ("N", 4)), {4})] == [["(N, 6)", "(N, 6)"]]
    assert [_shown(inputs) for inputs in unlike(_inputs(("N", 3, 16, 16)), {16})] == [["(N, 3, 16, 24)"]]
    assert not list(unlike(_inputs(("N", 4), ("N", "T", 4)), {5}))


# -- what is meant


def _choice(refused: set[str], natural: dict[str, Spec]) -> InputChoice:
    return InputChoice(
        refusal=lambda found: Failure("MXNetError: shapes", None) if str(_shown(found.inputs)) in refused else None,
        taken=lambda arguments, inputs: FoundInputs(arguments, inputs, [0], 0.0),
        natural=lambda _found: natural,
        sizes=lambda _inputs: {"N": 2, "T": 5},
        first=lambda _arguments: None,
    )


def _found(*shapes: tuple[int | str, ...]) -> FoundInputs:
    return FoundInputs(ConstructorArguments([], {}), _inputs(*shapes), [0], 0.0)


def test_the_first_inputs_are_meant_unless_their_shapes_are_refused() -> None:
    first, other = _found(("N", 4), ("N", 4)), _found(("N", 4), ("N", 1))
    assert _choice(set(), other.inputs).chosen(first, iter([other])) is first
    assert _choice({str(_shown(first.inputs))}, other.inputs).chosen(first, iter([])).inputs == other.inputs


def test_other_inputs_never_have_fewer_axes_or_sizes_of_one() -> None:
    first, flat, single = _found(("N", "T", 4)), _found(("N", 4)), _found(("N", "T", 1))
    refused = {"['(N, T, 4)']", "['(N, 20, 4)']", "['(N, 40, 4)']", "['(N, 20, 16)']", "['(N, 40, 32)']"}
    assert _choice(refused, first.inputs).chosen(first, iter([flat, single])) is first
    larger = _found(("N", "T", 7))
    meant = _choice(refused, first.inputs).chosen(first, iter([flat, larger]))
    assert meant.inputs == larger.inputs
    assert meant.only == ("such inputs: it takes x0 (N, T, 4) eagerly only",)


def test_a_list_is_a_restriction_where_an_array_runs_too() -> None:
    (name,) = _inputs(("N", 4))
    one = _inputs(("N", 4))[name]
    listed = FoundInputs(ConstructorArguments([], {}), {name: [one, one]}, [0], 0.0)
    assert _choice(set(), {}).chosen(listed, iter([])).only == (
        f"lists: an array in place of `{name}` runs eagerly too",
    )
    refused = _choice(set(), {})._replace(taken=lambda arguments, inputs: None)
    assert refused.chosen(listed, iter([])) is listed


# -- whole blocks

GATES = """
class Gate(nn.HybridBlock):
    def __init__(self, channels, reduction=4):
        super().__init__()
        self.pool = nn.GlobalAvgPool2D()
        self.fc = nn.HybridSequential()
        self.fc.add(nn.Conv2D(channels // reduction, 1), nn.Conv2D(channels, 1, activation="sigmoid"))

    def hybrid_forward(self, F, x):
        return {gate}

class Normed(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return {normed}

class Spatial(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(1, 7, padding=3)

    def hybrid_forward(self, F, x):
        attention = self.conv(F.concat(F.mean(x, axis=1, keepdims=True), F.max(x, axis=1, keepdims=True), dim=1))
        return {spatial}

class Positions(nn.HybridBlock):
    def __init__(self, length=16, units=32):
        super().__init__()
        self.pos = self.params.get("pos", shape=(length, units))

    def hybrid_forward(self, F, x, pos):
        return {positions}

class Masked(nn.HybridBlock):
    def __init__(self, units=32):
        super().__init__()
        self.query = nn.Dense(units, flatten=False)
        self.key = nn.Dense(units, flatten=False)

    def hybrid_forward(self, F, x, mask):
        scores = F.batch_dot(self.query(x), self.key(x), transpose_b=True)
        return F.softmax({masked})
"""


def test_what_fails_on_all_usual_inputs_is_refuted(prove: Prove) -> None:
    outcomes = prove(
        GATES.format(
            gate="x * self.fc(self.pool(x))",
            normed="x / x.norm(axis=1, keepdims=True)",
            spatial="x * F.sigmoid(attention)",
            positions="x + pos",
            masked="scores + mask.expand_dims(1) * 2",
        )
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.REFUTED)
    assert outcomes["Gate"].setup == "(channels=4) on x (N, 4, H, W)"
    assert outcomes["Positions"].setup == "() on x (N, 16, 32)"


def test_what_broadcasts_is_proved_without_reserve(prove: Prove) -> None:
    outcomes = prove(
        GATES.format(
            gate="F.broadcast_mul(x, self.fc(self.pool(x)))",
            normed="F.broadcast_div(x, F.norm(x, axis=1, keepdims=True))",
            spatial="F.broadcast_mul(x, F.sigmoid(attention))",
            positions="F.broadcast_add(x, pos)",
            masked="F.broadcast_add(scores, mask.expand_dims(1) * 2)",
        )
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert {name: outcome.only for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ())


def test_a_proof_says_what_it_rests_on(prove: Prove) -> None:
    outcomes = prove(
        """
        class Sum(nn.HybridBlock):
            def hybrid_forward(self, F, x, y):
                return x + y

        class Single(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return 2 * F.squeeze(x, axis=1)

        class OneBatch(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.concat(x, F.ones((2, 5)), dim=1)

        class InPlace(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if not hasattr(x, "list_arguments"):
                    y = 2 * x
                    y += 1
                    return y
                return 2 * x + 1
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Sum"].only == ("inputs whose sizes are equal, which eagerly `x` need not have",)
    assert outcomes["Single"].only == ("sizes of 1 in x (N, 1, 28, 42)",)
    assert outcomes["OneBatch"].only == ("batches of 2",)
    assert outcomes["InPlace"].only == ("predict mode without gradients",)
    assert outcomes["OneBatch"].reason.startswith("only for batches of 2: compiled = eager")


def test_inputs_must_run_in_train_mode_too(prove: Prove) -> None:
    outcome = prove(
        """
        class Deep(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.body = nn.Conv2D(4, 3, padding=1)

            def hybrid_forward(self, F, x):
                noisy = autograd.is_training() and F is mx.nd and self.body(x) is None
                return F.Dropout(x, 0.5) if noisy else 2 * x
        """
    )["Deep"]
    assert outcome.setup == "() on x (N, 3, H, W)"


def test_what_a_list_leaves_out_is_given_where_the_compiled_run_cannot_do_without(prove: Prove) -> None:
    outcome = prove(
        """
        class Decoder(nn.HybridBlock):
            def hybrid_forward(self, F, inputs, states):
                memory, mask = states
                if mask is not None:
                    memory = F.broadcast_mul(memory, F.expand_dims(mask, axis=-1))
                return inputs + memory, states
        """
    )["Decoder"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.setup is not None
    assert "None" not in outcome.setup
    assert outcome.reason.startswith("only for such inputs: it takes ")
    assert "None] eagerly only" in outcome.reason


def test_a_list_that_fails_compiled_whole_too_is_refuted(prove: Prove) -> None:
    outcome = prove(
        """
        class Decoder(nn.HybridBlock):
            def hybrid_forward(self, F, inputs, states):
                memory, mask = states
                if mask is not None:
                    memory = memory * float(mask.sum().asscalar())
                return inputs + memory, states
        """
    )["Decoder"]
    assert outcome.status is ProofStatus.REFUTED


TAKEN_APART = """
from mxnet.gluon import nn, rnn

class Steps(nn.HybridBlock):
    def __init__(self, cell, **kwargs):
        super().__init__(**kwargs)
        self.cell = cell

    def hybrid_forward(self, F, x, states):
        return self.cell(x, states)

def steps():
    return Steps(rnn.LSTMCell(4, input_size=3))
"""


def test_an_array_that_is_taken_apart_along_a_batch_of_two_refutes_nothing(prove: Prove) -> None:
    assert prove(TAKEN_APART)["Steps"].status is not ProofStatus.REFUTED


def test_inputs_of_one_batch_only_refute_nothing(prove: Prove) -> None:
    outcome = prove(
        """
        class Quantiles(nn.HybridBlock):
            def hybrid_forward(self, F, y_true, y_pred):
                a, b, c = F.split(y_pred, axis=-1, num_outputs=3, squeeze_axis=True)
                return y_true - a, y_true - b, y_true - c
        """
    )["Quantiles"]
    assert outcome.status is not ProofStatus.REFUTED, outcome.reason


# -- channels that the code leaves open


_RESIDUAL = """
    class Residual(nn.HybridBlock):
        def __init__(self, base=4):
            super().__init__()
            self.body, self.out = nn.Conv2D(base, 3, padding=1), nn.Conv2D({out}, 1)

        def hybrid_forward(self, F, x):
            return self.out(F.relu(self.body(x) + x))
"""


def test_a_network_whose_image_may_have_one_channel_or_several_is_left_open(prove: Prove) -> None:
    found = prove(_RESIDUAL.format(out="2"))["Residual"]
    assert found.status is ProofStatus.NOT_RUN
    assert found.reason.startswith("the code leaves open how many channels an image has")


def test_a_part_that_keeps_the_channels_takes_features(prove: Prove) -> None:
    found = prove(_RESIDUAL.format(out="base"))["Residual"]
    assert found.status is ProofStatus.PROVED, found.reason


def test_data_that_a_layer_of_one_channel_is_added_to_is_left_open(prove: Prove) -> None:
    outcomes = prove(
        """
        class Step(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.body = nn.Conv1D(1, 3, padding=1)

            def hybrid_forward(self, F, u):
                return u + 0.1 * self.body(u)

        class Wide(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.first, self.body = nn.Conv1D(4, 3, padding=1), nn.Conv1D(1, 3, padding=1)

            def hybrid_forward(self, F, u):
                u = self.first(u)
                return u + self.body(u)

        class Gate(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.body = nn.Conv1D(1, 3, padding=1)

            def hybrid_forward(self, F, u):
                return u * self.body(u)
        """
    )
    assert outcomes["Step"].status is ProofStatus.NOT_RUN, outcomes["Step"].reason
    assert outcomes["Wide"].status is ProofStatus.REFUTED, outcomes["Wide"].reason
    assert outcomes["Gate"].status is ProofStatus.REFUTED, outcomes["Gate"].reason


def test_a_default_of_one_that_an_image_of_several_channels_contradicts_is_for_images_of_one(prove: Prove) -> None:
    outcomes = prove(
        """
        class Enhance(nn.HybridBlock):
            def __init__(self, colors=1):
                super().__init__()
                self.body = nn.Conv2D(colors, 3, padding=1)

            def hybrid_forward(self, F, x):
                return F.relu(self.body(x)) + x

        class Gate(nn.HybridBlock):
            def __init__(self, groups=1):
                super().__init__()
                self.body = nn.Conv2D(1, 3, padding=1, groups=groups)

            def hybrid_forward(self, F, x):
                return F.sigmoid(self.body(x)) * x
        """
    )
    assert outcomes["Enhance"].status is ProofStatus.PROVED, outcomes["Enhance"].reason
    assert ONE_CHANNEL in outcomes["Enhance"].only
    assert outcomes["Gate"].status is ProofStatus.REFUTED, outcomes["Gate"].reason


# -- kinds that the code leaves open

PAIRS = """
    class Unpacked(nn.HybridBlock):
        def hybrid_forward(self, F, pair):
            left, right = pair
            return left - right

    class Counted(nn.HybridBlock):
        def hybrid_forward(self, F, x, scale):
            return x[0] * scale + x[1]

    class Several(nn.HybridBlock):
        def hybrid_forward(self, F, features):
            first, second = features
            return first - second

    class Documented(nn.HybridBlock):
        \"\"\"Takes two arrays.

        Parameters
        ----------
        pair : list of NDArray
            Both sides.
        \"\"\"

        def hybrid_forward(self, F, pair):
            left, right = pair
            return left - right
"""


def test_an_input_that_may_be_a_list_or_an_array_is_left_open(prove: Prove) -> None:
    outcomes = prove(PAIRS)
    assert [outcomes[name].status for name in ("Unpacked", "Counted")] == [ProofStatus.NOT_RUN, ProofStatus.NOT_RUN]
    assert "whether `pair` is a list or an array" in outcomes["Unpacked"].reason
    assert "whether `x` is a list or an array" in outcomes["Counted"].reason


def test_a_plural_and_a_docstring_tell_of_lists(prove: Prove) -> None:
    outcomes = prove(PAIRS)
    assert [outcomes[name].status for name in ("Several", "Documented")] == [ProofStatus.PROVED, ProofStatus.PROVED]


def test_the_first_of_several_and_a_row_are_told_apart(prove: Prove) -> None:
    outcomes = prove(
        """
        class Several(nn.HybridBlock):
            def hybrid_forward(self, F, xs):
                return F.relu(xs[0])

        class One(nn.HybridBlock):
            def hybrid_forward(self, F, data):
                return F.relu(data[0])
        """
    )
    assert outcomes["Several"].only == ("lists: an array in place of `xs` runs eagerly too",)
    assert outcomes["One"].status is ProofStatus.REFUTED
    assert outcomes["One"].reason.endswith("; with a list as `data` the runs agree")


def test_shapes_that_are_guesses_settle_nothing(prove: Prove) -> None:
    text = """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, adj, x):
                return F.dot(adj, x) * (1 if F is nd else F.ones((1, 1, 1)))
        """
    guessed = prove(text)["Net"]
    assert (guessed.status, guessed.guessed) == (ProofStatus.REFUTED, True), guessed.reason
    assert "its inputs are a guess" in guessed.reason
    called = prove(f"{text}\n        Net()(nd.ones((3, 3)), nd.ones((3, 2)))\n")["Net"]
    assert (called.status, called.guessed) == (ProofStatus.REFUTED, False)


def test_a_larger_block_tells_which_it_passes(prove: Prove) -> None:
    outcome = prove(
        """
        class Difference(nn.HybridBlock):
            def hybrid_forward(self, F, pair):
                left, right = pair
                return left - right

        class Twins(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.body, self.difference = nn.Dense(4), Difference()

            def hybrid_forward(self, F, x, y):
                return self.difference([self.body(x), self.body(y)])
        """
    )["Difference"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason


def test_what_an_array_is_taken_for_by_its_row_refutes_nothing_if_a_list_may_be_meant(prove: Prove) -> None:
    outcome = prove(
        """
        class Tasks(nn.HybridBlock):
            KINDS = (gluon.loss.L2Loss, gluon.loss.L1Loss)

            def __init__(self):
                super().__init__()
                for k, kind in enumerate(self.KINDS):
                    setattr(self, f"loss{k}", kind())

            def hybrid_forward(self, F, preds, labels):
                return sum(getattr(self, f"loss{k}")(preds[k], labels[k]) for k, _ in enumerate(self.KINDS))
        """
    )["Tasks"]
    assert outcome.status is not ProofStatus.REFUTED, outcome.reason


ONE_CHANNEL = "images of one channel, as one is made of them: eagerly others broadcast with it"
RECONSTRUCTION = """
        class Likelihood(nn.HybridBlock):
            def __init__(self, width=6):
                super().__init__()
                self.width = width
                self.code = nn.Dense(5)
                self.grow = nn.Dense(width * 16)
                self.paint = nn.Conv2DTranspose(PAINTED, 4, 2, 1)

            def hybrid_forward(self, F, x):
                seed = F.reshape(self.grow(self.code(x)), shape=(-1, self.width, 4, 4))
                drawn = self.paint(seed)
                return (F.relu(drawn) - drawn * x).sum(axis=0, exclude=True)
        """


def test_an_image_that_a_decoder_draws_in_one_channel_has_one(prove: Prove) -> None:
    outcome = prove(RECONSTRUCTION.replace("PAINTED", "1"))["Likelihood"]
    assert outcome.status is ProofStatus.PROVED
    assert ONE_CHANNEL in outcome.only
    assert "x (N, 1, " in str(outcome.setup)


def test_a_gate_of_one_channel_that_scales_images_of_any_size_is_refuted(prove: Prove) -> None:
    outcome = prove(
        """
        class Gated(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.gate = nn.Conv2D(1, 3, padding=1)

            def hybrid_forward(self, F, x):
                return x * F.sigmoid(self.gate(x))
        """
    )["Gated"]
    assert outcome.status is ProofStatus.REFUTED
