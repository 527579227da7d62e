"""What parts that read sizes may ask of their reader."""

from __future__ import annotations

from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.evidence.sizes.size_reader import SizeReader
from tests.fixers.bodies import met


def test_a_reader_goes_on_in_the_same_function_or_in_another() -> None:
    reader: SizeReader = SizeInference(met("z = x.shape[0]\nreturn x * z"), guess=True)
    other = met("return x * x.shape[0]")
    assert (reader.deeper.depth, reader.deeper.frame) == (1, reader.frame)
    there = reader.deeper.within(other, {"x": 3}, deeper=2)
    assert (there.depth, there.guess, there.ranks) == (3, True, {"x": 3})
    assert there.frame is other
