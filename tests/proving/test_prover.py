"""Proved, refuted and not run, on blocks small enough to know the answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import BY_HAND, ProofOutcome, ProofStatus
from hybridlint.project.settings.directives import parse
from hybridlint.proving.child.errors import ON_MXNET
from hybridlint.proving.process import ChildEndedError
from hybridlint.proving.prover import BESIDE, _without, prove_file
from hybridlint.proving.settings import ProofSettings

Prove = Callable[..., dict[str, ProofOutcome]]

NET = """
class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return {value}
"""
DENSE = """
class Net(nn.HybridBlock):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(units)
            self.drop = nn.Dropout(0.5)
            self.norm = nn.BatchNorm()

    def hybrid_forward(self, F, x):
        y = self.norm(self.drop(self.dense(x)))
        return {value}
"""


def test_a_right_fix_is_proved(prove: Prove) -> None:
    sliced = "F.slice_axis(y, axis=1, begin=0, end=1).reshape((-1,))"
    outcome = prove(DENSE.format(value="y[:, 0]"), DENSE.format(value=sliced), samples=3)["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.reason == "eager before = eager after = compiled after"
    assert [dict(sizes) for sizes in outcome.rounds] == [{"N": 2}, {"N": 3}]
    assert outcome.gradients
    assert outcome.runs == 18


def test_a_wrong_fix_is_refuted_with_the_place_and_the_size_of_the_error(prove: Prove) -> None:
    outcome = prove(NET.format(value="x[:, 0]"), NET.format(value="F.slice_axis(x, axis=1, begin=1, end=2)[0]"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.fault

    before, after = NET.format(value="x * 2"), NET.format(value="F.broadcast_mul(x, F.ones_like(x) * 2.5)")
    outcome = prove(before, after)["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.fault
    assert outcome.reason == "eager after the fix: output has other values"
    difference = outcome.difference
    assert difference is not None
    assert difference.what == "output"
    assert difference.largest_relative == pytest.approx(0.25, rel=1e-4)
    assert difference.place is not None
    assert len(difference.place) == 2
    assert difference.found == pytest.approx(1.25 * (difference.expected or 0), rel=1e-4)
    assert "N = 2, L = 4, predict mode" in (outcome.call or "")


def test_a_fix_that_changes_only_the_gradient_is_refuted(prove: Prove) -> None:
    outcome = prove(NET.format(value="x * x"), NET.format(value="x * F.stop_gradient(x)"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.difference is not None
    assert outcome.difference.what == "gradient of x"


def test_a_fix_that_changes_only_the_gradient_of_a_parameter_is_refuted(prove: Prove) -> None:
    after = DENSE.replace("self.dense(x)", "F.stop_gradient(self.dense(x))")
    outcome = prove(DENSE.format(value="y"), after.format(value="y"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.difference is not None
    assert outcome.difference.what.startswith("gradient of ")


def test_a_fix_that_freezes_the_batch_size_is_refuted(prove: Prove) -> None:
    """Only the second batch size shows it."""
    outcome = prove(NET.format(value="x.reshape((x.shape[0], -1))"), NET.format(value="F.slice(x, (0, 0), (2, None))"))
    assert outcome["Net"].status is ProofStatus.REFUTED
    assert outcome["Net"].call is not None
    assert outcome["Net"].call.startswith("N = 3")


def test_a_fix_that_is_wrong_in_train_mode_only_is_refuted(prove: Prove) -> None:
    outcome = prove(NET.format(value="F.identity(x)"), NET.format(value="x * (2 if autograd.is_training() else 1)"))
    assert outcome["Net"].status is ProofStatus.REFUTED
    assert "train mode" in (outcome["Net"].call or "")


def test_what_is_left_to_fix_is_no_fault_of_the_fixes(prove: Prove) -> None:
    before = NET.format(value="(x[:, 0] + x.shape[0])")
    after = NET.format(value="(F.slice_axis(x, axis=1, begin=0, end=1).reshape((-1,)) + x.shape[0])")
    outcome = prove(before, after)["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert "hybridized it still fails" in outcome.reason
    assert outcome.add == BY_HAND
    assert outcome.failed_row is not None
    assert not outcome.fault


FAILING = {
    "what ran": ("F.relu(x)", "F.relu(x) + 0 * x.shape[0]"),
    "what silently differed": ("x[0] + x.sum()", "x[0] + x.sum() + 0 * x.shape[0]"),
    # With other inputs than those that were guessed, it runs.
    "what could be traced": ("sum(x if F is mx.nd else F.split(x, axis=0, num_outputs=9, squeeze_axis=1))", "sum(x)"),
}


@pytest.mark.parametrize(("before", "after"), FAILING.values(), ids=FAILING.keys())
def test_a_fix_after_which_a_block_fails_is_refuted(prove: Prove, before: str, after: str) -> None:
    outcome = prove(NET.format(value=before), NET.format(value=after))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.fault


def test_eager_against_compiled_where_there_is_no_fix(prove: Prove) -> None:
    outcomes = prove(
        """
        class Same(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x), [x * 2]

        class Silent(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x[0].sum()

        class Frozen(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * random.random()
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "Same": ProofStatus.PROVED,
        "Silent": ProofStatus.REFUTED,
        "Frozen": ProofStatus.REFUTED,
    }
    assert not any(outcome.fault for outcome in outcomes.values())


def test_random_draws_in_another_order_are_compared_without_an_order(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                first = F.random.normal_like(x)
                second = F.random.normal_like(x)
                return second - 2 * first
        """
    )["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.reason == "compiled = eager, random numbers drawn by their shapes alone, as their order differs"
    assert outcome.only == ()


NOISY = """
import random
import numpy as np
from mxnet.gluon import nn

class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return {value}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x * random.uniform(0.5, 2)", "F.broadcast_mul(x, F.random.uniform(low=0.5, high=2, shape=(1,)))"),
        ("x + float(np.random.normal(1, 2))", "F.broadcast_add(x, F.random.normal(loc=1, scale=2, shape=(1,)))"),
    ],
)
def test_a_fix_may_let_mxnet_draw_what_python_drew(prove: Prove, before: str, after: str) -> None:
    outcome = prove(NOISY.format(value=before), NOISY.format(value=after))["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.reason.endswith("where Python and numpy draw the numbers that MXNet draws")


def test_a_fix_that_draws_from_another_distribution_is_not_proved(prove: Prove) -> None:
    after = "F.broadcast_mul(x, F.random.uniform(low=0, high=2, shape=(1,)))"
    outcome = prove(NOISY.format(value="x * random.uniform(0.5, 2)"), NOISY.format(value=after))["Net"]
    assert outcome.status is not ProofStatus.PROVED


def test_dropout_in_another_order_is_compared_in_train_mode_too(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                first = F.Dropout(x, p=0.5)
                second = F.Dropout(x, p=0.5)
                return second - 2 * first
        """
    )["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.only == ()
    assert outcome.reason == "compiled = eager, random numbers drawn by their shapes alone, as their order differs"


def test_dropout_in_another_order_hides_no_lost_mode(prove: Prove) -> None:
    outcome = prove(
        """
        class Frozen(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.base = nn.HybridSequential()
                self.base.add(nn.Dense(6), nn.BatchNorm())
                self.left = nn.HybridSequential()
                self.left.add(nn.Dropout(0.4), nn.Dense(2))
                self.right = nn.HybridSequential()
                self.right.add(nn.Dropout(0.4), nn.Dense(3))

            def hybrid_forward(self, F, x):
                with mx.autograd.predict_mode():
                    base = self.base(x)
                left = self.left(base)
                return self.right(base), left
        """
    )["Frozen"]
    assert outcome.status is ProofStatus.REFUTED
    assert "train mode" in str(outcome.call)


def test_indices_have_no_gradient_and_parameters_have(prove: Prove) -> None:
    outcome = prove(
        """
        class Table(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.rows = nn.HybridSequential()
                self.rows.add(nn.Embedding(5, 3))

            def hybrid_forward(self, F, x):
                return self.rows(x * 1)
        """
    )["Table"]
    assert outcome.reason == "compiled = eager"
    assert outcome.gradients


def test_why_a_block_is_not_run(prove: Prove) -> None:
    outcomes = prove(
        """
        class Missing(nn.HybridBlock):
            def __init__(self, vocabulary):
                super().__init__()
                self.size = vocabulary["size"]["words"]

            def hybrid_forward(self, F, x):
                return x

        class Crash(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                os._exit(7)

        class Slow(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                time.sleep(60)

        class Memory(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return nd.array(bytearray(64 << 30))

        class Shapes(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                raise ValueError("no shape will do")

        # hybridlint: verify(args=(3)
        class Unreadable(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x

        def maker():
            class Inner(nn.HybridBlock):
                def hybrid_forward(self, F, x):
                    return x
            return Inner

        class Last(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x + 1
        """,
        timeout=3.0,
    )
    assert [name for name, o in outcomes.items() if o.status is not ProofStatus.NOT_RUN] == ["Last"]
    missing = outcomes["Missing"]
    assert missing.reason.startswith("constructor argument `vocabulary` cannot be guessed")
    assert missing.add is not None
    assert missing.add == (
        "Say in a comment above the class what your program passes as `vocabulary`: none of the values that were tried "
        "builds it (`hybridlint verify --help` shows its form)."
    )
    assert missing.directive is None
    assert missing.failed_row == missing.row + 3
    assert outcomes["Crash"].reason.startswith("it ended the process with exit status 7")
    assert outcomes["Crash"].add is not None
    assert outcomes["Slow"].reason.startswith("it took longer than 3 s")
    assert outcomes["Slow"].add == "Give it more time: `--timeout 9`."
    assert "memory" in outcomes["Memory"].reason.lower()
    assert outcomes["Shapes"].reason.startswith("no inputs were found on which it runs eagerly")
    assert outcomes["Shapes"].add == (
        "Say in a comment above the class what `x` is in your program: none of the inputs that were tried runs"
        " (`hybridlint verify --help` shows its form)."
    )
    assert "brackets do not close" in outcomes["Unreadable"].reason
    assert outcomes["maker.<locals>.Inner"].add == "Move the class to the level of the module."


TWO = """
class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return x

class Other(Net):
    def hybrid_forward(self, F, x):
        return x
"""


def test_an_import_that_defines_no_block_is_told_once_for_the_file_with_what_to_do(prove: Prove) -> None:
    (outcome,) = prove("from os import Missing\n" + TWO.replace("(nn.HybridBlock)", "(Missing)")).values()
    assert (outcome.block, outcome.status, outcome.row, outcome.failed_row) == ("net.py", ProofStatus.NOT_RUN, 8, 8)
    assert outcome.reason.startswith("the module cannot be imported: ImportError: cannot import name 'Missing'")
    assert outcome.add is not None
    assert outcome.add.startswith("Correct what the line names")


ENDS = """
class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x)

steps = 0
while steps < 3 or True:
    steps += 1

best = os._exit(3)
SCALE = 3

class Other(Net):
    def hybrid_forward(self, F, x):
        return x * SCALE

class Lacking(Net):
    def hybrid_forward(self, F, x):
        return x * best
"""


def test_a_script_that_never_ends_has_the_blocks_that_it_defines(prove: Prove) -> None:
    outcomes = prove(ENDS, timeout=4.0)
    assert {name: outcome.status.value for name, outcome in outcomes.items()} == {
        "Net": "proved",
        "Other": "proved",
        "Lacking": "not run",
    }
    assert {o.module_end for o in outcomes.values()} == {"the module ends early at line 14: it took longer than 1 s"}
    assert outcomes["Lacking"].add is not None
    assert "__main__" in outcomes["Lacking"].add


def test_the_fix_of_a_script_that_fails_without_it_is_proved(prove: Prove) -> None:
    before = NET.format(value="x.reshape((x.shape[0], -1))") + "net = Net()\nnet.hybridize()\nnet(nd.ones((2, 3)))\n"
    outcome = prove(before, before.replace("x.shape[0]", "0"))["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.module_end is not None
    assert outcome.module_end.startswith("before the fix the module ends early at line ")


def test_modules_that_are_not_installed_and_not_needed(prove: Prove) -> None:
    outcomes = prove(
        """
        import no_such_module.inner as inner
        from no_such_module import Base, fast

        class Helper(Base):
            pass

        @fast
        def double(x):
            return x * 2

        class Free(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return double(x)

        class Bound(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return inner.compute(x)
        """
    )
    assert outcomes["Free"].status is ProofStatus.PROVED
    assert outcomes["Bound"].status is ProofStatus.NOT_RUN
    assert outcomes["Bound"].reason == "running it needs `no_such_module`, which is not installed"


def test_what_user_code_prints_and_reads_does_no_harm(prove: Prove) -> None:
    body = "print('{\"event\": \"end\"}')\nprint(os.read(0, 10))\nos.write(1, b'noise')\n" + NET.format(value="x * 2")
    assert prove(body)["Net"].status is ProofStatus.PROVED


def test_relative_imports_and_packages(prove: Prove, tmp_path: Path) -> None:
    folder = tmp_path / "pack" / "models"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise ImportError('a heavy dependency')\n")
    (folder / "__init__.py").write_text("")
    (folder / "base.py").write_text("SCALE = 3\n")
    body = "from .base import SCALE\n" + NET.format(value="x * SCALE")
    assert prove(body, name="pack/models/net.py")["Net"].status is ProofStatus.PROVED


def test_recipes_of_the_configuration(prove: Prove) -> None:
    body = """
    class Net(nn.HybridBlock):
        def __init__(self, table):
            super().__init__()
            self.table = table

        def hybrid_forward(self, F, x, y):
            return F.dot(x, y) * self.table["a"]
    """
    recipe = parse('(args=({"a": 2},), inputs=[("N", 5), (5, 7)])')
    outcome = prove(body, recipes={"Net": recipe})["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.setup == "({'a': 2}) on x (N, 5), y (5, 7)"


def test_first_axes_given_as_numbers_vary_where_they_can(prove: Prove) -> None:
    outcomes = prove(
        """
        # hybridlint: verify(x=(4, 3))
        class Free(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x + 1

        # hybridlint: verify(x=(4, 3))
        class Fixed(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x.reshape((4, -1)) + F.ones((4, 3))
        """
    )
    assert [dict(sizes) for sizes in outcomes["Free"].rounds] == [{"N": 4}, {"N": 2}]
    assert [dict(sizes) for sizes in outcomes["Fixed"].rounds] == [{"N": 4}]
    assert all(outcome.status is ProofStatus.PROVED for outcome in outcomes.values())


def test_inputs_follow_layers_parameters_and_names(prove: Prove) -> None:
    outcomes = prove(
        """
        class Image(nn.HybridBlock):
            def __init__(self, channels):
                super().__init__()
                self.body = nn.HybridSequential()
                self.body.add(nn.Conv2D(channels, 3, in_channels=5), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Dense(3))

            def hybrid_forward(self, F, x):
                return self.body(x)

        class Words(nn.HybridBlock):
            def __init__(self, vocab_size=11, units=6):
                super().__init__()
                self.embedding = nn.Embedding(vocab_size, units)

            def hybrid_forward(self, F, tokens):
                return self.embedding(tokens).sum(axis=1)

        class Scale(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.gamma = self.params.get("gamma", shape=(1, 9, 1))

            def hybrid_forward(self, F, x, gamma):
                return F.broadcast_mul(x, gamma)

        class Ranked(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.transpose(x, axes=(0, 2, 1))

        class States(nn.HybridBlock):
            def hybrid_forward(self, F, states):
                return F.concat(*[2 * s for s in states], dim=0) if isinstance(states, list) else None
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Image"].setup == "(channels=4) on x (N, 5, H, W)"
    assert outcomes["Words"].setup == "() on tokens (N, T) of whole numbers below 11"
    assert outcomes["Scale"].setup == "() on x (N, 9, W)"
    assert outcomes["Ranked"].setup == "() on x (N, T, L)"
    assert outcomes["States"].setup == "() on states [(N, 4), (N, 4)]"


def test_guessed_inputs_are_those_that_also_run_compiled(prove: Prove) -> None:
    """An input of one channel would run eagerly, by broadcasting, and never compiled."""
    outcome = prove(
        """
        class Residual(nn.HybridBlock):
            def __init__(self, channels):
                super().__init__()
                self.body = nn.Conv2D(channels, 3, padding=1)

            def hybrid_forward(self, F, x):
                return x + self.body(x)
        """
    )["Residual"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.setup == "(channels=4) on x (N, 4, H, W)"


def test_values_computed_of_parameters_once_and_for_all_are_seen(prove: Prove) -> None:
    outcome = prove(
        """
        class Frozen(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.scale = self.params.get("scale", shape=(1,), init="ones")

            def hybrid_forward(self, F, x, scale):
                return x * float(self.scale.data().asnumpy()[0])
        """
    )["Frozen"]
    assert outcome.status is ProofStatus.REFUTED
    assert (outcome.call or "").startswith("N = 3")


def test_what_the_engine_lacks_is_no_refutation(prove: Prove) -> None:
    outcome = prove(NET.format(value="F.contrib.no_such_operator(x)"))["Net"]
    assert outcome.status is ProofStatus.NOT_RUN
    assert outcome.reason.startswith("the engine of the proof cannot run this: AttributeError")
    assert outcome.failed_row is not None


def test_blocks_that_inherit_what_they_compute(prove: Prove, tmp_path: Path) -> None:
    base = "from mxnet.gluon import nn\nclass Base(nn.HybridBlock):\n    def hybrid_forward(self, F, x):\n"
    (tmp_path / "base.py").write_text(f"{base}        return x + 1\n")
    outcomes = prove("from base import Base\nclass Heir(Base):\n    pass\nclass Plain(list):\n    pass\n")
    assert {name: outcome.status for name, outcome in outcomes.items()} == {"Heir": ProofStatus.PROVED}


def test_old_names_are_served_as_run_serves_them(prove: Prove, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("import collections\n\nKINDS = collections.Mapping\n")
    outcomes = prove(
        """
        # -*- coding: latin-1 -*-
        import numpy as np
        from helper import KINDS
        class Net(nn.HybridBlock):
            def __init__(self, table=None):
                super().__init__()
                assert not isinstance(table, KINDS)
                self.scale = np.float(2)

            def hybrid_forward(self, F, x):
                return x * self.scale
        """
    )
    assert outcomes["Net"].status is ProofStatus.PROVED, outcomes["Net"].reason


@pytest.mark.parametrize(
    ("value", "lacks"),
    [
        ("F.concatenate([x, x])", "has no attribute 'concatenate'"),
        ("x + F.array([1.0])", "has no attribute 'array'"),
        ("F.contrib.isnan(x)", "has no attribute 'isnan'"),
        ("F.add(x, x)", "has no attribute 'add'"),
        ("F.moveaxis(x, 0, 1)", "has no attribute 'moveaxis'"),
    ],
)
def test_what_symbol_lacks_refutes_a_block(prove: Prove, value: str, lacks: str) -> None:
    outcome = prove(NET.format(value=value))["Net"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason
    assert outcome.variant == "compiled"
    assert lacks in outcome.reason


def test_what_symbol_lacks_in_numpy_mode_refutes_a_block(prove: Prove) -> None:
    outcome = prove("mx.npx.set_np()\n" + NET.format(value="F.np.nonzero(x)[0]"))["Net"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason
    assert "has no attribute 'nonzero'" in outcome.reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("F.zeros(x.shape)", "F.zeros_like(x)"),
        ("F.arange(x.shape[1])", "F.contrib.arange_like(x, axis=1)"),
        ("nd.array(x.asnumpy()) * 2", "F.BlockGrad(x) * 2"),
        ("x.detach() * 2", "F.BlockGrad(x) * 2"),
        ("F.ones((len(x), 1))", "F.ones_like(F.slice_axis(x, axis=1, begin=0, end=1))"),
    ],
)
def test_a_gradient_of_zeros_is_as_good_as_none(prove: Prove, before: str, after: str) -> None:
    assert prove(NET.format(value=before), NET.format(value=after))["Net"].status is ProofStatus.PROVED


def test_a_gradient_where_there_was_none_is_another_one(prove: Prove) -> None:
    outcome = prove(NET.format(value="nd.array(x.asnumpy()) * 2"), NET.format(value="x * 2"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.reason == "eager after the fix: gradient of x is new"


def test_a_gradient_that_is_lost_refutes_a_block(prove: Prove) -> None:
    """MXNet leaves an output that is an input out of the compiled graph, and with it what depends on it."""
    outcome = prove(NET.format(value="x, x * 2"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.reason == "compiled: gradient of x is missing"


def test_an_input_that_takes_no_part_any_more(prove: Prove) -> None:
    before, after = "x * 2 + 0 * y.sum()", "x * 2"
    text = NET.replace("F, x", "F, x, y")
    assert prove(text.format(value=before), text.format(value=after))["Net"].status is ProofStatus.PROVED


@pytest.mark.parametrize("after", ["[x * 1, [x * 2, x * 3]]", "(x * 1, (x * 2, x * 3))"])
def test_lists_and_tuples_are_told_apart_by_nobody_who_takes_them_apart(prove: Prove, after: str) -> None:
    outcome = prove(NET.format(value="x * 1, [x * 2, x * 3]"), NET.format(value=after))["Net"]
    assert outcome.status is ProofStatus.PROVED


@pytest.mark.parametrize("after", ["[x * 2]", "(x * 2, [])", "(x * 2, x * 2)"])
def test_another_structure_is_another_result(prove: Prove, after: str) -> None:
    assert prove(NET.format(value="x * 2"), NET.format(value=after))["Net"].status is ProofStatus.REFUTED


def test_inputs_that_work_in_one_mode_only_are_none_that_a_block_is_meant_for(prove: Prove) -> None:
    text = """
        class Net(nn.HybridBlock):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.rate = 4

            def hybrid_forward(self, F, x):
                return F.Dropout(x, p=self.rate) if autograd.is_training() else x * 2
    """
    outcome = prove(text)["Net"]
    assert outcome.status is ProofStatus.NOT_RUN
    assert "no inputs were found on which it runs eagerly" in outcome.reason
    assert "p: expected a probability in [0, 1], got 4" in outcome.reason


def test_what_stores_in_place_cannot_be_recorded_whatever_the_inputs_are(prove: Prove) -> None:
    text = """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                y = x * 2
                y {sign} 1
                return y
    """
    outcome = prove(text.format(sign="+="), text.format(sign="= y +"))["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.gradients


def test_what_was_compared_before_time_ran_out_counts(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def cast(self, dtype):
                time.sleep(60)

            def hybrid_forward(self, F, x):
                return x * 2
        """,
        timeout=4.0,
    )["Net"]
    assert (outcome.status, outcome.reason) == (ProofStatus.PROVED, "compiled = eager")
    assert {ran.name: ran.note for ran in outcome.variants} == {
        "compiled": None,
        "static_alloc": None,
        "exported and imported": None,
        "another order": None,
        "float16": "the time limit is too short for it",
    }


def test_what_fails_whatever_the_inputs_are_is_no_matter_of_inputs(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return undefined(x)
        """
    )["Net"]
    assert outcome.reason.startswith("it fails eagerly on all ")
    assert outcome.add == "Correct that line: it fails whatever the inputs are."
    assert outcome.failed_row == outcome.row + 2


def test_an_input_whose_range_must_be_said_is_named(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, scores):
                return scores * float("inf")
        """
    )["Net"]
    assert "in which range `scores` lies in your program" in str(outcome.add)
    assert outcome.directive is None


def test_a_package_that_building_a_block_needs_is_named(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self, length):
                super().__init__()
                import no_such_package.signal

            def hybrid_forward(self, F, x):
                return x * 2
        """
    )["Net"]
    assert outcome.reason == "building it needs `no_such_package`, which is not installed"
    assert outcome.add == "Install `no_such_package` in the environment of hybridlint, or guard its import."


def test_the_advice_names_the_argument_that_the_error_speaks_of(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self, mode="a", size_of_it=None):
                super().__init__()
                raise ValueError("nobody knows what size_of_it is")

            def hybrid_forward(self, F, x):
                return x * 2
        """
    )["Net"]
    assert "what your program passes as `size_of_it`" in str(outcome.add)


def test_noise_that_is_lost_is_no_other_order_of_random_numbers(prove: Prove) -> None:
    """The mode is frozen at the trace, in predict mode: what is dropped in training is dropped no more."""
    text = """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.Dropout(x, p=0.5, mode="always") if autograd.is_training() else x * 1
    """
    outcome = prove(text)["Net"]
    assert outcome.status is ProofStatus.REFUTED, outcome.reason
    assert "train mode" in (outcome.call or "")


def test_noise_in_another_order_is_nobodys_fault(prove: Prove) -> None:
    before = "F.Dropout(x, p=0.5) + F.Dropout(x * 2, p=0.25)"
    after = "(lambda second, first: first + second)(F.Dropout(x * 2, p=0.25), F.Dropout(x, p=0.5))"
    outcome = prove(NET.format(value=before), NET.format(value=after))["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.reason.endswith("as their order differs")


@pytest.mark.parametrize(
    ("body", "add"),
    [
        ("def forward(self, x):\n        return x", "Write `hybrid_forward` in place of `forward`."),
        ("pass", "Verify the classes that derive from it: they say what it computes."),
        (
            "def hybrid_forward(self, F, x):\n        return F.contrib.no_such_operator(x)",
            "Correct the name in that line.",
        ),
    ],
)
def test_what_would_make_it_run_is_said(prove: Prove, body: str, add: str) -> None:
    outcome = prove(f"\nclass Net(nn.HybridBlock):\n    {body}\n")["Net"]
    assert outcome.status is ProofStatus.NOT_RUN
    assert str(outcome.add).startswith(add)


def test_nobody_is_sent_to_the_engine_that_is_there_already(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = {"event": "failed", "reason": "it lacks something", "add": ON_MXNET, "row": None}
    monkeypatch.setattr("hybridlint.proving.prover.messages", lambda *_, **__: iter([failed]))
    for engine, add in (("bundled", ON_MXNET), ("mxnet", None)):
        [outcome] = prove_file(Path("net.py"), TWO, None, ProofSettings(engine=engine))
        assert outcome.add == add


def test_gradients_of_numpys_own_arrays_are_compared(prove: Prove) -> None:
    outcomes = prove(
        """
        class Doubled(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return (x * 2).as_np_ndarray()

        class Same(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x.as_np_ndarray()
        """
    )
    assert (outcomes["Doubled"].status, outcomes["Doubled"].gradients) == (ProofStatus.PROVED, True)
    assert (outcomes["Same"].status, outcomes["Same"].reason) == (
        ProofStatus.REFUTED,
        "compiled: gradient of x is missing",
    )


def test_what_is_stored_in_an_input_is_compared_as_it_stands_and_not_with_a_fix(prove: Prove) -> None:
    net = """
    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, output):
            {statement}
            return output
    """
    before, after = net.format(statement="output %= 2"), net.format(statement="output = output % 2")
    outcome = prove(before)["Net"]
    assert (outcome.status, outcome.reason) == (
        ProofStatus.REFUTED,
        "compiled: input output afterwards has other values",
    )
    assert prove(after)["Net"].status is ProofStatus.PROVED
    assert prove(before, after)["Net"].status is ProofStatus.PROVED


def test_a_verdict_from_before_all_further_runs_says_that_these_were_too_late() -> None:
    error = ChildEndedError("it ran out of time", {}, timeout=True)
    error.verdict, error.optional = {"status": "proved"}, "float16"
    assert {each["name"] for each in _without(error)["variants"]} == set(BESIDE)


def test_a_run_in_float16_that_never_ends_is_left_out_of_the_proof(prove: Prove) -> None:
    outcome = prove(
        """
        import numpy as np
        from mxnet import sym
        from mxnet.gluon import nn

        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.w = self.params.get("w", shape=(1,))

            def hybrid_forward(self, F, x, w):
                if isinstance(x, sym.Symbol):
                    while np.dtype(self.w.dtype) == "float16":
                        pass
                return F.broadcast_add(F.relu(x), w)
        """,
        timeout=3.0,
    )["Net"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert {each.name: each.note for each in outcome.variants}["float16"] is not None
