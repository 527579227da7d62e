"""Arguments and inputs that nobody gave: what names, annotations, docstrings, calls and errors say of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.loading import Variants
from hybridlint.proving.child.build.values import documented, guesses
from hybridlint.proving.child.build.values.callsites import ConstructorCalls
from hybridlint.proving.child.build.values.requested_arguments import requested_values
from hybridlint.proving.child.errors import Failure, failure, lack_reason
from hybridlint.proving.child.failure_site import FailureSite, blame
from hybridlint.proving.child.inputs.repairs.error_repairs import repair_by_error
from hybridlint.proving.child.runs.runs import PlannedCall
from hybridlint.proving.child.runs.schedule import affordable
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, show
from tests.proving.conftest import construction_of

Prove = Callable[..., dict[str, ProofOutcome]]

# -- docstrings

NUMPY = """
Computes.

Parameters
----------
x : NDArray, shape (batch_size, length, C_in)
    The data.
mask, other : list of NDArray or None
    Shape (batch_size, 1)
plain
    Shape of it is (N, 4).

Returns
-------
y : NDArray, shape (batch_size,)
"""
GLUON = """
Inputs:
    - **data**: input tensor with shape `(batch_size, in_units)`.
    - **label**: (B, 3)

Outputs:
    - **loss**: (B,)
"""
GOOGLE = """
Args:
    x (NDArray): with layout TNC.
    units: a number
        of units.
"""
SPHINX = """
:param x: Input. Shape: (batch, 2 * hidden).
:type units: int
:returns: nothing
"""


@pytest.mark.parametrize(
    ("doc", "shapes"),
    [
        (NUMPY, {"x": ("N", "length", "c_in"), "mask": ("N", 1), "other": ("N", 1), "plain": ("N", 4)}),
        (GLUON, {"data": ("N", "in_units"), "label": ("N", 3)}),
        (GOOGLE, {"x": ("T", "N", "C"), "units": None}),
        (SPHINX, {"x": ("N", "2*hidden"), "units": None}),
        (SPHINX.replace(":param", "@param").replace(":type", "@type"), {"x": ("N", "2*hidden"), "units": None}),
        ("@param x: tensor (N, 3)", {"x": ("N", 3)}),
        (None, {}),
    ],
)
def test_shapes_in_docstrings(doc: str | None, shapes: dict[str, tuple[int | str, ...] | None]) -> None:
    said = documented.texts(doc)
    assert {name: documented.shape(text) for name, text in said.items()} == shapes


def test_kinds_stand_in_the_first_line() -> None:
    assert documented.texts(NUMPY)["mask"].split("\n")[0] == "list of NDArray or None"
    assert documented.texts(NUMPY)["plain"].split("\n")[0] == ""
    assert documented.texts("A loss.\n\n  - **scales**: vector of weights")["scales"] == "vector of weights"
    assert list(guesses.by_kind("vector of weights", "scales")) == ["nd.ones((4,))"]
    assert documented.texts(GOOGLE)["x"].split("\n")[0] == "NDArray, with layout TNC."


# -- values


@pytest.mark.parametrize(
    ("kind", "name", "first"),
    [
        ("int", "axis", "1"),
        ("int", "kernel_size", "3"),
        ("int, default 3", "whatever", "4"),
        ("Union[int, Tuple[int], List[int]]", "kernel_size", "3"),
        ("Optional[float]", "x", "0.5"),
        ("bool", "x", "False"),
        ("str, {'add', 'concat'}", "x", "'add'"),
        ("list of int", "x", "[4, 4]"),
        ("list of lists of int", "x", "[(1, 4), (1, 4)]"),
        ("List[str]", "x", '["a", "b"]'),
        ("tuple of int", "x", "(4, 4)"),
        ("NDArray", "weights", "nd.ones((4, 4))"),
        ("HybridBlock", "x", "nn.Dense(4)"),
    ],
)
def test_values_by_kind(kind: str, name: str, first: str) -> None:
    assert next(guesses.by_kind(kind, name)) == first


def test_arguments_of_bases_come_through_keywords() -> None:
    class Base:
        def __init__(self, units: int, scale: float = 2.0) -> None: ...

    class Heir(Base):
        def __init__(self, name: str, **kwargs: Any) -> None:
            super().__init__(**kwargs)

    found = {p.name: p.default for p in guesses.plain_parameters(Heir)}
    assert found == {"name": inspect.Parameter.empty, "units": None, "scale": 2.0}


# -- errors


def _raised(work: Callable[[], object]) -> Failure:
    try:
        work()
    except Exception as error:
        return failure(error, __file__)
    raise AssertionError


def test_what_a_statement_speaks_of() -> None:
    def check(kind: str, _size: int) -> None:
        if kind not in ("gru", "lstm"):
            raise ValueError("no such kind")

    found = _raised(lambda: check("rnn", 3))
    assert found.blame.own
    assert found.blame.statement.startswith("if kind not in")
    assert "kind" in found.blame.names
    assert {"'gru'", "'lstm'"} <= set(requested_values(found))


def test_an_error_in_a_library_is_not_the_users_own() -> None:
    import numpy as np

    found = _raised(lambda: np.ones(3).reshape(2, 2))
    assert found.sentence.startswith("ValueError: cannot reshape")
    assert blame(ValueError("raised nowhere")) == FailureSite()


@pytest.mark.parametrize(
    ("sentence", "statement", "value"),
    [
        ("TypeError: 'int' object is not iterable", "for c in channels", "[4, 4]"),
        ("TypeError: 'int' object is not callable", "norm_layer()", "nn.Dense(4)"),
        ("ValueError: not enough values to unpack (expected 3, got 2)", "a, b, c = sizes", "(4, 4, 4)"),
        ("AttributeError: 'int' object has no attribute 'shape'", "weight.shape", "nd.ones((4, 4))"),
        ("AttributeError: 'int' object has no attribute 'items'", "table.items()", '{"a": 4}'),
        ("MXNetError: Reshape: shape: (1,) cannot be reshaped to (3, 1, 1)", "mean.reshape((3, 1, 1))", "[0.5] * 3"),
        ("AssertionError", "isinstance(rate, float)", "0.5"),
        ("ValueError: 'x' is not in list", "at = names.index(name)", "['x', 'a', 'b', 'c']"),
        ("ValueError: list.index(x): x not in list", 'at = names.index("x")', "['x', 'a', 'b', 'c']"),
        ("MXNetError: act_type expect Literal['relu', 'sigmoid']", "F.Activation(x, act_type=kind)", "'relu'"),
    ],
)
def test_what_an_error_asks_for(sentence: str, statement: str, value: str) -> None:
    assert value in list(requested_values(Failure(sentence, None, FailureSite(statement))))


@pytest.mark.parametrize(
    ("sentence", "statement", "inputs"),
    [
        (
            "MXNetError: Error in operator transpose: data: expected 4 dimensions, got 2",
            "F.transpose(x)",
            "(N, T, H, 5)",
        ),
        ("ValueError: not enough values to unpack (expected 3, got 2)", "b, t, c = x.shape", "(N, T, 5)"),
        ("ValueError: not enough values to unpack (expected 2, got 1)", "h, c = x", "[(N, 5), (N, 5)]"),
        ("MXNetError: Error in operator where: rhs: expected dtype int32, got float32", "F.where(x)", "(N, 5) int32"),
        ("ValueError: Cannot reshape array of size 10 into shape (-1, 8)", "x.reshape(-1, 8)", "(N, 8)"),
        ("MXNetError: grid: expected 2 channels, got (2, 5)", "F.GridGenerator(x)", "(N, 2)"),
        ("MXNetError: kernel: the window of 7 exceeds the input of 1 padded by 0", "self.pool(x)", "(N, 3, 224, 56)"),
        ("ValueError: Cannot reshape array of size 10 into shape (0, 0, 4, -1)", "x.reshape(0, 0, 4, -1)", "(N, T, 4)"),
    ],
)
def test_what_an_error_makes_of_inputs(sentence: str, statement: str, inputs: str) -> None:
    given: dict[str, Spec] = {"x": TensorSpec(("N", 3, "H", 8) if "window" in sentence else ("N", 5))}
    found = list(repair_by_error(given, {"N": 2, "H": 32}, Failure(sentence, None, FailureSite(statement, ("x",)))))
    assert inputs in [show(other["x"]) for other in found]


def test_more_axes_and_parts_that_an_error_asks_for() -> None:
    given: dict[str, Spec] = {"x": TensorSpec(("N", 3, "H", "W"))}
    fewer = Failure("MXNetError: Error in operator conv: data: expected 4 dimensions, got 3", None)
    found = [show(other["x"]) for other in repair_by_error(given, {"N": 2, "H": 8, "W": 10}, fewer)]
    assert {"(N, T, 3, H, W)", "(N, 3, 3, H, W)"} <= set(found)
    stacked: dict[str, Spec] = {"x": TensorSpec(("N", "T", 3, "H", "W"))}
    joined = Failure("MXNetError: Error in operator Reshape: shape: 10 elements do not divide into 32", None)
    found = [show(other["x"]) for other in repair_by_error(stacked, {"N": 2, "T": 5, "H": 8, "W": 9}, joined)]
    assert "(N, 32, 3, H, W)" in found


def test_named_sizes_are_mended_together_with_what_they_are_tied_to() -> None:
    given: dict[str, Spec] = {"x": TensorSpec(("N", "len", "c")), "y": TensorSpec(("N", "c"))}
    found = list(
        repair_by_error(given, {"N": 2, "len": 5, "c": 7}, Failure("MXNetError: rhs: sizes 7 and 16 do not", None))
    )
    assert {"x": TensorSpec(("N", "len", 16)), "y": TensorSpec(("N", 16))} in found


@pytest.mark.parametrize(
    ("sentence", "neither"),
    [
        ("AttributeError: module 'mxnet.ndarray.contrib' has no attribute 'Nothing'", True),
        ("AttributeError: module 'mxnet.ndarray' has no attribute 'imdecode'", False),
        ("NotImplementedError: the bundled runtime has no sparse arrays", False),
    ],
)
def test_what_mxnet_lacks_too_is_said(sentence: str, neither: bool) -> None:
    assert lack_reason(sentence).startswith(f"the engine of the proof cannot run this: {sentence}")
    assert lack_reason(sentence).endswith("(MXNet 1.9.1 does not have it either)") is neither


# -- calls


def test_calls_around_a_module(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "zoo.py").write_text(
        dedent(
            """
            from package.net import Net
            WIDE = 64

            def small(units=8, norm=None):
                kind = "relu"
                return Net(units * 2, kind, norm=norm, rest=unknown())

            def large(*sizes):
                return Net(WIDE, activation="tanh")

            def given(**kwargs):
                settings = dict(activation="relu", rest=2)
                settings.update(kwargs)
                return Net(3, **settings)

            def written():
                return Net(4, **{"activation": "relu", "norm": 1, "rest": 3}, **unknown())
            """
        )
    )

    class Net:
        def __init__(self, units: int, activation: str, norm: object = None, rest: object = None) -> None: ...

    known = construction_of(package / "net.py", "class Net:\n    pass\n", "package.net", neighbours=True)
    assert ConstructorCalls(known).of(Net) == [
        {"units": "4", "activation": '"relu"', "norm": "1", "rest": "3"},
        {"units": "8 * 2", "activation": '"relu"', "norm": "None"},
        {"units": "3", "activation": '"relu"', "rest": "2"},
        {"units": "64", "activation": '"tanh"'},
    ]
    assert [each.module for each in known.neighbours] == ["package.zoo"]


# -- whole blocks


def test_a_documented_product_is_a_multiple_of_a_size(prove: Prove) -> None:
    assert documented.shape("shape (batch_size * beam_size, 2*V, a * 3)") == ("N*beam_size", "2*v", "a*3")
    outcome = prove(
        """
        class Beams(nn.HybridBlock):
            def __init__(self, beam_size, **kwargs):
                super().__init__(**kwargs)
                self._beam_size = beam_size

            def hybrid_forward(self, F, outputs, scores):
                \"\"\"Add the scores.

                Parameters
                ----------
                outputs : NDArray or Symbol
                    Shape (batch_size * beam_size, V).
                scores : NDArray or Symbol
                    Shape (batch_size, beam_size).
                \"\"\"
                outputs = outputs.reshape(shape=(-4, -1, self._beam_size, 0))
                return F.broadcast_add(outputs, scores.expand_dims(axis=2))
        """
    )["Beams"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())
    assert "outputs (4N, v), scores (N, 4)" in (outcome.setup or "")


def test_of_two_names_that_may_mean_the_batch_the_first_does() -> None:
    said = ["(B, N, 4) boxes", "(N, 4) anchors", "(B, C, H, W) image"]
    others = documented.besides_batch(said)
    assert others == {"n"}
    assert [documented.shape(text, others) for text in said] == [("N", "n", 4), ("n", 4), ("N", "c", "h", "w")]
    assert documented.besides_batch(["(N, 4)", "(N, N)", "(batch_size, 3)"]) == set()


def test_blocks_of_blocks_inputs_as_documented_and_parts_of_lists(prove: Prove) -> None:
    outcomes = prove(
        '''
        class TextEncoder(nn.HybridBlock):
            """Encodes.

            Parameters
            ----------
            units : int
            """
            def __init__(self, units):
                super().__init__()
                self._units = units
                self.dense = nn.Dense(units, flatten=False)

            def encode(self, x):
                return self.dense(x)

            def hybrid_forward(self, F, x):
                """Encode.

                Parameters
                ----------
                x : Symbol or NDArray
                    Shape (batch_size, length, units)
                """
                return self.dense(x) + x

        class Reader(nn.HybridBlock):
            def __init__(self, encoder, classes=2):
                super().__init__()
                self.encoder = encoder
                self.head = nn.Dense(classes)

            def hybrid_forward(self, F, x):
                return self.head(self.encoder.encode(x))

        class Decoder(nn.HybridBlock):
            def hybrid_forward(self, F, x, states):
                hidden, mask = states
                out = F.broadcast_add(x, hidden)
                return out if mask is None else F.broadcast_mul(out, mask)

        class Losses(gluon.loss.Loss):
            def __init__(self, **kwargs):
                super().__init__(None, 0, **kwargs)

            def hybrid_forward(self, F, *inputs):
                first, second, label = tuple(inputs)
                return F.pick(first, label) + F.pick(second, label)

        class Own(nn.HybridBlock):
            def __call__(self, x, scale=None):
                return super().__call__(x, x if scale is None else scale)

            def hybrid_forward(self, F, x, scale):
                return x * scale
        '''
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["TextEncoder"].setup == "(units=4) on x (N, length, 4)"
    assert outcomes["Reader"].setup == "(encoder=TextEncoder(units=4)) on x (N, T, 6)"
    assert outcomes["Decoder"].setup == "() on x (N, 4), states [(N, 4), (N, 4) of whole numbers below 2]"
    assert outcomes["Losses"].setup == "() on first (N, L), second (N, L), label (N,) of whole numbers below 3"
    assert outcomes["Own"].setup == "() on x (N, L)"
    exported = {ran.name: ran.note for ran in outcomes["Own"].variants}["exported and imported"]
    assert exported is not None
    assert exported.endswith("the graph has other inputs than the block is called with")


def test_states_are_those_that_a_block_begins_with(prove: Prove) -> None:
    outcomes = prove(
        """
        class Cell(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.inner = gluon.rnn.LSTMCell(6, input_size=4)

            def begin_state(self, **kwargs):
                return [self.inner.begin_state(**kwargs)]

            def hybrid_forward(self, F, x, states):
                return self.inner(x, states[0])[0]
        """
    )
    assert outcomes["Cell"].status is ProofStatus.PROVED, outcomes["Cell"].reason
    assert outcomes["Cell"].setup == "() on x (N, 4), states [[(N, 6), (N, 6)]]"


def test_parameters_that_the_forward_pass_never_reaches(prove: Prove) -> None:
    """MXNet infers the shapes of all parameters before it compiles, also of those that nothing uses."""
    outcome = prove(
        """
        class Spare(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.used = nn.Dense(3)
                self.spare = nn.Dense(3)

            def hybrid_forward(self, F, x):
                return self.used(x)
        """
    )["Spare"]
    assert outcome.status is ProofStatus.REFUTED
    assert "Deferred initialization failed because shape cannot be inferred" in outcome.reason


def test_what_an_abstract_class_is_called(prove: Prove) -> None:
    outcomes = prove(
        """
        class Base(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return self.compute(x)

            def compute(self, x):
                raise NotImplementedError

        class Empty(nn.HybridBlock):
            pass

        class Heir(Base):
            def compute(self, x):
                return x * 2
        """
    )
    assert outcomes["Base"].reason == "it is abstract: calling it raises NotImplementedError"
    assert outcomes["Empty"].reason == "it is abstract: neither hybrid_forward nor forward is defined"
    assert outcomes["Heir"].status is ProofStatus.PROVED


def test_classes_that_only_another_module_of_the_package_builds(prove: Prove, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "zoo.py").write_text(
        dedent(
            """
            from mxnet.gluon import nn
            from package.net import Cell

            class Model(nn.HybridBlock):
                def __init__(self):
                    super().__init__()
                    self.stem = nn.Dense(6)
                    for number in range(1, 2):
                        self.cell = Cell({"scale": number})

                def hybrid_forward(self, F, x):
                    return self.cell(self.stem(x))

            def small_model(pretrained=False):
                return Model()
            """
        )
    )
    outcomes = prove(
        """
        class Cell(nn.HybridBlock):
            def __init__(self, table):
                super().__init__()
                self.scale = table["scale"]

            def hybrid_forward(self, F, x):
                return x * self.scale
        """,
        name="package/net.py",
    )
    assert outcomes["Cell"].status is ProofStatus.PROVED, outcomes["Cell"].reason
    assert outcomes["Cell"].setup == "(table={'scale': 1}) on x (N, 6)"


def test_a_slow_block_makes_fewer_calls() -> None:
    modes = ("predict", "predict, recorded", "train")
    calls = [PlannedCall((("N", n),), f, mode) for n in (2, 3) for f in range(2) for mode in modes]
    assert affordable(calls, 0.1, 30.0) == calls
    fewer = affordable(calls, 1.0, 21.0)
    assert [(dict(call.sizes)["N"], call.mode) for call in fewer] == [(2, "predict"), (3, "predict"), (2, "train")]
    assert [call.mode for call in affordable(calls, 3.0, 20.0)] == ["predict", "predict"]
    assert affordable(calls, 60.0, 20.0) == calls[:1]


def test_an_argument_that_is_called_without_inputs_makes_a_layer(prove: Prove) -> None:
    outcome = prove(
        """
        class Siamese(nn.HybridBlock):
            def __init__(self, make_encoder, **kwargs):
                super().__init__(**kwargs)
                with self.name_scope():
                    self.encoder = make_encoder()

            def hybrid_forward(self, F, left, right):
                return self.encoder(left) - self.encoder(right)
        """
    )["Siamese"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert outcome.setup is not None
    assert outcome.setup.startswith("(make_encoder=lambda")


def test_code_is_read_from_the_text_before_the_fix(tmp_path: Path) -> None:
    """Arguments and inputs are those of the old class, whose lines are others in the new text."""
    before = "def layer(mode):\n    return mode == 'wide'\n"
    variants = Variants("versions_of_a_layer", str(tmp_path / "versions_of_a_layer.py"))
    old = variants.load(before)
    new = variants.load(f"import math\n\n\n{before}".replace("wide", "narrow"))
    assert inspect.getsource(old.layer) == before
    assert (old.layer("wide"), new.layer("narrow")) == (True, True)


def test_functions_of_numpy_mode_alone_run_in_numpy_mode(prove: Prove) -> None:
    body = """
    from mxnet import npx

    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return twice(F, x)

    def twice(F, x):
        return npx.relu(x) if F is None else F.npx.relu(F.np.exp(x))
    """
    outcome = prove(body)["Net"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason


def test_shapes_that_a_docstring_states_in_a_sentence(prove: Prove) -> None:
    outcomes = prove(
        '''
        class Rollout(gluon.HybridBlock):
            def hybrid_forward(self, F, state, actions):
                """Cost of a plan; actions: T x N x A."""
                for action in actions:
                    state = state + action.sum(axis=1, keepdims=True)
                return state

        class Chain(gluon.HybridBlock):
            """Scores of chains. emissions (T, N, K), tags (T, N)"""

            def hybrid_forward(self, F, emissions, tags):
                return F.pick(emissions, tags, axis=2).sum(axis=0)
        '''
    )
    assert "actions (t, N, a)" in str(outcomes["Rollout"].setup)
    assert "emissions (t, N, k), tags (t, N)" in str(outcomes["Chain"].setup)


def test_a_constant_that_indices_are_computed_from_has_no_gradient_after_an_import_either(prove: Prove) -> None:
    outcome = prove(
        """
        class Fields(gluon.HybridBlock):
            def __init__(self):
                super().__init__()
                self.offsets = self.params.get_constant("offsets", [[0, 4]])
                self.table = nn.Embedding(8, 4)

            def hybrid_forward(self, F, fields, offsets):
                return self.table(F.broadcast_add(fields, offsets))

        def fields():
            return Fields()
        """
    )["Fields"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason


def test_what_a_list_must_hold_and_how_long_an_axis_must_be(prove: Prove) -> None:
    outcomes = prove(
        '''
        class Speech(gluon.HybridBlock):
            def __init__(self, labels):
                super().__init__()
                self.blank = labels.index("_")
                self.out = nn.Dense(len(labels))

            def hybrid_forward(self, F, x):
                return self.out(x) * (self.blank + 1)

        class Spectral(gluon.HybridBlock):
            """Convolutions along bands, input (N, bands, s, s)"""

            def __init__(self, bands):
                super().__init__()
                self.bands = bands
                self.deep = nn.HybridSequential()
                for _ in range(2):
                    self.deep.add(nn.Conv3D(2, (3, 3, 3), padding=(0, 1, 1)))
                self.flat = nn.Conv2D(3, 3, in_channels=2 * (bands - 4))

            def hybrid_forward(self, F, x):
                return self.flat(self.deep(x.expand_dims(axis=1)).reshape((0, -3, -2)))

        class Regions(gluon.HybridBlock):
            def hybrid_forward(self, F, x, rois):
                place = F.zeros_like(F.slice_axis(rois, axis=-1, begin=0, end=1))
                return F.contrib.ROIAlign(x, F.concat(place, rois, dim=-1), (2, 2), 1.0)
        '''
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert "labels=['_', 'a', 'b', 'c']" in str(outcomes["Speech"].setup)
    assert "rois (N, 4)" in str(outcomes["Regions"].setup)


def test_a_context_that_is_no_device_is_a_length(prove: Prove) -> None:
    outcome = prove(
        """
        class Mixer(nn.HybridBlock):
            def __init__(self, units, in_units):
                super().__init__()
                self.dense = nn.Dense(units, in_units=in_units)

            def hybrid_forward(self, F, x):
                return self.dense(x)

        class Forecast(nn.HybridBlock):
            def __init__(self, context, horizon):
                super().__init__()
                self.mixer = Mixer(horizon, context)

            def hybrid_forward(self, F, past):
                return self.mixer(past)
        """
    )["Forecast"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert "context=4" in (outcome.setup or "")
