"""What runs have shown of layers."""

from __future__ import annotations

from hybridlint.converting.facts import LayerSeen, SeenAtPlace


def _seen(*sizes: int) -> SeenAtPlace:
    return SeenAtPlace([LayerSeen("LayerNorm", size, [[2, size]], {}, 0, of_input=False, told=False) for size in sizes])


def test_a_size_of_all_blocks_is_taken_from_a_run() -> None:
    assert _seen(4, 4).first_size() == "4"


def test_blocks_of_several_widths_have_no_size_in_common() -> None:
    assert _seen(4, 7).first_size() is None
