"""The record of several runs, and what varies between calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint.proving.recording.child.inputs import bounds, describe_input
from hybridlint.proving.recording.child.run_record import MOST_BUILT, MOST_CALLS, RunRecord
from hybridlint.proving.recording.dimension_names import named_sizes
from hybridlint.proving.recording.file_format import read
from hybridlint.proving.recording.sources import class_digests
from hybridlint.runtime import nd

SOURCE = "class A:\n    x = 1\n\n\ndef f():\n    class B:\n        y = 2\n    return B\n"


def _call(shape: list[int], mode: str = "predict", **more: Any) -> dict[str, Any]:
    return {"inputs": {"x": {"shape": shape, "dtype": "float32", **more}}, "modes": [mode], "count": 1}


def test_calls_of_one_type_are_one() -> None:
    book = RunRecord()
    for mode, low, high in (("predict", 2, 5), ("train", 0, 3), ("predict", 1, 9)):
        book.note("a.py:A", "1", {"args": []}, _call([2, 3], mode, low=low, high=high, integers=True))
    (built,) = book.blocks["a.py:A"]["built"]
    assert built["calls"] == [
        {
            "inputs": {"x": {"shape": [2, 3], "dtype": "float32", "low": 0, "high": 9, "integers": True}},
            "modes": ["predict", "train"],
            "count": 3,
        }
    ]


def test_a_record_stays_small() -> None:
    book = RunRecord()
    for units in range(10):
        for size in range(20):
            book.note("a.py:A", "1", {"args": [str(units)]}, _call([size]))
    built = book.blocks["a.py:A"]["built"]
    assert [len(built), *(len(place["calls"]) for place in built)] == [MOST_BUILT, *[MOST_CALLS] * MOST_BUILT]


@pytest.mark.parametrize(("digest", "sizes"), [("1", [[3], [2]]), ("2", [[3]])])
def test_what_was_recorded_of_the_same_source_stays(tmp_path: Path, digest: str, sizes: list[list[int]]) -> None:
    path = str(tmp_path / "there" / "record.json")
    for source, size, key in (("1", 2, "a.py:A"), ("9", 7, "a.py:Other"), (digest, 3, "a.py:A")):
        book = RunRecord()
        book.note(key, source, {"args": []}, _call([size]))
        book.save(path)
    blocks = read(path)
    assert set(blocks) == {"a.py:A", "a.py:Other"}
    assert blocks["a.py:A"]["source"] == digest
    assert [call["inputs"]["x"]["shape"] for call in blocks["a.py:A"]["built"][0]["calls"]] == sizes
    assert not [p.name for p in Path(path).parent.iterdir() if p.name != "record.json"]


def test_a_file_of_another_version_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps({"version": 0, "blocks": {"a.py:A": {}}}), encoding="utf-8")
    assert read(str(path)) == {}


def test_sizes_that_vary_together_have_one_name() -> None:
    calls = [
        {"inputs": {"x": _spec(b, t, 4), "states": {"list": [_spec(2, b, 8), _spec(t)]}, "scale": {"expression": "2"}}}
        for b, t in ((8, 5), (3, 5), (8, 9))
    ]
    inputs, rounds = named_sizes(calls)
    assert inputs == {
        "x": _spec("N", "T", 4),
        "states": {"list": [_spec(2, "H", 8), _spec("T")]},
        "scale": {"expression": "2"},
    }
    assert rounds == [{"N": 8, "T": 5, "H": 8}, {"N": 3, "T": 5, "H": 3}, {"N": 8, "T": 9, "H": 8}]


def test_a_batch_that_never_varied_is_a_batch() -> None:
    inputs, rounds = named_sizes([{"inputs": {"x": _spec(4, 4), "y": _spec(4), "z": _spec(5, 4)}}])
    assert inputs == {"x": _spec("N", 4), "y": _spec("N"), "z": _spec(5, 4)}
    assert rounds == [{"N": 4}]


def _spec(*shape: int | str) -> dict[str, Any]:
    return {"shape": list(shape), "dtype": "float32"}


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([3, 0, 7], {"low": 0, "high": 8, "integers": True}),
        ([0.123456, 9.87654], {"low": 0.12, "high": 9.9}),
        ([-0.5, 2.0], {}),
        ([1.0, 1.0], {}),
        ([0.0, np.nan], {}),
        ([], {}),
    ],
)
def test_ranges(values: list[float], found: dict[str, Any]) -> None:
    assert bounds(np.array(values, "float32")) == found


def test_inputs_of_all_kinds() -> None:
    assert describe_input([nd.array([1, 0], dtype="int32"), None, {"a": 1}], look=True) == {
        "list": [
            {"shape": [2], "dtype": "int32", "low": 0, "high": 2, "integers": True},
            {"expression": "None"},
            {"unknown": "a dict"},
        ]
    }
    assert describe_input(nd.ones((2, 3)), look=False) == _spec(2, 3)


def test_digests_follow_the_code_alone() -> None:
    first = class_digests(SOURCE)
    assert set(first) == {"A", "f.<locals>.B"}
    assert class_digests(f"import os\n{SOURCE}".replace("x = 1", "x = 1\n    # why\n\n")) == first
    changed = class_digests(SOURCE.replace("y = 2", "y = 3"))
    assert (changed["A"] == first["A"], changed["f.<locals>.B"] == first["f.<locals>.B"]) == (True, False)
    assert class_digests("class A(\n") == {}
