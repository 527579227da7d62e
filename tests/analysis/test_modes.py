"""Operators that act by the mode are told in a scope of autograd, whatever their names are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

TEXT = """from mxnet import autograd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x, g, b, m, v):
        with autograd.train_mode():
            y = F.{call}
        return y
"""


def _codes(call: str) -> set[str]:
    return {finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), TEXT.format(call=call)))}


@pytest.mark.parametrize(
    "call",
    [
        "BatchNorm(x, g, b, m, v)",
        "BatchNorm_v1(x, g, b, m, v)",
        "contrib.BatchNormWithReLU(x, g, b, m, v)",
        'contrib.SyncBatchNorm(x, g, b, m, v, key="k")',
        "Dropout(x)",
        "Dropout(x, p=g)",
        'LeakyReLU(x, act_type="rrelu")',
        'RNN(x, g, b, state_size=2, num_layers=1, mode="rnn_relu", p=0.5)',
    ],
)
def test_what_acts_by_the_mode_is_told(call: str) -> None:
    assert "HYB606" in _codes(call)


@pytest.mark.parametrize(
    "call",
    [
        "BatchNorm(x, g, b, m, v, use_global_stats=True)",
        'contrib.SyncBatchNorm(x, g, b, m, v, key="k", use_global_stats=True)',
        "LayerNorm(x, g, b)",
        "Dropout(x, p=0)",
        'Dropout(x, mode="always")',
        'LeakyReLU(x, act_type="elu")',
        'RNN(x, g, b, state_size=2, num_layers=1, mode="rnn_relu")',
    ],
)
def test_what_does_the_same_in_either_mode_is_not(call: str) -> None:
    assert "HYB606" not in _codes(call)
