"""What a program changes of MXNet's own layers between calls."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.writer import module_changes

Prove = Callable[..., dict[str, ProofOutcome]]

NET = """
class Net(nn.HybridBlock):
    def __init__(self, units=4):
        super().__init__()
        self.fc = nn.Dense(units)
        self.drop = nn.Dropout(0.2)
        self.norm = nn.BatchNorm()

    def hybrid_forward(self, F, x):
        return self.drop(self.norm(self.fc(x)))

"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("def anneal(net, step):\n    net.drop._rate = 0.2 / step\n", "Dropout._rate is changed from 0.2 to 0.1"),
        (
            "def freeze(net):\n    for part in net._children.values():\n"
            "        if isinstance(part, nn.BatchNorm):\n            part._kwargs['use_global_stats'] = True\n",
            "BatchNorm._kwargs['use_global_stats'] is changed from False to True",
        ),
        ("class Rate:\n    def step(self, net):\n        net.drop._rate -= 0.1\n", "from 0.2 to 0.1"),
    ],
)
def test_a_setting_of_a_layer_that_is_frozen_at_the_trace_is_refuted(prove: Prove, change: str, said: str) -> None:
    outcome = prove(NET + change)["Net"]
    assert (outcome.status, outcome.variant) == (ProofStatus.REFUTED, "changed settings")
    assert (outcome.call or "").endswith(said)


@pytest.mark.parametrize(
    "change",
    [
        "",
        "def anneal(net, step):\n    net.drop._rate = 0.2 / step\n    net.hybridize()\n",
        "def made():\n    drop = nn.Dropout(0.1)\n    drop._rate = 0.3\n    return drop\n",
        "def log(meter, rate):\n    meter.rate = rate\n    meter._active = False\n",
    ],
)
def test_what_the_program_leaves_alone_is_no_setting(prove: Prove, change: str) -> None:
    outcome = prove(NET + change)["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ())


def test_stores_in_other_objects_once_they_are_made() -> None:
    layers = module_changes(
        dedent(
            """
            def train(net, step):
                net.drop._rate = 0.1
                net.options["mix"] = 1
                setattr(net.act, "_alpha", step)
                layer = nn.Dropout()
                layer._rate = 0.3
                layer._axes = ()

            class Net(nn.HybridBlock):
                def __init__(self):
                    self._set()

                def _set(self):
                    self.drop._axes = (1,)

                def grow(self):
                    self.units = 3
                    self.body._units = 4
            """
        )
    ).layers
    assert list(map(str, layers)) == ["_rate", "options['mix']", "_alpha", "_units"]
