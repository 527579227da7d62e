"""Returns to which only a changed setting of a block leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """
from mxnet.gluon import HybridBlock, nn


class Neck(HybridBlock):
    def __init__(self, named=False, form="list", **kwargs):
        super().__init__(**kwargs)
        self.named = bool(named)
        self._form = form
        self.dense = nn.Dense(2)

    def hybrid_forward(self, F, x):
"""


def told(body: str, behind: str = "") -> set[str]:
    """Return the severities of what is told of outputs that are no tensors."""
    text = HEAD.strip("\n") + "\n" + "".join(f"        {line}\n" for line in body.split("\n")) + behind
    found = analyze_file(SourceFile(Path("neck.py"), text))
    return {finding.severity.value for finding in found if finding.rule.code == "HYB807"}


@pytest.mark.parametrize(
    "body",
    [
        'if self.named:\n    return {"top": self.dense(x)}\nreturn self.dense(x)',
        'if not self.named:\n    return self.dense(x)\nreturn {"top": self.dense(x)}',
        'if self._form == "dict":\n    return {"top": self.dense(x)}\nelse:\n    return self.dense(x)',
        'if self.named and self._form == "list":\n    return {"top": x * 2}\nreturn x * 3',
    ],
)
def test_a_dict_that_a_setting_asks_for_which_is_off_is_not_told(body: str) -> None:
    assert told(body) == set()


@pytest.mark.parametrize(
    ("body", "behind"),
    [
        ('if not self.named:\n    return {"top": self.dense(x)}\nreturn self.dense(x)', ""),
        ('if self._form == "list":\n    return {"top": x * 2}\nreturn x * 3', ""),
        ('if self.named:\n    return {"top": self.dense(x)}\nreturn self.dense(x)', "\n\nnet = Neck(named=True)\n"),
        ('if self.named:\n    return {"top": self.dense(x)}\nreturn self.dense(x)', "\n\nnet = Neck(True)\n"),
        (
            'if self.named:\n    return {"top": self.dense(x)}\nreturn self.dense(x)',
            "\n\nnet = Neck()\nnet.named = True\n",
        ),
    ],
)
def test_one_that_is_on_or_that_the_file_turns_on_is_an_error(body: str, behind: str) -> None:
    assert told(body, behind) == {"error"}
