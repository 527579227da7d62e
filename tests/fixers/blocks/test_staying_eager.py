"""Classes that no graph can hold stay eager, with what holds them; their other children are compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.edits import Applicability
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import fixed_or_kept_eager

HEAD = """\
import random

from mxnet import autograd, nd
from mxnet.gluon import HybridBlock, nn


"""
FADE = """\
class Fade(HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.alpha = 0.0
        self.fc = nn.Dense(units)  # the last layer

    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        y = self.fc(x) * self.alpha if self.alpha < 1 else self.fc(x)
        self.alpha = min(1.0, self.alpha + 0.1)
        return y
"""
FADED = """\
class Fade(HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.alpha = 0.0
        self.fc = nn.Dense(units)  # the last layer

    def hybridize(self, active=True, **kwargs):
        # Each call changes `self.alpha`, which a graph would not: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        y = self.fc(x) * self.alpha if self.alpha < 1 else self.fc(x)
        self.alpha = min(1.0, self.alpha + 0.1)
        return y
"""
NET = """

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fade = Fade(3)
        self.out = nn.Dense(2)
{override}
    def hybrid_forward(self, F, x):
        return self.out(self.fade(x))
"""
OVERRIDE = """
    def hybridize(self, active=True, **kwargs):
        # It holds `Fade`, which stays eager: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)
"""
STAGES = """

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.stages = nn.HybridSequential()
        for units in (3, 4):
            self.stages.add(Fade(units), nn.Dense(2))
{override}
    def hybrid_forward(self, F, x):
        return self.stages(x)
"""


def test_a_class_stays_eager() -> None:
    assert fixed_or_kept_eager(HEAD + FADE, unsafe=True) == HEAD + FADED


def test_what_holds_it_stays_eager_too() -> None:
    before, after = NET.format(override=""), NET.format(override=OVERRIDE)
    assert fixed_or_kept_eager(HEAD + FADE + before, unsafe=True) == HEAD + FADED + after


def test_a_container_of_it_is_switched_off() -> None:
    before, after = (
        STAGES.format(override=""),
        STAGES.format(override=f"{OVERRIDE}        self.stages._active = False\n"),
    )
    assert fixed_or_kept_eager(HEAD + FADE + before, unsafe=True) == HEAD + FADED + after


def test_an_override_that_is_there_gets_the_container() -> None:
    before = STAGES.format(override=OVERRIDE)
    after = STAGES.format(override=f"{OVERRIDE}        self.stages._active = False\n")
    assert fixed_or_kept_eager(HEAD + FADE + before, unsafe=True) == HEAD + FADED + after


def test_it_is_safe_where_no_compiled_run_was_right() -> None:
    before, after = NET.format(override=""), NET.format(override=OVERRIDE)
    assert fixed_or_kept_eager(HEAD + FADE + before) == HEAD + FADED + after


CHANGED = "        self.alpha = min(1.0, self.alpha + 0.1)\n"
SOMETIMES = {
    "state that changes in one mode": FADE.replace(
        CHANGED, f"        if autograd.is_training():\n    {CHANGED}"
    ).replace("self.fc(x)", "self.fc(x * 1)"),
    "state that a setting changes": FADE.replace(CHANGED, f"        if self.fades:\n    {CHANGED}"),
    "state that is filled once": FADE.replace(CHANGED, "").replace(
        "        y = ", "        if self.alpha is None:\n            self.alpha = F.mean(x)\n        y = "
    ),
    "state that is only logged": FADE.replace(
        CHANGED, f"        if self.alpha > 9:\n            print(1)\n{CHANGED}"
    ).replace(" * self.alpha if self.alpha < 1 else self.fc(x)", ""),
    "a child that gets state which may be None": FADE.replace("self.fc(x)", "self.fc(x, self.memory)").replace(
        "        self.alpha = 0.0\n", "        self.alpha = 0.0\n        self.memory = None\n"
    ),
    "a holder that calls it by a setting": FADE
    + NET.format(override="").replace("self.fade(x)", "self.fade(x) if self.on else x"),
}


@pytest.mark.parametrize("text", SOMETIMES.values(), ids=SOMETIMES.keys())
def test_it_is_unsafe_where_some_compiled_run_is_right(text: str) -> None:
    assert "def hybridize" not in fixed_or_kept_eager(HEAD + text)


def test_a_scope_is_unsafe_because_one_mode_is_right_without_it() -> None:
    body = "with autograd.predict_mode():\n            y = self.drop(self.fc(x))\n        return y"
    text = HEAD + SIMPLE.format(body=body)
    assert fixed_or_kept_eager(text) == text != fixed_or_kept_eager(text, unsafe=True)


STATES = {
    "a draw": (
        "if random.random() > 0.5:\n            return x\n        return self.fc(x)",
        "Each call draws anew in Python",
    ),
    "a scope": (
        "with autograd.predict_mode():\n            y = self.fc(x)\n        return self.drop(y)",
        "A graph does not keep `autograd.predict_mode()`",
    ),
    "a branch on data": (
        "while F.sum(x) > 1:\n            x = x / 2\n        return self.fc(x)",
        "Each call reads the data of its tensors, which a graph does not have",
    ),
}
SIMPLE = """\
class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
        self.drop = nn.Dropout(0.5)

    def hybrid_forward(self, F, x):
        {body}
"""


@pytest.mark.parametrize(("body", "why"), STATES.values(), ids=STATES.keys())
def test_the_comment_says_why(body: str, why: str) -> None:
    if "predict_mode" in body:
        body = body.replace("self.fc(x)", "self.drop(self.fc(x))")
    assert f"# {why}" in fixed_or_kept_eager(HEAD + SIMPLE.format(body=body), unsafe=True)


FADING = """

def fading(depth):
    net = nn.HybridSequential(prefix="fading_")
    with net.name_scope():
        for _ in range(depth):
            net.add(Fade(3))
    return net
"""
HOLDING = """

class Holding(HybridBlock):
    def __init__(self):
        super().__init__()
        self.body = fading(2)

    def hybrid_forward(self, F, x):
        return self.body(x)
"""
STAGES = """

class Stages(nn.HybridSequential):
    def __init__(self):
        super().__init__()
        self.add(nn.Dense(2), fading(2))
"""


def test_sequences_of_it_compile_each_part_by_itself() -> None:
    fixed = fixed_or_kept_eager(f"{HEAD}{FADE}{FADING}{STAGES}")
    assert 'net = nn.Sequential(prefix="fading_")\n' in fixed
    assert "class Stages(nn.Sequential):\n" in fixed


def test_a_sequence_whose_parameters_would_have_other_names_needs_a_choice() -> None:
    text = HEAD + FADE + FADING.replace('prefix="fading_"', "")
    assert fixed_or_kept_eager(text) == text
    assert "net = nn.Sequential()\n" in fixed_or_kept_eager(text, unsafe=True)


LEFT = {
    "nothing would be compiled": FADE.replace("self.fc(x)", "x").replace("nn.Dense(units)", "units"),
    "a container outside of all classes": f"{FADE}\n\nnet = nn.HybridSequential()\nnet.add(Fade(3))\n",
    "a container that is exported": f"{FADE}{FADING}\n\ndef save(net):\n    net.export('net')\n",
    "a container that is used for more": f"{FADE}{FADING.replace('return net', 'return nn.HybridSequential(net)')}",
    "a container of a container in a block": f"{FADE}{FADING}{HOLDING}",
    "a part of another block": f"{FADE}\n\ndef build(outer):\n    return outer(Fade(3))\n",
    "an override that compiles": FADE.replace(
        "    # hybridlint",
        "    def hybridize(self, active=True):\n        super().hybridize(active)\n\n    # hybridlint",
    ),
    "a child that takes a number": FADE.replace("self.fc(x)", "self.fc(x, 2.0)"),
    "hooks": f"{FADE}\n\ndef watch(net, hook):\n    net.fc.register_forward_hook(hook)\n",
    "a state that is a Symbol": FADE.replace("self.alpha = 0.0", "self.alpha = mx.symbol.zeros((1,))"),
    "a count that nothing reads": SIMPLE.format(body="self.calls = self.calls + 1\n        return self.fc(x)"),
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT.keys())
def test_left_to_a_person(text: str) -> None:
    assert fixed_or_kept_eager(HEAD + text, unsafe=True) == HEAD + text


def test_many_classes_are_shown_alone() -> None:
    text = HEAD + FADE
    for number in range(4):
        inner = f"Net{number - 1}()" if number else "Fade(3)"
        text += NET.format(override="").replace("Net(", f"Net{number}(").replace("Fade(3)", inner)
    fixes = [finding.fix for finding in analyze_file(SourceFile(Path("net.py"), text)) if finding.fix is not None]
    assert fixes
    assert all(fix.applicability is Applicability.DISPLAY for fix in fixes)
    assert "Not applied: 5 classes would stay eager." in fixes[0].message


def test_what_other_files_may_hold_is_shown_alone(tmp_path: Path) -> None:
    (tmp_path / "fade.py").write_text(HEAD + FADE, encoding="utf-8")
    other = "from mxnet.gluon import HybridBlock\nfrom fade import Fade\n\n\nclass Net(HybridBlock):\n    part = Fade\n"
    (tmp_path / "net.py").write_text(other, encoding="utf-8")
    fixes = [f.fix for f in analyze_file(SourceFile.read(tmp_path / "fade.py")) if f.fix is not None]
    assert [fix.applicability for fix in fixes] == [Applicability.DISPLAY] * len(fixes)
    assert "`net.py` uses them too" in fixes[0].message


def test_arithmetic_of_sizes() -> None:
    """Where Python computes with a size, as ``int`` does, no operator can: the block that reads it stays eager."""
    text = """\
from mxnet import npx
from mxnet.gluon import HybridBlock, nn

npx.set_np()


def merged(F, windows, ws, H, W):
    B = int(windows.shape[0] / (H * W / ws / ws))
    return windows.reshape(B, H, W, -1)


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)

    def hybrid_forward(self, F, x):
        B, H, W, C = x.shape
        return merged(F, self.fc(x), 2, H, W)
"""
    override = """
    def hybridize(self, active=True, **kwargs):
        # Each call computes with the sizes of its tensors, which a graph does not know: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)
"""
    assert fixed_or_kept_eager(text, unsafe=True) == text.replace("nn.Dense(3)\n", f"nn.Dense(3)\n{override}")


SIZED = """
class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, flatten=False)

    def hybrid_forward(self, F, x):
        {body}
"""

#: Bodies that no operator expresses -> why the block stays eager.
RESORTS = {
    "a number of steps": (
        """h = F.zeros_like(x)
        for t in range(x.shape[1] // 2):
            h = h + self.fc(x) * t
        return h""",
        "computes with the sizes of its tensors, which a graph does not know",
    ),
    "a length": (
        "return F.topk(self.fc(x), k=max(1, len(x) // 2))",
        "computes with the sizes of its tensors, which a graph does not know",
    ),
    "rows with a counter": (
        """found = []
        for row in x:
            found.append(self.fc(row) * len(found))
        return F.stack(*found)""",
        "takes a tensor apart row by row, which a graph does not",
    ),
}


@pytest.mark.parametrize(("body", "why"), RESORTS.values(), ids=RESORTS.keys())
def test_the_last_resort(body: str, why: str) -> None:
    override = f"""
    def hybridize(self, active=True, **kwargs):
        # Each call {why}: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)
"""
    text = HEAD + SIZED.format(body=body)
    made = "nn.Dense(3, flatten=False)\n"
    assert fixed_or_kept_eager(text, unsafe=True) == text.replace(made, made + override)


def test_a_function_of_arrays_that_no_f_reaches() -> None:
    table = "MERGE = {'max': lambda a, b: nd.maximum(a, b)}\n\n\n"
    text = HEAD + table + SIZED.format(body="return self.merge(self.fc(x), self.fc(x))")
    text = text.replace("super().__init__()\n", "super().__init__()\n        self.merge = MERGE['max']\n")
    reason = "# Each call needs arrays for functions of `mx.nd`, which a graph does not have: only the children"
    assert reason in fixed_or_kept_eager(text, unsafe=True)


#: Bodies at whose first line each trace raises.
RAISING = {
    "a size": "return self.fc(x) * int(x.shape[1] ** 0.5)",
    "a length of what a layer takes": "return F.topk(self.fc(x), k=max(1, len(x) // 2))",
    "a size of what an operator gives": "y = F.relu(x)\n        return self.fc(y) * int(y.shape[1] ** 0.5)",
    "rows of what a layer gives": """found = []
        for row in self.fc(x):
            found.append(row * len(found))
        return F.stack(*found)""",
    "data": "while F.sum(x) > 1:\n            x = x / 2\n        return self.fc(x)",
    "a size in a helper": "return self.half(self.fc(x))\n\n"
    "    def half(self, y):\n        return y * int(y.shape[1] ** 0.5)",
    "no tensor": "return {'out': self.fc(x)}",
    "an array of its own": "return self.fc(x) + nd.array(self.table.rows(len(self.names)))",
    "an array beside a tensor for an operator": "return F.dot(self.fc(x), nd.array(self.table.rows(len(self.names))))",
    "a total that a loop reads": """y = self.fc(x)
        y = y + int(x.shape[0] ** 0.5)
        return y * int(y.shape[1] ** 0.5)""",
}

#: Bodies that some settings, inputs or modes compile, or that a list or a number may reach.
COMPILED_FOR_SOME = {
    "a size that a setting asks for": "y = self.fc(x)\n        return y * int(x.shape[1] ** 0.5) if self.deep else y",
    "a size behind an early return": "y = self.fc(x)\n        if self.shallow:\n            return y\n"
    "        return y * int(x.shape[1] ** 0.5)",
    "rows of an argument, which may be a list": """found = []
        for row in x:
            found.append(self.fc(row) * len(found))
        return F.stack(*found)""",
    "a branch on an argument, which may be a switch": "y = self.fc(x)\n        while on > 0:\n            on = on - 1\n"
    "            y = y + 1\n        return y",
}


@pytest.mark.parametrize("body", RAISING.values(), ids=RAISING.keys())
def test_what_raises_at_each_trace_is_safe(body: str) -> None:
    text = HEAD + SIZED.format(body=body)
    assert "def hybridize" in fixed_or_kept_eager(text) == fixed_or_kept_eager(text, unsafe=True)


@pytest.mark.parametrize("body", COMPILED_FOR_SOME.values(), ids=COMPILED_FOR_SOME.keys())
def test_what_some_trace_gets_past_is_unsafe(body: str) -> None:
    text = HEAD + SIZED.format(body=body).replace("F, x)", "F, x, on)" if " on" in body else "F, x)")
    assert "def hybridize" not in fixed_or_kept_eager(text)
    assert "def hybridize" in fixed_or_kept_eager(text, unsafe=True)


def test_operators_come_first() -> None:
    """What an operator expresses is written with it, by however many steps, and keeps nothing eager."""
    body = "n, c, h, w = x.shape\n        half = c // 2\n        return self.fc(x).reshape((n, 2, half, h, w))"
    assert "def hybridize" not in fixed_or_kept_eager(
        HEAD + SIZED.format(body="return self.fc(x.reshape((x.shape[0], -1)))")
    )
    other = body.replace("half, h, w", "half, w, h")
    assert "def hybridize" in fixed_or_kept_eager(HEAD + SIZED.format(body=other), unsafe=True)
    plain = body.replace("self.fc(x)", "F.relu(x)").replace("return ", "return self.fc(") + ")"
    assert "(0, -4, 2, -1, 0, 0)" in fixed_or_kept_eager(HEAD + SIZED.format(body=plain), unsafe=True)


def test_a_way_in_steps_that_is_unsafe_is_not_forestalled() -> None:
    body = "n, d = x.shape\n        return F.zeros((n, d)) + self.fc(x)"
    text = HEAD + SIMPLE.format(body=body)
    assert "def hybridize" not in fixed_or_kept_eager(text) + fixed_or_kept_eager(text, unsafe=True)


def test_another_way_that_is_unsafe_is_not_forestalled() -> None:
    body = "y = self.fc(x)\n        if x.sum() > 0:\n            return y * 2\n        return y.exp()"
    text = HEAD + SIMPLE.format(body=body)
    assert fixed_or_kept_eager(text) == text
    assert "F.where" in fixed_or_kept_eager(text, unsafe=True)


WRAPPED = """
class Gate(HybridBlock):
    def hybrid_forward(self, F, x):
        if self.rate:
            return F.Dropout(x, p=self.rate)
        return x


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.gate = Gate()
        self.fc = nn.Dense(3)

    def hybrid_forward(self, F, x):
        x = self.gate(x)
        return F.topk(self.fc(x), k=max(1, len(x) // 2))


class WithLoss(HybridBlock):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def hybrid_forward(self, F, x, y):
        return F.sum(self.net(x) * y)
"""


def test_what_is_given_blocks_may_hold_it() -> None:
    """A class that calls the block that it is given, and that other files make blocks of, stays eager too."""
    after = fixed_or_kept_eager(HEAD + WRAPPED, unsafe=True)
    assert after.count("def hybridize") == 2
    assert "# It holds `Net`, which stays eager: only the children are compiled." in after
    own = fixed_or_kept_eager(HEAD + WRAPPED + "\n\nloss = WithLoss(nn.Dense(3))\n", unsafe=True)
    assert own.count("def hybridize") == 1


def test_a_base_class_is_not_given_its_heirs() -> None:
    base = WRAPPED[WRAPPED.index("class WithLoss") :]
    heir = FADE.replace("class Fade(HybridBlock)", "class Fade(WithLoss)").replace(
        "__init__()", "__init__(nn.Dense(2))"
    )
    assert fixed_or_kept_eager(f"{HEAD}{base}\n\n{heir}", unsafe=True).count("def hybridize") == 1


def test_a_child_that_returns_its_input() -> None:
    """Compiled by itself, it would give its input no gradient: MXNet passes none through a graph without a node."""
    assert "        return F.identity(x)\n" in fixed_or_kept_eager(HEAD + WRAPPED, unsafe=True)


@pytest.mark.parametrize(
    "returned", ["{'logits': self.fc(x), 'input': x * 2}", "self.fc(x), None"], ids=["a dict", "None"]
)
def test_outputs_that_a_graph_cannot_return(returned: str) -> None:
    after = fixed_or_kept_eager(HEAD + SIZED.format(body=f"return {returned}"), unsafe=True)
    assert "# A graph returns tensors alone, or lists of them: only the children are compiled." in after


def test_states_of_numpy_mode() -> None:
    text = HEAD.replace("autograd\n", "autograd, npx\n").replace("nn\n", "nn, rnn\n\nnpx.set_np()\n")
    text += SIZED.format(body="return self.rnn(self.fc(x))").replace(
        "self.fc =", "self.rnn = rnn.LSTM(3)\n        self.fc ="
    )
    assert "# Each call makes states for its own batch, which a graph cannot" in fixed_or_kept_eager(text, unsafe=True)


def test_arrays_of_its_own() -> None:
    text = HEAD.replace("autograd\n", "autograd, nd\n")
    text += SIZED.format(body="return self.fc(x * self.masks[0])").replace(
        "self.fc =", "self.masks = [nd.array([i, 1]) for i in range(2)]\n        self.fc ="
    )
    assert fixed_or_kept_eager(text) == text
    after = fixed_or_kept_eager(text, unsafe=True)
    assert "# It computes with arrays of its own, which a graph does not hold" in after
    assert "self.fc(x * self.masks[0])" in after


def test_what_a_child_runs_as_its_own_keeps_nothing_eager() -> None:
    text = HEAD + SIMPLE.format(body="return self.fc(self.f(x))").replace(
        "self.drop = nn.Dropout(0.5)\n",
        "self.f = nn.HybridLambda(self.head)\n\n    def head(self, F, x):\n        return x * len(x)\n",
    )
    assert "def hybridize" not in fixed_or_kept_eager(text, unsafe=True)


def test_a_class_that_stays_eager_is_not_traced_for_each_mode() -> None:
    body = (
        "keep = 1.0\n        if autograd.is_training():\n            keep = random.random()\n"
        "        return self.fc(x) * keep"
    )
    after = fixed_or_kept_eager(HEAD + SIMPLE.format(body=body), unsafe=True)
    assert "def hybridize" in after
    assert "def forward" not in after


MIXED = """\
import random

from mxnet.gluon import HybridBlock, nn


class Mixing:
    def draw(self):
        return random.random()

    def mix(self, x, share):
        return share * x


class Net(Mixing, HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
{override}
    def hybrid_forward(self, F, x):
        return self.mix(self.fc(x), self.draw())
"""
OF_DRAWS = """
    def hybridize(self, active=True, **kwargs):
        # Each call draws anew in Python, which a graph would not: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)
"""


def test_methods_of_a_mixin_are_no_children_and_take_numbers() -> None:
    assert fixed_or_kept_eager(MIXED.format(override="")) == MIXED.format(override=OF_DRAWS)


QUEUED = """\
from mxnet.gluon import HybridBlock, nn


class Queue:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def mean(self):
        return sum(self.items) / len(self.items)


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
        self.queue = Queue()
{override}
    def hybrid_forward(self, F, x):
        y = self.fc(x)
        self.queue.push(F.BlockGrad(F.mean(y, axis=0)))
        return F.broadcast_sub(y, self.queue.mean())
"""
OF_STATE = """
    def hybridize(self, active=True, **kwargs):
        # Each call changes `self.items`, which a graph would not: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)
"""


def test_what_an_object_of_the_block_collects_and_reads() -> None:
    assert fixed_or_kept_eager(QUEUED.format(override="")) == QUEUED.format(override=OF_STATE)


COUNTED = """\
from mxnet.gluon import HybridBlock, nn


class Counted(HybridBlock):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return super().forward(x)


class Net(Counted):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
{override}
    def hybrid_forward(self, F, x):
        return self.fc(x) / self.calls
"""
OF_CALLS = """
    def hybridize(self, active=True, **kwargs):
        # Each call reads `self.calls` anew, which a graph would not: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)
"""


def test_a_count_that_the_forward_around_it_keeps() -> None:
    assert fixed_or_kept_eager(COUNTED.format(override="")) == COUNTED.format(override=OF_CALLS)


TRIMMED = """\
from mxnet.gluon import HybridBlock, nn


def trim(F, x, lengths):
    longest = int(F.max(lengths).asscalar())
    return F.slice_axis(x, axis=0, begin=0, end=longest)


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
{override}
    def hybrid_forward(self, F, x, lengths):
        return self.fc(trim(F, x, lengths))
"""
OF_DATA = """
    def hybridize(self, active=True, **kwargs):
        # Each call reads the data of its tensors, which a graph does not have: only the children are compiled.
        for child in self._children.values():
            child.hybridize(active, **kwargs)
"""


def test_a_helper_that_only_it_calls_is_no_reason_to_give_it_up() -> None:
    assert fixed_or_kept_eager(TRIMMED.format(override="")) == TRIMMED.format(override=OF_DATA)


RECURRENT = """\
class Layer(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, flatten=False)

    def hybrid_forward(self, F, x, memory):
        whole = x if memory is None else F.concat(memory, x, dim=1)
        return F.slice_like(self.fc(whole), x, axes=(1,))


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.memory = None
        self.layers = nn.HybridSequential()
        self.layers.add(Layer())
        self.out = nn.Dense(2)

    def hybrid_forward(self, F, x):
        memory = self.memory
        for layer in self.layers:
            x = layer(x, memory)
        self.memory = F.BlockGrad(x)
        return self.out(x)
"""


def test_a_part_that_gets_none_at_first_stays_eager_too() -> None:
    fixed = fixed_or_kept_eager(HEAD + RECURRENT, unsafe=True)
    assert fixed.count("def hybridize(") == 2
    assert "# Its inputs are None in some calls, and a graph takes one structure alone:" in fixed
    assert "self.layers._active = False" in fixed
