"""Class properties of ``mx.base``, measured on MXNet 1.9.1."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime import base


def _set(owner: Any, value: Any) -> None:
    owner.held = value


def test_a_class_property_is_read_and_set_on_the_class() -> None:
    value = base.classproperty(lambda owner: owner.held).setter(_set)
    namespace = {"held": 3, "value": value, "fixed": base.classproperty(lambda owner: 1)}
    settings: Any = base._MXClassPropertyMetaClass("Settings", (), namespace)
    assert (settings.value, settings().value) == (3, 3)
    settings.value = 5
    assert (settings.value, settings.held) == (5, 5)
    settings.other = 7
    assert vars(settings)["other"] == 7
    with pytest.raises(base.MXNetError, match="cannot use the setter: Settings to set attribute"):
        settings.fixed = 2


def test_with_metaclass() -> None:
    class Parent:
        pass

    between: Any = base.with_metaclass(base._MXClassPropertyMetaClass, Parent)

    class Child(between):  # type: ignore[misc]
        pass

    assert type(Child) is base._MXClassPropertyMetaClass
    assert Child.__mro__ == (Child, Parent, object)
