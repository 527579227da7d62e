"""What a call of Python or numpy draws, by the imports of the file."""

from __future__ import annotations

import pytest

from hybridlint.fixers.arithmetic.python_draws import draw_of
from hybridlint.text import cst
from tests.fixers.bodies import framed

WRITTEN = {
    "import numpy as np\nnp.random.rand(2, 3)": "F.random.uniform(shape=(2, 3))",
    "import numpy\nnumpy.random.uniform(high=3)": "F.random.uniform(high=3, shape=(1,))",
    "from numpy import random\nrandom.normal(0, 2, size=n)": "F.random.normal(loc=0, scale=2, shape=n)",
    "from random import gauss as g\ng(0, s)": "F.random.normal(loc=0, scale=s, shape=(1,))",
}
NONE = ["import numpy as np\nnp.random.beta(1, 2)", "rand(2)", "from .random import uniform\nuniform(1, 2)"]


@pytest.mark.parametrize(("text", "written"), WRITTEN.items(), ids=WRITTEN)
def test_written(text: str, written: str) -> None:
    frame = framed(text)
    call = frame.source.tree.body[-1].value  # type: ignore[attr-defined]
    draw = draw_of(frame, call)
    assert draw is not None
    assert cst.Module([]).code_for_node(draw.written(frame)) == written


@pytest.mark.parametrize("text", NONE)
def test_other_calls(text: str) -> None:
    frame = framed(text)
    assert draw_of(frame, frame.source.tree.body[-1].value) is None  # type: ignore[attr-defined]
