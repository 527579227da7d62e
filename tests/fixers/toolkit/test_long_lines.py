"""Lines that were too long before a fix, which hardly lengthens them: their author left them so."""

from __future__ import annotations

from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x, y):\n"
LONG = "        return F.concat(*[each.reshape(0, -1, self.channels) for each in [x, y]], dim=1) + self.bias_of_all\n"
SHORT = "        return F.concat(*[each.reshape(0, -1, self.channels) for each in [x, y]], dim=1)\n"


def _fixed(text: str) -> str:
    return fix_source(SourceFile(Path("/nowhere/net.py"), HEAD + text), analyze_file, unsafe=False).source.text


def test_a_line_that_was_too_long_stays_one_line() -> None:
    assert _fixed(LONG) == HEAD + LONG.replace("(0, -1, self.channels)", "((0, -1, self.channels))")


def test_a_line_that_a_fix_makes_too_long_is_laid_out() -> None:
    assert max(map(len, _fixed(SHORT).splitlines())) <= 88
