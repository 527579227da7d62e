"""Names, inputs and parameters of operators are those of the real MXNet, as far as its facts are at hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from hybridlint.runtime import registry
from hybridlint.runtime.registry import Operator

FACTS = Path(__file__).resolve().parents[3].parent / "shared" / "mxnet" / "api.json"
ANNOTATIONS = {"int", "float", "bool", "str", "Ints", "Floats", "Pairs", "Axes", "Bounds", "Dtype"}

#: MXNet describes linspace by the parameters of arange, which it does not accept.
MISDESCRIBED = {"_linspace"}
#: Of these it leaves the auxiliary states out.
WITHOUT_STATES = {"BatchNorm_v1", "IdentityAttachKLSparseReg"}
#: Parameters that it reads and does not describe.
UNDESCRIBED = {"_linalg_potrf": {"lower"}, "_linalg_potri": {"lower"}}

pytestmark = pytest.mark.skipif(not FACTS.exists(), reason="the facts about the real MXNet are not beside this project")


def operators() -> list[Operator]:
    return [op for op in registry.operators() if not op.internal]


def facts() -> dict[str, Any]:
    return json.loads(FACTS.read_text()) if FACTS.exists() else {}


DESCRIBED: dict[str, Any] = facts().get("d_operators", {})
ALL_NAMES = {*DESCRIBED, *facts().get("d_operator_list_all", ())}


@pytest.mark.parametrize("operator", operators(), ids=lambda op: op.name)
def test_operator_exists_in_mxnet(operator: Operator) -> None:
    assert operator.name in ALL_NAMES


@pytest.mark.parametrize("operator", [op for op in operators() if op.name in DESCRIBED], ids=lambda op: op.name)
def test_aliases(operator: Operator) -> None:
    described = {a for a in DESCRIBED[operator.name]["aliases"] if not a.startswith("_np")}
    ours = {a for a in operator.aliases if not a.startswith("_np")}
    assert ours == described


@pytest.mark.parametrize("operator", [op for op in operators() if op.name in DESCRIBED], ids=lambda op: op.name)
def test_inputs_and_parameters(operator: Operator) -> None:
    if operator.name in MISDESCRIBED:
        pytest.skip("MXNet's own description is wrong")
    described = DESCRIBED[operator.name]
    variadic = {"num_args", "num_arrays", "num_weights"} if operator.variadic else set()
    inputs = [n for n in operator.inputs if operator.name not in WITHOUT_STATES or n not in operator.aux]
    assert inputs == [i["name"] for i in described["inputs"]]
    params = [p for p in described["params"] if p["name"] not in variadic]
    left_out = variadic | UNDESCRIBED.get(operator.name, set())
    assert [p for p in operator.params if p not in left_out] == [p["name"] for p in params]
    for fact in params:
        param = operator.params[fact["name"]]
        assert param.required == fact["required"], fact["name"]
        if not param.required and "default_raw" in fact:
            assert equal(param.default, fact), f"{fact['name']}: {param.default!r}, MXNet has {fact['default_raw']}"


def equal(ours: Any, fact: dict[str, Any]) -> bool:
    raw: str = fact["default_raw"].strip("'")
    if raw == "None" or ours is None:
        return ours is None and raw == "None"
    if isinstance(ours, bool):
        return str(int(ours)) == raw
    if isinstance(ours, (int, float)):
        return math.isclose(ours, float(raw), rel_tol=1e-6)
    if isinstance(ours, tuple):
        return bool(list(ours) == json.loads(raw))
    return bool(ours == raw)


@pytest.mark.parametrize("operator", list(registry.operators()), ids=lambda op: op.name)
def test_annotations_are_those_that_calls_are_normalized_by(operator: Operator) -> None:
    for param in operator.params.values():
        annotation = param.annotation.removesuffix("| None").strip()
        assert annotation in ANNOTATIONS or annotation.startswith("Literal["), param.name
