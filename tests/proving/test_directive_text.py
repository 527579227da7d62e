"""Directives written above blocks: what they say, where they stand, and what they never touch."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from hybridlint.project.settings.directives import parse, read_recipes
from hybridlint.proving.child.build.arguments import ConstructorArguments, Within
from hybridlint.proving.child.directive_text import directive
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, ValueSpec
from hybridlint.proving.directive_insertion import keep_working_directives, with_directives
from hybridlint.text.source import SourceFile

TEXT = dedent(
    """\
    # The outer one.
    @decorated
    class Outer(Block):
        class Inner(Block):
            pass

    # hybridlint: shapes(x=(2,))
    class Said(Block):
        pass

    def network():
        return Outer()
    """
)
WANTED = dict.fromkeys(("Outer", "Outer.Inner", "Said", "network", "nobody"), 'verify(x=("N", 3))')


def _setup(inputs: dict[str, Spec], arguments: ConstructorArguments | None = None) -> Setup:
    return Setup(arguments or ConstructorArguments([], {}), inputs, [{"N": 2}], [0])


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (TensorSpec(("N", 3)), '("N", 3)'),
        (TensorSpec(("N",)), '("N",)'),
        (TensorSpec(()), "()"),
        (TensorSpec(("N",), "int32", 1, 4, integers=True), '("N", "int32", range(1, 4))'),
        (TensorSpec(("N", 2), low=0.5, high=1.0), '("N", 2, uniform(0.5, 1.0))'),
        (TensorSpec(("N", 2), integers=True), '("N", 2, range(0, 3))'),
        (TensorSpec(("N",), "bool"), '("N", "bool")'),
        ([TensorSpec(("N", 1)), TensorSpec(("N", 2))], '[("N", 1), ("N", 2)]'),
        (ValueSpec("None"), "None"),
    ],
)
def test_inputs_as_a_directive_writes_them(spec: Spec, text: str) -> None:
    written = directive(_setup({"x": spec}))
    assert written == f"verify(x={text})"
    parse(written.removeprefix("verify"))


def test_arguments() -> None:
    arguments = ConstructorArguments(["3"], {"layer": "nn.Dense(4)"})
    assert directive(_setup({}, arguments)) == 'verify(args=(3,), kwargs={"layer": nn.Dense(4)})'


def test_inputs_without_names_of_their_own_stand_in_their_order() -> None:
    spec = TensorSpec(("N",))
    assert directive(_setup({"x": spec, "input 1": spec})) == 'verify(inputs=[("N",), ("N",)])'
    assert directive(_setup({"args": spec})) == 'verify(inputs=[("N",)])'


def test_what_no_directive_can_say() -> None:
    assert directive(_setup({}, ConstructorArguments([], {}, Within("Outer()", ("inner",))))) is None
    assert directive(_setup({"x": ValueSpec("(1, 2)")})) is None


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_they_stand_right_above_and_nothing_else_changes(ending: str) -> None:
    source = SourceFile(Path("net.py"), TEXT.replace("\n", ending))
    text, written = with_directives(source, WANTED)
    comment = f'# hybridlint: verify(x=("N", 3)){ending}'
    assert text == source.text.replace("@decorated", f"{comment}@decorated").replace(
        "    class Inner", f"    {comment}    class Inner"
    ).replace("def network", f"{comment}def network")
    assert [(w.block, w.row) for w in written] == [("Outer", 2), ("Outer.Inner", 5), ("network", 13)]
    assert all(text.split(ending)[w.row - 1].strip() == w.lines[0] for w in written)
    recipes, errors = read_recipes(SourceFile(Path("net.py"), text))
    assert not errors
    assert recipes.keys() == {"Outer", "Outer.Inner", "Said", "network"}


def test_a_long_one_goes_on_over_lines() -> None:
    source = SourceFile(Path("net.py"), "class Net(Block):\n    pass\n")
    inputs = ", ".join(f'number_{k}=("N", {k}, "int32", range(0, 10))' for k in range(1, 9))
    text, [written] = with_directives(source, {"Net": f"verify(args=(1, 2), {inputs})"})
    assert len(written.lines) > 1
    assert all(len(line) <= 120 for line in text.splitlines())
    recipes, _ = read_recipes(SourceFile(Path("net.py"), text))
    assert recipes["Net"] == parse(f"(args=(1, 2), {inputs})")


def test_what_does_not_run_as_it_is_written_is_not_written() -> None:
    source = SourceFile(Path("net.py"), TEXT)
    text, written = keep_working_directives(
        source, WANTED, lambda tried_text: {"network"} if "verify" in tried_text else set()
    )
    assert [w.block for w in written] == ["network"]
    assert text.count("verify(") == 1
    assert keep_working_directives(source, WANTED, lambda _: set()) == (TEXT, [])
