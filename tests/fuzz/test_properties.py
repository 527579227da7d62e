"""Each property on a few cases that are the same in every run; ``python -m tests.fuzz`` tries many others."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="the properties need hypothesis")

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .properties import properties


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, each in properties().items() if each.few])
def test_it_holds(name: str) -> None:
    each = properties()[name]

    @settings(
        max_examples=each.few,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(st.tuples(*each.drawn))
    def case(arguments: tuple[object, ...]) -> None:
        each.holds(*arguments)

    case()
