"""Layers, containers, parameters and initial values, without a run."""

from __future__ import annotations

import textwrap

import pytest

from tests.converting.bodies import converted, converted_start, module_text

STARTS = {
    "a layer": ("self.a = nn.Dense(4, in_units=3)", "self.a = nn.Linear(3, 4)"),
    "a size that a run would show": ("self.a = nn.Dense(units)", "self.a = nn.LazyLinear(units)"),
    "a convolution": (
        "self.a = nn.Conv2D(8, (3, 3), strides=(2, 2), padding=(1, 1), use_bias=False, in_channels=4)",
        "self.a = nn.Conv2d(4, 8, kernel_size=3, stride=2, padding=1, bias=False)",
    ),
    "pooling": ("self.a = nn.MaxPool2D(2, 2)", "self.a = nn.MaxPool2d(2)"),
    "pooling by other strides": ("self.a = nn.AvgPool2D(3, 2, 1)", "self.a = nn.AvgPool2d(3, stride=2, padding=1)"),
    "normalization": (
        "self.a = nn.BatchNorm(momentum=0.95, epsilon=1e-3, in_channels=8)",
        "self.a = nn.BatchNorm2d(8, eps=1e-3, momentum=0.05)",
    ),
    "a fixed scale": (
        "self.a = nn.BatchNorm(scale=False, in_channels=8)",
        "self.a = nn.BatchNorm2d(8)\nself.a.weight.requires_grad_(False)",
    ),
    "a container": (
        "self.a = nn.HybridSequential()\nself.a.add(nn.Dense(4, in_units=3, activation='relu'))\n"
        "self.a.add(nn.Dense(2, in_units=4))  # scores",
        "self.a = nn.Sequential(\n    nn.Linear(3, 4),\n    nn.ReLU(),\n    nn.Linear(4, 2),  # scores\n)",
    ),
    "a short container": (
        "self.a = nn.HybridSequential()\nself.a.add(nn.Flatten(), nn.Dropout(0.5))",
        "self.a = nn.Sequential(nn.Flatten(), nn.Dropout(0.5))",
    ),
    "a loop": (
        "self.a = nn.HybridSequential()\nfor _ in range(3):\n    self.a.add(nn.Dense(4, in_units=4))",
        "self.a = nn.Sequential()\nfor _ in range(3):\n    self.a.append(nn.Linear(4, 4))",
    ),
    "a scope": (
        "with self.name_scope():\n    # the only one\n    self.a = nn.Embedding(5, 6)",
        "# the only one\nself.a = nn.Embedding(5, 6)",
    ),
    "a parameter": (
        "self.a = self.params.get('a', shape=(units, 3), init=mx.init.Xavier())",
        "self.a = nn.Parameter(torch.empty(units, 3))\nnn.init.xavier_uniform_(self.a)",
    ),
    "a constant": (
        "self.a = self.params.get_constant('a', nd.arange(units))",
        'self.register_buffer("a", torch.arange(units, dtype=torch.float32))',
    ),
    "initial values": (
        "self.a = nn.Dense(4, in_units=3, weight_initializer=mx.init.Normal(0.02))",
        "self.a = nn.Linear(3, 4)\nnn.init.normal_(self.a.weight, std=0.02)",
    ),
    "initial values of a layer in a container": (
        "self.a = nn.HybridSequential()\nself.a.add(nn.Dense(4, in_units=3, weight_initializer='zeros'))",
        "self.a = nn.Sequential(nn.Linear(3, 4))\nnn.init.zeros_(self.a[0].weight)",
    ),
    "a recurrent layer": (
        "self.a = rnn.LSTM(8, num_layers=2, layout='NTC', bidirectional=True, input_size=3)",
        "self.a = nn.LSTM(3, 8, num_layers=2, batch_first=True, bidirectional=True)",
    ),
    "a weight of another layer": (
        "self.a = nn.Embedding(5, 6)\nself.b = nn.Dense(5, in_units=6, params=self.a.params)",
        "self.a = nn.Embedding(5, 6)\nself.b = nn.Linear(6, 5)\nself.b.weight = self.a.weight",
    ),
    "frozen parameters": (
        "self.a = nn.Embedding(5, 6)\nself.a.collect_params().setattr('grad_req', 'null')",
        "self.a = nn.Embedding(5, 6)\nself.a.requires_grad_(False)",
    ),
    "an initializer that has a name": (
        "init = mx.init.Normal(0.02)\nself.a = nn.Dense(4, in_units=3, weight_initializer=init)",
        "self.a = nn.Linear(3, 4)\nnn.init.normal_(self.a.weight, std=0.02)",
    ),
    "a lazy layer in a container": (
        "self.a = nn.HybridSequential()\nself.a.add(nn.Flatten(), nn.Dense(4, weight_initializer='zeros'))",
        "self.a = nn.Sequential(\n    nn.Flatten(),\n    # After a first run: nn.init.zeros_(self.a[1].weight)\n"
        "    nn.LazyLinear(4),\n)",
    ),
    "an activation that is an argument": (
        "self.a = nn.Activation(units)",
        "self.a = activation_layer(units)",
    ),
}


def test_constructors() -> None:
    wrong = {}
    for name, (before, after) in STARTS.items():
        got = converted_start(before)
        if got != after:
            wrong[name] = got
    assert wrong == {}


CLASSES = {
    "gluon.loss.SoftmaxCELoss(axis=1, from_logits=True)": "SoftmaxCELoss(dim=1, from_logits=True)",
    "nn.BatchNorm(use_global_stats=True, in_channels=8)": "FixedBatchNorm(8)",
    "rnn.SequentialRNNCell()": "SequentialCell()",
}


@pytest.mark.parametrize("before", CLASSES)
def test_what_pytorch_lacks_is_a_class_of_the_new_module(before: str) -> None:
    text = converted(module_text(start=f"self.a = {before}")).text
    assert f"        self.a = {CLASSES[before]}\n" in text
    assert f"\nclass {CLASSES[before].partition('(')[0]}(" in text


def test_what_a_layer_does_besides_is_done_by_its_call() -> None:
    text = module_text("return self.a(x)", "self.a = nn.Dense(4, in_units=3, activation='relu')")
    assert "return F.relu(self.a(x))" in converted(text).text


def test_a_recurrent_layer_returns_its_states() -> None:
    text = module_text("h = self.a(x)\nreturn self.a(h)", "self.a = rnn.GRU(8, input_size=8)")
    assert "        h, _ = self.a(x)\n        return self.a(h)[0]\n" in converted(text).text


def test_arguments_that_name_blocks_are_left_out() -> None:
    text = module_text().replace("units=4, **kwargs", "units=4, prefix=None, params=None, **kwargs")
    text = text.replace("super().__init__(**kwargs)", "super(Net, self).__init__(prefix=prefix, params=params)")
    assert "    def __init__(self, units=4):\n        super().__init__()\n" in converted(text).text


def test_what_no_block_needs_is_left_out() -> None:
    text = (
        module_text() + "\n\nLIMIT = 3\n\n\ndef train(net):\n    trainer = gluon.Trainer(net.collect_params(), 'sgd')\n"
    )
    module = converted(text)
    assert [(each.owner, each.reason) for each in module.left_out] == [("train", "no block needs it")]
    assert "Trainer" not in module.text


def test_a_container_that_is_never_called_is_a_list() -> None:
    start = "self.a = nn.HybridSequential()\nself.a.add(nn.Dense(4, in_units=3), nn.Dense(4, in_units=3))"
    text = converted(module_text("return [layer(x) for layer in self.a]", start)).text
    assert "        self.a = nn.ModuleList([nn.Linear(3, 4), nn.Linear(3, 4)])\n" in text
    text = converted(module_text("return self.a(x) if y else self.a[0](x)", start)).text
    assert "        self.a = nn.Sequential(nn.Linear(3, 4), nn.Linear(3, 4))\n" in text


def test_constants_of_one_statement_are_kept() -> None:
    module = converted(f"LOW, HIGH = 0, 6\nDEPTH: int = 3\n{module_text('return F.clip(x, LOW, HIGH) * DEPTH')}")
    assert "LOW, HIGH = 0, 6\n" in module.text
    assert "DEPTH: int = 3\n" in module.text


def test_a_container_may_be_an_argument() -> None:
    text = converted(
        f"{module_text()}\n\ndef extend(out, units, flat):\n    out.add(nn.Flatten() if flat else Net())\n"
    ).text
    assert "    out.append(nn.Flatten() if flat else Net())\n" in text


def test_an_attribute_may_have_the_name_of_a_module() -> None:
    module = converted(module_text("return self.rnn(x)", "self.rnn = rnn.LSTM(8, input_size=3)"))
    assert not module.problems
    assert "self.rnn = nn.LSTM(3, 8)\n" in module.text


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("self.a = nn.Dense(1, None, True, True, 'float32', None, 'zeros', 3, 4)", "one argument too many"),
        ("self.a = nn.BatchNorm(use_global_stats=True)", "depends on the inputs"),
    ],
)
def test_a_layer_without_counterpart_is_named(start: str, reason: str) -> None:
    (problem,) = converted(module_text(start=start)).problems
    assert reason in problem.reason


def test_a_step_of_a_cell_is_a_statement() -> None:
    start = "self.a = rnn.LSTMCell(8, input_size=3)\nself.b = rnn.GRUCell(8, input_size=8)"
    body = "h, states = self.a(x, [y, y])\nz, [s] = self.b(h, [y])\nreturn z, states"
    text = converted(module_text(body, start)).text
    forward = "states = self.a(x, (y, y))\nh = states[0]\nz = self.b(h, y)\ns = z\n"
    assert textwrap.indent(forward, "        ") in text


def test_a_cell_is_unrolled_by_a_function() -> None:
    body = "h, _ = self.a.unroll(5, x, layout='NTC', merge_outputs=True)\nreturn h"
    text = converted(module_text(body, "self.a = rnn.LSTMCell(8, input_size=3)")).text
    assert "        h, _ = unroll(self.a, x)\n" in text
    assert text.count("def unroll(") == 1


def test_a_loss_of_each_example_is_a_class_of_the_new_module() -> None:
    text = converted(module_text("return self.a(x, y)", "self.a = gluon.loss.L2Loss()")).text
    assert "        self.a = L2Loss()\n" in text
    assert "        loss = 0.5 * (pred - label.reshape(pred.shape)).square()\n" in text


def test_a_parameter_whose_shape_is_open_is_refused() -> None:
    text = module_text(start="self.a = self.params.get('a', shape=(4, size), allow_deferred_init=True)")
    (problem,) = converted(text.replace("units=4,", "size=0,")).problems
    assert problem.reason == "a parameter whose shape follows from the inputs: write its sizes"


#: The bases of layers of the module's own, and the arguments of their `hybrid_forward`.
DERIVED = {"nn.Conv2D": "x, weight, bias=None", "rnn.HybridRecurrentCell": "x, states"}


@pytest.mark.parametrize(("base", "arguments"), DERIVED.items())
def test_a_layer_that_derives_from_one_of_mxnet_raises_where_it_is_built(base: str, arguments: str) -> None:
    head, _, net = module_text("return self.fc(x)", "self.fc = Wide(4)").partition("class Net")
    layer = f"class Wide({base}):\n    def hybrid_forward(self, F, {arguments}):\n        return x\n"
    module = converted(f"{head}{layer}\n\nclass Net{net}")
    reason = f"`{base}` as a base class has no counterpart"
    assert [(problem.owner, problem.reason) for problem in module.problems] == [("Wide", reason)]
    written = module.text.partition("class Wide(nn.Module):\n")[2].partition("\n\n\n")[0]
    error = f"raise NotImplementedError('line {module.problems[0].row}: {reason}')"
    assert written == f"    def __init__(self, *args, **kwargs):\n        {error}"
