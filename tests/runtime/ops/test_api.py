"""Names, inputs and parameters of operators are those of the real MXNet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator
from tests.batches import batched, room_of

FACTS = Path(__file__).parents[2] / "goldens" / "api.json"
ANNOTATIONS = {"int", "float", "bool", "str", "Ints", "Floats", "Pairs", "Axes", "Bounds", "Dtype"}

#: MXNet describes linspace by the parameters of arange and SparseEmbedding by those of Embedding, and accepts others.
MISDESCRIBED = {"_linspace", "_contrib_SparseEmbedding"}
#: Of these it leaves the auxiliary states out.
WITHOUT_STATES = {"BatchNorm_v1", "IdentityAttachKLSparseReg"}
#: Parameters that it reads and does not describe.
UNDESCRIBED = {"_linalg_potrf": {"lower"}, "_linalg_potri": {"lower"}}


def cases(chosen: Callable[[Operator], bool]) -> list[Any]:
    """Return a case for each operator that is chosen."""
    return [pytest.param(op, id=op.name) for op in registry.operators() if chosen(op)]


ALL: dict[str, Any] = json.loads(FACTS.read_text(encoding="utf-8"))["operators"]
ALL_NAMES = {spelled for name, fact in ALL.items() for spelled in (name, *fact["aliases"])}
#: Those of numpy mode are called by functions of Python, whose parameters are their own.
DESCRIBED = {name: fact for name, fact in ALL.items() if not name.startswith("_np")}


@batched(cases(lambda op: not op.internal), by=room_of)
def test_operator_exists_in_mxnet(operator: Operator) -> None:
    assert operator.name in ALL_NAMES


@batched(cases(lambda op: not op.internal and op.name in DESCRIBED), by=room_of)
def test_aliases(operator: Operator) -> None:
    described = {a for a in DESCRIBED[operator.name]["aliases"] if not a.startswith("_np")}
    ours = {a for a in operator.aliases if not a.startswith("_np")}
    assert ours == described


@batched(cases(lambda op: not op.internal and op.name in DESCRIBED.keys() - MISDESCRIBED), by=room_of)
def test_inputs_and_parameters(operator: Operator) -> None:
    described = DESCRIBED[operator.name]
    variadic = {"num_args", "num_arrays", "num_weights"} if operator.variadic else set()
    inputs = [n for n in operator.inputs if operator.name not in WITHOUT_STATES or n not in operator.aux]
    assert inputs == described["inputs"]
    params = [p for p in described["params"] if p[0] not in variadic]
    left_out = variadic | UNDESCRIBED.get(operator.name, set())
    assert [p for p in operator.params if p not in left_out] == [name for name, *_ in params]
    for name, *default in params:
        param = operator.params[name]
        assert param.required == (not default), name
        for written in default:
            assert equal(param.default, written), f"{name}: {param.default!r}, MXNet has {written}"


def equal(ours: Any, written: str) -> bool:
    raw = written.strip("'")
    if raw == "?":
        return True
    if raw == "None" or ours is None:
        return ours is None and raw == "None"
    if isinstance(ours, bool):
        return str(int(ours)) == raw
    if isinstance(ours, (int, float)):
        return math.isclose(ours, float(raw), rel_tol=1e-6)
    if isinstance(ours, tuple):
        return bool(list(ours) == json.loads(raw))
    return bool(ours == raw)


@batched(cases(lambda op: True), by=room_of)
def test_annotations_are_those_that_calls_are_normalized_by(operator: Operator) -> None:
    for param in operator.params.values():
        annotation = param.annotation.removesuffix("| None").strip()
        assert annotation in ANNOTATIONS or annotation.startswith("Literal["), param.name
