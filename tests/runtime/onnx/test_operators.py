"""Every operator with a translation, on every sample that stands with it: ONNX Runtime gives what the kernel gives."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator, Sample
from hybridlint.runtime.onnx import get_operator_support
from hybridlint.runtime.onnx.mx2onnx.translation import translation_of
from tests.runtime.onnx.running import assert_same, expected, inputs_of, model_of, run

CASES = [
    pytest.param(operator, number, id=f"{operator.name}-{number}")
    for operator in registry.operators()
    if translation_of(operator) is not None
    for number in range(len(operator.samples))
]
#: Samples with parameters that ONNX cannot express, and a word of the refusal.
REFUSED = {
    ("Dropout", 1): "draws random numbers",
    ("RNN", 5): "projection_size",
    ("_contrib_ROIAlign", 2): "position_sensitive",
    ("_image_normalize", 2): "uint8",
    ("_linalg_gemm2", 2): "axis",
}


def refusal(operator: Operator) -> str:
    return f"Operator {operator.name} of node .* cannot be exported to ONNX: "


@pytest.mark.parametrize(("operator", "number"), CASES)
def test_results_are_those_of_the_kernel(operator: Operator, number: int) -> None:
    sample, arrays = operator.samples[number], inputs_of(operator, number)
    reason = REFUSED.get((operator.name, number))
    if reason is not None:
        with pytest.raises(AttributeError, match=f"{refusal(operator)}.*{reason}"):
            model_of(operator, sample, arrays)
        return
    model = model_of(operator, sample, arrays)
    assert model.opset_import[0].version == 13
    assert_same(run(model, arrays), expected(operator, sample, arrays))


def exported(operator: Operator, sample: Sample, arrays: dict[str, Any]) -> Any:
    """Return the model with dynamic sizes, None if it is refused in a sentence that names operator and node."""
    try:
        return model_of(operator, sample, arrays, dynamic=True)
    except AttributeError as error:
        if not str(error).startswith(f"Operator {operator.name} of node "):
            raise
        return None


@pytest.mark.parametrize(("operator", "number"), CASES)
def test_with_all_sizes_dynamic_results_are_the_same_or_it_is_refused(operator: Operator, number: int) -> None:
    sample, arrays = operator.samples[number], inputs_of(operator, number)
    model = exported(operator, sample, arrays)
    if model is not None:
        assert_same(run(model, arrays), expected(operator, sample, arrays))


def test_most_are_written_with_dynamic_sizes() -> None:
    """So the test above does not pass by refusing."""
    refused = [
        f"{operator.name}-{number}"
        for operator, number in (case.values for case in CASES)
        if isinstance(operator, Operator) and isinstance(number, int)
        if exported(operator, operator.samples[number], inputs_of(operator, number)) is None
    ]
    assert len(refused) < len(CASES) / 10, refused


def test_the_list_names_operators_by_their_own_names() -> None:
    names = get_operator_support()
    assert {"Convolution", "RNN", "batch_dot", "LayerNorm"} <= set(names)
    assert {registry.get(name).name for name in names} == set(names)
    assert get_operator_support(opset_version=12) == []


@pytest.mark.parametrize("name", ["gamma", "_contrib_box_nms"])
def test_an_operator_without_translation_is_refused_by_name(name: str) -> None:
    operator = registry.get(name)
    with pytest.raises(AttributeError, match=f"{refusal(operator)}no translation"):
        model_of(operator, operator.samples[0], inputs_of(operator, 0))
