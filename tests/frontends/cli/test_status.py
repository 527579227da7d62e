"""``status``: how ready blocks are, as a table, as data and as a page."""

from __future__ import annotations

import json

from .conftest import CommandLine

MODEL = """\
from mxnet import nd
from mxnet.gluon import Block, HybridBlock, nn


class Clean(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x)


class Fixable(HybridBlock):
    # hybridlint: shapes(x=("N", 3))
    def hybrid_forward(self, F, x):
        return nd.relu(x[0])


class Person(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.array(x.asnumpy())


class Plain(Block):
    def forward(self, x):
        return nd.relu(x)


class Partly(Block):
    def forward(self, x):
        return nd.relu(x) if x.ndim > 2 else x


class Never(Block):
    def forward(self, x):
        return nd.array(sorted(x.asnumpy().tolist()))


def network():
    net = nn.Sequential()
    net.add(nn.Dense(2))
    return net
"""
STATES = {
    "Clean": "hybrid and clean",
    "Fixable": "hybrid, fixable",
    "Person": "hybrid, needs a person",
    "Plain": "convertible",
    "Partly": "convertible in part",
    "Never": "not convertible",
    "network": "convertible",
}


def test_states(cli: CommandLine) -> None:
    path = cli.write("model.py", MODEL)
    outcome = cli("status", "--output-format", "json")
    assert outcome.status == 1
    told = json.loads(outcome.out)
    assert {each["block"]: each["state"] for each in told} == STATES
    rows = {each["block"]: each["reason"]["row"] for each in told if each["reason"] is not None}
    assert rows == {"Fixable": 13, "Person": 18, "Partly": 28, "Never": 33}
    assert path.read_text(encoding="utf-8") == MODEL


def test_the_table_and_the_page(cli: CommandLine) -> None:
    cli.write("model.py", MODEL)
    outcome = cli("status", "--report", "status.html", "--exit-zero", "model.py")
    assert outcome.status == 0
    said, steps = outcome.out.split("14 % of 7 blocks are ready.\n")
    assert said
    assert steps.splitlines() == [
        "Repair 1 with `hybridlint check --fix`.",
        "Convert 2, with a proof of each, by `hybridlint hybridize --fix`.",
    ]
    page = (cli.folder / "status.html").read_text(encoding="utf-8")
    assert all(f"<td>{block}</td>" in page and state in page for block, state in STATES.items())


def test_unsafe_fixes_are_asked_for_only_where_a_repair_needs_them(cli: CommandLine) -> None:
    chosen = "if x.sum() > 0:\n            x = F.relu(x)\n        return x * 2"
    cli.write("model.py", MODEL.replace("return nd.relu(x[0])", chosen))
    assert "Repair 1 with `hybridlint check --fix --unsafe-fixes`.\n" in cli("status").out


def test_one_block_is_told_as_one(cli: CommandLine) -> None:
    cli.write("model.py", MODEL.partition("class Fixable")[0])
    assert cli("status").out.endswith("1 hybrid and clean. 100 % of 1 block is ready.\n")


def test_nothing_to_tell(cli: CommandLine) -> None:
    cli.write("empty.py", "x = 1\n")
    assert cli("status").out == "No blocks found.\n"


def test_a_file_that_is_no_python_is_told(cli: CommandLine) -> None:
    cli.write("model.py", MODEL.partition("class Fixable")[0])
    cli.write("broken.py", "from mxnet.gluon import HybridBlock\nclass Net(HybridBlock:\n")
    outcome = cli("status")
    assert outcome.status == 2
    assert "1 of 1 block" in outcome.out or "1 block is ready" in outcome.out
    assert outcome.err.startswith("broken.py: it was left out, as it is no Python: ")


def test_metrics_and_other_classes_of_gluon_are_no_blocks(cli: CommandLine) -> None:
    cli.write(
        "metric.py",
        """
try:
    from mxnet.metric import EvalMetric
except ImportError:
    from mxnet.gluon.metric import EvalMetric
from mxnet import gluon
from mxnet.gluon.contrib.estimator import BatchEnd


class Accuracy(EvalMetric):
    def update(self, labels, preds):
        self.sum_metric += 1


class Frozen(gluon.Constant):
    pass


class Trained(gluon.Trainer, BatchEnd):
    pass
""",
    )
    assert cli("status").out == "No blocks found.\n"
