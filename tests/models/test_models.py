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


def strays(name: str, found: Mapping[str, Any]) -> dict[str, float]:
    expected = ANSWERS[name]["arrays"]
    assert set(found) == set(expected)
    apart = {key: goldens.distance(expected[key], goldens.summarize(array)) for key, array in found.items()}
    return {key: gap for key, gap in apart.items() if not gap < 1e-4}


@every_mode
@every_model
def test_outputs_gradients_and_statistics(name: str, mode: str) -> None:
    case = architectures.CASES[name]
    assert not strays(name, scenario.outputs_and_gradients(mx, scenario.build(mx, case, mode), case))


@pytest.mark.parametrize("optimizer", scenario.OPTIMIZERS)
@every_model
def test_twenty_steps(name: str, optimizer: str) -> None:
    case = architectures.CASES[name]
    losses = scenario.losses(mx, scenario.build(mx, case, "hybridized"), case, optimizer)
    np.testing.assert_allclose(losses, ANSWERS[name]["losses"][optimizer], rtol=1e-3)


@every_model
def test_files_are_those_of_mxnet_to_the_byte(name: str, tmp_path: Path) -> None:
    scenario.write_files(mx, architectures.CASES[name], tmp_path)
    assert goldens.digests(tmp_path) == ANSWERS[name]["files"]


@every_model
def test_files_come_back_as_the_same_model(name: str, tmp_path: Path) -> None:
    case = architectures.CASES[name]
    scenario.write_files(mx, case, tmp_path)
    for net in (scenario.imported(mx, case, tmp_path), scenario.loaded(mx, case, tmp_path)):
        assert not strays(name, scenario.outputs_and_gradients(mx, net, case))
