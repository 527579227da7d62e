"""Former names of public modules: importing one gives the module that took its place, and warns."""

from __future__ import annotations

import importlib
import sys

import pytest

import hybridlint

FORMER = [
    ("hybridlint.api.check", "hybridlint.frontends.api.check"),
    ("hybridlint.errors", "hybridlint.core.errors"),
    ("hybridlint.outcome", "hybridlint.core.proof_outcome"),
    ("hybridlint.result", "hybridlint.core.result"),
]


@pytest.mark.parametrize(("former", "present"), FORMER)
def test_a_former_name_gives_the_present_module(former: str, present: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == former or former.startswith(f"{name}.")]:
        if name != "hybridlint":
            monkeypatch.delitem(sys.modules, name)
    with pytest.warns(DeprecationWarning, match=f"{former} is now {present}: import that"):
        module = importlib.import_module(former)
    assert module is importlib.import_module(present)


def test_a_former_event_is_the_present_one() -> None:
    events = importlib.import_module("hybridlint.analysis.model.events")
    with pytest.warns(DeprecationWarning, match="the event Store is now TensorStore"):
        assert events.Store is events.TensorStore


def test_other_missing_modules_are_missing() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"hybridlint\.no_such_module"):
        importlib.import_module("hybridlint.no_such_module")
    assert not hasattr(hybridlint, "no_such_module")
