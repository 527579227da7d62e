"""What runs have shown of layers."""

from __future__ import annotations

from hybridlint.converting.facts import LayerSeen, SeenAtPlace


def _seen(*sizes: int) -> SeenAtPlace:
    return SeenAtPlace([LayerSeen("LayerNorm", size, [[2, size]], {}, 0, of_input=False, told=False) for size in sizes])


def _of_loop(*seen: tuple[int, int, int, int]) -> SeenAtPlace:
    """Return layers of a loop: the number of the layer, its size, a width, and the run."""
    return SeenAtPlace(
        [
            LayerSeen("LSTMCell", size, [[2, size]], {"i": i, "width": width}, run, of_input=False, told=False)
            for i, size, width, run in seen
        ]
    )


def test_the_first_layer_of_a_loop_has_another_size_than_those_after_it() -> None:
    seen = _of_loop((0, 3, 8, 0), (1, 8, 8, 0), (2, 8, 8, 0), (0, 3, 16, 1), (1, 16, 16, 1), (2, 16, 16, 1))
    assert seen.first_size() == "3 if i == 0 else width"


def test_the_most_axes_of_an_input_are_those_of_any_run() -> None:
    layers = [LayerSeen("Dense", 4, [shape], {}, 0, of_input=False, told=False) for shape in ([2, 4], [2, 3, 4])]
    assert (SeenAtPlace(layers).rank, SeenAtPlace(layers).most_axes) == (None, 3)


def test_a_size_of_all_blocks_is_taken_from_a_run() -> None:
    assert _seen(4, 4).first_size() == "4"


def test_blocks_of_several_widths_have_no_size_in_common() -> None:
    assert _seen(4, 7).first_size() is None
