"""What was measured of gluoncv's zoo: how it is judged, and that it still holds where gluoncv is installed."""

from __future__ import annotations

import importlib.util
from copy import deepcopy
from typing import Any

import pytest

from . import answers, gluoncv_models, judge, page, zoo_table
from .answers import Verdict

KNOWN = answers.load()
TRACED = {
    name: model for name, model in KNOWN.items() if answers.verdict(model) not in {Verdict.NEITHER, Verdict.UNDECIDED}
}
_OUTPUT = {"shape": [2], "dtype": "float32", "mean": 1.5, "norm": 5.0, "largest": 4.0, "elements": [-1.0, 4.0]}


def _output(**changes: Any) -> list[dict[str, Any]]:
    return [{**deepcopy(_OUTPUT), **changes}]


def test_distance_is_relative_to_the_largest_element() -> None:
    assert answers.distance(_output(), _output()) == 0
    assert answers.distance(_output(elements=[-1.0, 4.4]), _output()) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "other", [_output() * 2, _output(shape=[1, 2]), _output(dtype="float16"), _output(mean=float("nan"))]
)
def test_other_outputs_are_infinitely_far(other: list[dict[str, Any]]) -> None:
    assert answers.distance(other, _output()) == float("inf")


def _model(**here: Any) -> dict[str, Any]:
    return {"mxnet": {"eager": _output()}, "here": {"eager": 1e-7, "hybridized": 1e-7, "imported": 1e-7, **here}}


def test_verdicts() -> None:
    assert answers.verdict(_model()) is Verdict.SAME
    assert answers.verdict(_model(imported=1e-3)) is Verdict.DIFFERS
    assert answers.verdict({**_model(), "exchanged": 1e-3}) is Verdict.DIFFERS
    assert answers.verdict(_model(failed="export")) is Verdict.FAILS
    assert answers.verdict({**_model(), "mxnet": {"failed": "build"}}) is Verdict.NEITHER
    restless = {"eager": _output(), "hybridized": _output(mean=1.6)}
    assert answers.verdict({**_model(hybridized=1e-3), "mxnet": restless}) is Verdict.UNDECIDED


def test_most_of_what_mxnet_traces_is_the_same_here() -> None:
    same = [name for name, model in TRACED.items() if answers.verdict(model) is Verdict.SAME]
    assert len(same) >= 0.95 * len(TRACED)


def test_no_model_takes_twice_the_memory_of_mxnet() -> None:
    measured = [(name, model) for name, model in TRACED.items() if "megabytes" in model["here"]]
    assert [name for name, model in measured if model["here"]["megabytes"] > 2 * model["mxnet"]["megabytes"]] == []


def test_answers_are_those_to_the_inputs_of_today() -> None:
    answered = {name: [tuple(shape) for shape in model["inputs"]] for name, model in TRACED.items()}
    assert answered == {name: gluoncv_models.inputs(name) for name in TRACED}


@pytest.mark.skipif(not page.PAGE.exists(), reason="runs in a checkout only")
def test_the_page_is_up_to_date() -> None:
    up_to_date = zoo_table.text(KNOWN).strip() in page.PAGE.read_text(encoding="utf-8")
    assert up_to_date, "docs/projects.md is old: `python -m tests.projects.zoo_table` writes it anew"


@pytest.mark.skipif(importlib.util.find_spec("gluoncv") is None, reason="gluoncv is not installed")
@pytest.mark.parametrize("name", ["mobilenet0.25", "cifar_resnet20_v2", "ssd_300_mobilenet0.25_voc"])
def test_models_give_what_they_gave_on_mxnet(name: str) -> None:
    found = judge.again(name, KNOWN[name]["mxnet"], seconds=120)
    assert answers.worst(found) < answers.NEAR
