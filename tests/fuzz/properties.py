"""All properties, with what each is tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st

from . import computing, files, linting
from .sources import sources


@dataclass(frozen=True)
class Property:
    """What must hold, of arguments that are drawn; `share` is its part of the time, `few` its cases in the suite."""

    holds: Callable[..., Any]
    drawn: tuple[st.SearchStrategy[Any], ...]
    share: float = 1.0
    few: int = 20


_SEEDS = st.integers(0, 2**32 - 1)


@cache
def properties() -> Mapping[str, Property]:
    """Return all properties by name."""
    steps = st.integers(1, 12)
    return {
        "analyzer: never raises": Property(linting.never_raises, (sources(),), 2, 5),
        "analyzer: layout changes nothing": Property(linting.layout_changes_nothing, (sources(),)),
        "analyzer: names change nothing": Property(linting.names_change_nothing, (sources(),)),
        "fixers: parse, keep comments, once": Property(linting.fixing_is_sound, (sources(),), 2),
        "fixers: proofs agree": Property(linting.proofs_agree, (sources(0),), 2, 0),
        "runtime: every engine": Property(computing.graphs_compute_the_same, (_SEEDS, steps), 2, 2),
        "runtime: gradients are slopes": Property(computing.gradients_are_slopes, (_SEEDS, steps), 1, 40),
        "runtime: shapes are foretold": Property(
            computing.shapes_are_foretold, (st.sampled_from(computing.operators()), _SEEDS), 1, 400
        ),
        **{
            f"files: {name}": Property(files.reading_ends_in_a_sentence, (st.just(name), _SEEDS), 0.3, 60)
            for name in files.readers()
        },
    }
