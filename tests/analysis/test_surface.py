"""The table of what Symbol lacks agrees with what was measured on the real library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hybridlint.analysis.model.values import Namespace
from hybridlint.analysis.mxnet.operators.results import operator_ref
from hybridlint.runtime.facts import lookup, surface

FACTS = Path(__file__).parents[1] / "goldens" / "api.json"


@pytest.fixture(scope="module")
def api() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FACTS.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("mode", ["legacy", "np"])
def test_tensor_names(api: dict[str, Any], mode: surface.Mode) -> None:
    lacks = {"missing": surface.Lack.MISSING, "refused": surface.Lack.NOT_IMPLEMENTED, "both": None}
    for name, standing in api["tensors"][mode].items():
        if standing in lacks:
            assert surface.tensor_lack(name, mode) is lacks[standing], name


@pytest.mark.parametrize(
    ("section", "path"), [("nd", ()), ("nd.random", ("random",)), ("nd.contrib", ("contrib",)), ("F.np", ("np",))]
)
def test_namespaces(api: dict[str, Any], section: str, path: tuple[str, ...]) -> None:
    names = api["namespaces"][section]
    lacking = {n for n in names["ndarray_only"] if surface.namespace_lacks(path, n)}
    internal = {n for n in names["ndarray_only"] if n.startswith(("get_", "indexing_"))}
    assert set(names["ndarray_only"]) - lacking <= internal
    assert not any(surface.namespace_lacks(path, n) for n in names["both"])


def test_hasattr_is_answered_for_both_runs() -> None:
    assert surface.has_attribute("shape", "eager") is True
    assert surface.has_attribute("shape", "traced") is False
    assert surface.has_attribute("list_arguments", "traced") is True
    assert surface.has_attribute("asnumpy", "traced") is True
    assert surface.has_attribute("relu", "traced") is None
    assert surface.namespace_has((), "array", "traced") is False
    assert surface.namespace_has((), "var", "eager") is False


@pytest.mark.parametrize(
    ("section", "path"),
    [
        ("nd", ()),
        ("nd.random", ("random",)),
        ("nd.contrib", ("contrib",)),
        ("nd.linalg", ("linalg",)),
        ("nd.image", ("image",)),
        ("F.np", ("np",)),
        ("F.np.linalg", ("np", "linalg")),
        ("F.npx", ("npx",)),
    ],
)
def test_what_is_there_is_heard_of(api: dict[str, Any], section: str, path: tuple[str, ...]) -> None:
    names = api["namespaces"][section]
    for name in (*names["both"], *names["ndarray_only"]):
        operator = operator_ref(Namespace("F", path), name).operator
        assert operator is not None or not surface.is_unheard_of(path, name), name


def test_what_no_namespace_has_is_unheard_of() -> None:
    assert surface.is_unheard_of(("contrib",), "SoftmaxOHEMOutput")
    assert surface.is_unheard_of((), "SumSquare")
    assert not surface.is_unheard_of((), "array")
    assert not surface.is_unheard_of(("sparse",), "of_another_kind")


@pytest.mark.parametrize("mode", ["legacy", "np"])
def test_attributes_of_tensors_are_known(api: dict[str, Any], mode: surface.Mode) -> None:
    assert [name for name in api["tensors"][mode] if not lookup.has_attribute(name, mode)] == []
    assert not any(lookup.has_attribute(name, mode) for name in ("clamp", "view", "unsqueeze", "device"))
