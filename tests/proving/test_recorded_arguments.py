"""Arguments that classes are built with while larger blocks are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.recorded_arguments import KnownConstructions
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.runtime.gluon import nn

Prove = Callable[..., dict[str, ProofOutcome]]


class Part(nn.HybridBlock):
    """It takes things out of what it is given."""

    def __init__(self, units: int, options: dict[str, Any], block: Any = None, prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        options.pop("name", None)
        self.units = units


class Heir(Part):
    """It has arguments of its own."""

    def __init__(self) -> None:
        super().__init__(3, {"name": "a"})


def _world() -> LoadedModule:
    import sys

    return LoadedModule(mx, sys.modules[__name__])


def test_arguments_are_those_before_the_constructor_ran() -> None:
    seen = KnownConstructions(_world())
    with seen.watched([Part, Heir]):
        built = Part(4, {"name": "b"}, block=nn.Dense, prefix="p_")
        Heir()
    assert str(seen.of[id(built)]) == "units=4, options={'name': 'b'}, block=nn.Dense"
    assert [str(told) for told in seen.by_heirs[Part]] == ["units=3, options={'name': 'a'}"]


def test_constructors_are_as_they_were() -> None:
    before = Part.__init__
    with KnownConstructions(_world()).watched([Part]):
        assert Part.__init__ is not before
    assert Part.__init__ is before


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.5), "0.5"),
        ((1,), "(1,)"),
        ([("a", None), (2.5, True)], "[('a', None), (2.5, True)]"),
        ({"a": [1]}, "{'a': [1]}"),
        (nn.BatchNorm, "nn.BatchNorm"),
        (Part, "Part"),
        (np.ones(3), None),
        ([nn.Dense(3)], None),
        ({"a": object()}, None),
        ((lambda: 3), None),
    ],
)
def test_values_that_expressions_can_say(value: Any, text: str | None) -> None:
    assert KnownConstructions(_world()).expression(value) == text


def test_what_cannot_be_said_is_not_told() -> None:
    seen = KnownConstructions(_world())
    with seen.watched([Part]):
        Part(4, {}, block=nn.Dense(3))
        Part(4, {"x" * 3000: 1})
    assert not seen.of


def test_bases_parts_and_classes_that_have_their_arguments(prove: Prove) -> None:
    outcomes = prove(
        """
        import functools

        TABLES = {"small": {"widths": [("a", 3), ("b", 5)]}}

        class Base(nn.HybridBlock):
            def __init__(self, table):
                super().__init__()
                self.widths = [width for _, width in table["widths"]]
                self.body = nn.Dense(self.widths[0])

            def hybrid_forward(self, F, x):
                return self.body(x)

        class Net(Base):
            def __init__(self, kind):
                super().__init__(TABLES[kind])

        class Whole(nn.HybridBlock):
            def __init__(self, inner, table):
                super().__init__()
                self.inner = inner
                self.scale = table["scale"]

            def hybrid_forward(self, F, x):
                return self.inner(x) * self.scale

        class Ready(nn.HybridBlock):
            def __init__(self, table):
                super().__init__()
                self.scale = table["scale"]

            def hybrid_forward(self, F, x):
                return x * self.scale

        setattr(__import__("sys").modules[__name__], "ready2", functools.partial(Ready, {"scale": 2}))

        def small():
            return Net("small")

        def whole():
            return Whole(nn.Dense(7), {key: 0.5 for key in ["scale"]})

        def several():
            return Net("small"), 3
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Base"].setup == "(table={'widths': [('a', 3), ('b', 5)]}) on x (N, 4)"
    assert outcomes["Whole"].setup == " as whole() builds it on x (N, 4)"
    assert outcomes["Ready"].setup == "(table={'scale': 2}) on x (N, 4)"


def test_functions_that_need_one_more_argument_and_names_of_keywords(prove: Prove) -> None:
    outcomes = prove(
        """
        class Net(nn.HybridBlock):
            def __init__(self, widths, classes=-1):
                super().__init__()
                assert classes > 0, "say how many"
                assert sorted(widths) == ["first", "second"]
                self.head = nn.Dense(classes)

            def hybrid_forward(self, F, x):
                return self.head(x)

        def net18(**kwargs):
            return Net({name: 3 for name in ("first", "second")}, **kwargs)

        def joined(units, norm_layer, norm_kwargs):
            block = nn.HybridSequential()
            block.add(nn.Dense(units), norm_layer(**({} if norm_kwargs is None else norm_kwargs)))
            return block

        class Pyramid(nn.HybridBlock):
            def __init__(self, units, **kwargs):
                super().__init__()
                self.level = joined(units, **kwargs)

            def hybrid_forward(self, F, x):
                return self.level(x)

        class Scaled(nn.HybridBlock):
            def __init__(self, mean):
                super().__init__()
                self.mean = mx.nd.array(mean).reshape((3, 1, 1)).asnumpy().tolist()

            def hybrid_forward(self, F, x):
                return x * self.mean[0][0][0]
        """
    )
    assert {name: outcome.status for name, outcome in outcomes.items()} == dict.fromkeys(outcomes, ProofStatus.PROVED)
    assert outcomes["Net"].setup == "(widths={'first': 3, 'second': 3}, classes=4) on x (N, 4)"
    assert outcomes["Pyramid"].setup == "(units=4, norm_layer=nn.BatchNorm, norm_kwargs=None) on x (N, 6)"
    assert outcomes["Scaled"].setup == "(mean=[0.5] * 3) on x (N, L)"
