"""Comments for hybridlint that mean nothing are errors that name the nearest thing that does."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.directives import read_recipes
from hybridlint.text.source import SourceFile
from tests.pages_of_files import assert_page_holds

HEAD = "from mxnet.gluon import HybridBlock\n\n\n"
NET = """\
{above}
class Net(HybridBlock):
    def hybrid_forward(self, F, x, mask=None):
        return F.relu(x){beside}
"""


def _found(text: str, ignore: tuple[str, ...] = ()) -> list[tuple[int, int, str]]:
    result = check(Job(Path("net.py"), (HEAD + text).encode(), Config(root=Path(), ignore=ignore)))
    return [(d.location.row - 3, d.location.column, d.message) for d in result.diagnostics if d.code == "HYB003"]


def _said(above: str = "# hybridlint: verify()", beside: str = "") -> list[str]:
    return [message for _, _, message in _found(NET.format(above=above, beside=beside))]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# hybridlint: veriyf(args=(3,))", "no directive `veriyf`: there are `verify`, `shapes`, `ignore`"),
        ("# hybridlint: veriyf(args=(3,))", "Did you mean `verify`?"),
        ('# hybridlint: shape(x=("N", 3))', "Did you mean `shapes`?"),
        ("# hybridlint: Ignore-File", "Did you mean `ignore-file`?"),
        ('# hybridlint: verify(xs=("N", 3))', "`hybrid_forward` has no input `xs`: it takes `x`, `mask`."),
        ('# hybridlint: verify(maks=("N", 3))', "Did you mean `mask`?"),
        ('# hybridlint: verify(x=("N", 3)', "its brackets do not close"),
        ("# hybridlint: verify(x=(2.5,))", "`2.5` is no size"),
    ],
)
def test_directives(comment: str, said: str) -> None:
    assert said in " ".join(_said(above=comment))


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# hybridlint: ignore[tensor-shpe]", "no rule `tensor-shpe`, so that nothing is silenced. Did you mean `tens"),
        ("# hybridlint: ignore[HYB101, HYB9999]", "no rule `HYB9999`"),
        ("# hybridlint: ignore[]", "`ignore` alone stands for all"),
        ("# hybridlint: ignore(tensor-shape)", "in square brackets, such as `ignore[tensor-shape]`"),
        ("# noqa: HYB999", "no rule `HYB999`"),
        ("# noqa: E501, hyb999", "no rule `hyb999`"),
        ("# type: ignore # noqa: HYB999", "no rule `HYB999`"),
    ],
)
def test_rules_that_nobody_knows(comment: str, said: str) -> None:
    assert said in " ".join(_said(beside=f"  {comment}"))


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# noqa: E501, ABC999, tensor-shpe",
        "# noqa: HYB101 hyb1",
        "# noqa: E501 as in HYBRID",
        "# hybridlint: ignore",
        "# hybridlint: ignore[HYB1, tensor-shape]",
        "# as hybridlint says: shape",
    ],
)
def test_what_means_something_here_or_to_other_tools(comment: str) -> None:
    assert _said(beside=f"  {comment}") == []


def test_inputs_are_those_of_the_function_that_is_spoken_for() -> None:
    assert _said(above='# hybridlint: verify(args=(3,), kwargs={"a": 1}, x=("N", 3), mask=("N",))') == []
    helper = "class Net(HybridBlock):\n    # hybridlint: shapes(a=(2,))\n    def part(self, a):\n        return a\n"
    assert _found(helper) == []
    anything = (
        "# hybridlint: verify(y=(2,))\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, *args):\n        pass\n"
    )
    assert _found(anything) == []
    heir = "# hybridlint: verify(y=(2,))\nclass Net(HybridBlock):\n    pass\n"
    assert _found(heir) == []


def test_a_directive_that_stands_at_no_block() -> None:
    assert _found("# hybridlint: verify(x=(2,))\n\n\nclass Net(HybridBlock):\n    pass\n") == [
        (1, 1, "the directive `verify` stands at no block: put it right above a class")
    ]


def test_it_is_underlined_where_it_stands() -> None:
    text = NET.format(above="# hybridlint: verify()", beside=", 'é#'  # hybridlint: ignore[tensor-shpe]")
    [(row, column, _)] = _found(text)
    assert text.splitlines()[row - 1][column - 1 :].startswith("tensor-shpe]")


def test_it_is_silenced_by_its_name_alone() -> None:
    assert _said(beside="  # noqa # hybridlint: ignor") != []
    assert _said(beside="  # noqa: HYB003 # hybridlint: ignor") == []
    assert _found("# hybridlint: ignor\nclass Net(HybridBlock):\n    pass\n", ignore=("unknown-directive",)) == []


def test_the_proof_does_not_guess_where_a_directive_is_misspelt() -> None:
    source = SourceFile(Path("net.py"), HEAD + NET.format(above="# hybridlint: veriyf(args=(3,))", beside=""))
    _, errors = read_recipes(source)
    assert "Did you mean `verify`?" in errors["Net"].reason


def test_page() -> None:
    assert_page_holds("unknown-directive")
