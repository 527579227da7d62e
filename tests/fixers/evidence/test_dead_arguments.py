"""Arguments that callers do not use afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

NET = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def _shifted(self, F, x):
        x += 1
        return x

    def hybrid_forward(self, F, x):
        y = F.relu(x)
        {}
"""


def is_rebound(body: str) -> bool:
    source = SourceFile(Path("net.py"), NET.format(body))
    return "        x = x + 1\n" in fix_source(source, analyze_file, unsafe=True).source.text


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return self._shifted(F, y)", id="returned"),
        pytest.param("y = self._shifted(F, y)\n        return y * y", id="bound anew"),
        pytest.param("return self._shifted(F, y * 2) + y", id="computed in the call"),
        pytest.param("return self._shifted(F, x=F.relu(y)) + y", id="by name"),
    ],
)
def test_an_in_place_change_of_what_is_given_up_is_rewritten(body: str) -> None:
    assert is_rebound(body)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("z = self._shifted(F, y)\n        return z * y", id="used afterwards"),
        pytest.param("return self._shifted(F, y) * y", id="used beside it"),
        pytest.param("kept = [y]\n        return self._shifted(F, y) * kept[0]", id="kept in a list"),
        pytest.param("return self._shifted(F, y.reshape((0, -1))) * y", id="a view of what is used"),
        pytest.param("return self._shifted(F, *[y]) * y", id="among open arguments"),
    ],
)
def test_a_change_that_shows_elsewhere_stays(body: str) -> None:
    assert not is_rebound(body)
