"""Whole models compute, train and are written as the real MXNet does all three."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx

from . import architectures, goldens, scenario

ANSWERS = json.loads(goldens.ANSWERS.read_text())

every_model = pytest.mark.parametrize("name", architectures.CASES)
every_mode = pytest.mark.parametrize("mode", scenario.MODES)


def strays(name: str, found: Mapping[str, Any], dtype: str) -> dict[str, float]:
    expected = ANSWERS[name]["arrays"]
    apart = {key: goldens.distance(expected[key], goldens.summarize(array)) for key, array in found.items()}
    return {key: gap for key, gap in apart.items() if not gap < goldens.NEAR[dtype]}


@every_mode
@every_model
def test_outputs_gradients_and_statistics(name: str, mode: str) -> None:
    case = architectures.CASES[name]
    found = scenario.outputs_and_gradients(mx, scenario.build(mx, case, mode, case.dtype), case, case.dtype)
    assert set(found) == set(ANSWERS[name]["arrays"])
    assert not strays(name, found, case.dtype)


@every_mode
@every_model
def test_single_precision_strays_by_its_rounding_alone(name: str, mode: str) -> None:
    case = architectures.CASES[name]
    found = scenario.outputs_and_gradients(mx, scenario.build(mx, case, mode), case)
    assert {array.dtype.name for array in found.values()} == {"float32"}
    assert not strays(name, goldens.continuous(found, case), "float32")


@pytest.mark.parametrize("optimizer", scenario.OPTIMIZERS)
@every_model
def test_twenty_steps(name: str, optimizer: str) -> None:
    case = architectures.CASES[name]
    losses = scenario.losses(mx, case, optimizer)
    np.testing.assert_allclose(losses, ANSWERS[name]["losses"][optimizer], rtol=goldens.NEAR_LOSSES[case.dtype])


@every_model
def test_files_are_those_of_mxnet_to_the_byte(name: str, tmp_path: Path) -> None:
    scenario.write_files(mx, architectures.CASES[name], tmp_path)
    assert goldens.digests(tmp_path) == ANSWERS[name]["files"]


@every_model
def test_files_come_back_as_the_same_model(name: str, tmp_path: Path) -> None:
    case = architectures.CASES[name]
    scenario.write_files(mx, case, tmp_path)
    for net in (scenario.imported(mx, case, tmp_path), scenario.loaded(mx, case, tmp_path)):
        assert not strays(name, scenario.outputs_and_gradients(mx, net, case, case.dtype), case.dtype)
