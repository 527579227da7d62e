"""Keys of subscripts in numpy mode, and what a Symbol raises for them on the real MXNet 1.9.1."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.mxnet.operators.keys import is_lone_last, refusal
from hybridlint.analysis.syntax.keys import key_of
from hybridlint.text.source import SourceFile

HEAD = """\
import numpy as np
import mxnet as mx
from mxnet.gluon import HybridBlock

mx.npx.set_np()
KEY = (Ellipsis, 0)


class Net(HybridBlock):
    def hybrid_forward(self, F, x, y):
        e, t = Ellipsis, (0, -1)
"""

#: A key -> the exception that a Symbol raises for it while it is traced; None: it takes it.
MEASURED = {
    **dict.fromkeys(("0", "-2", "0:1", "::-1", "0, -1", "-1,", "(-1, 0)", "t", "slice(0, 1)", "np.s_[0, 1]"), None),
    **dict.fromkeys(("np.int64(1)", "(*t,)"), None),
    **dict.fromkeys(("None", "np.newaxis", ":, mx.np.newaxis", "...", "e", "Ellipsis, 0", "KEY"), "IndexError"),
    **dict.fromkeys(("np.s_[..., 0]", "np.index_exp[None, 0]"), "IndexError"),
    **dict.fromkeys(("[0, 1]", ":, (0, 1)", "(0, 1), 0", "y.astype('int32')", "range(2)", "x > 0"), "IndexError"),
    **dict.fromkeys(("True", "1 > 0", "True, 0", "0:True", "0:y", "y:"), "MXNetError"),
}


def _subscript(key: str) -> Subscript:
    events = module_events(SourceFile(Path("net.py"), f"{HEAD}        return F.np.exp(x)[{key}]\n"))
    return [event for event in events if isinstance(event, Subscript)][-1]


@pytest.mark.parametrize("key", MEASURED)
def test_what_a_symbol_raises(key: str) -> None:
    event = _subscript(key)
    assert isinstance(event.node, ast.Subscript)
    assert refusal(key_of(event.node.slice, event.key_values)) == MEASURED[key]


@pytest.mark.parametrize("key", ["-1", "np.int64(-1)", "~0", "-1,", "-2"])
def test_the_last_row_alone(key: str) -> None:
    event = _subscript(key)
    assert isinstance(event.node, ast.Subscript)
    assert is_lone_last(key_of(event.node.slice, event.key_values)) == (key not in {"-1,", "-2"})
