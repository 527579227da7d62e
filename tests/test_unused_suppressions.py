"""Comments that silence nothing are found and taken out; ranges, classes, and rules that no comment may silence."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.project.settings.config import Config
from tests.pages_of_files import assert_page_holds

HEAD = "from mxnet.gluon import HybridBlock\n\n\n"


def _checked(text: str, *, fix: bool = False, unsafe: bool = False, **settings: Any) -> tuple[list[str], str]:
    """Return the findings of a module, as rows and codes, and its text, which is fixed if that is asked for."""
    text = HEAD + textwrap.dedent(text)
    result = check(Job(Path("net.py"), text.encode(), Config(root=Path(), **settings), fix=fix, unsafe=unsafe))
    assert result.failure is None
    after = text if result.fixed is None else result.fixed.after
    return [f"{d.location.row - 3} {d.code}" for d in result.diagnostics], after[len(HEAD) :]


def _net(body: str) -> str:
    return f"class Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n{textwrap.indent(body, ' ' * 8)}"


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("return x * 2  # noqa: HYB101\n", "return x * 2\n"),
        ("return x * 2  # noqa:HYB101,E501\n", "return x * 2  # noqa:E501\n"),
        ("return x * 2  # noqa: E501, HYB101, HYB102 for a reason\n", "return x * 2  # noqa: E501 for a reason\n"),
        ("return x * 2  # noqa: HYB101 for a reason\n", "return x * 2  # for a reason\n"),
        ("return x * 2  # noqa: HYB101 # for a reason\n", "return x * 2  # for a reason\n"),
        ("return x * 2  # type: ignore # noqa: HYB101\n", "return x * 2  # type: ignore\n"),
        ("return x * 2  # hybridlint: ignore\n", "return x * 2\n"),
        ("return x * 2  # hybridlint: ignore[tensor-shape, HYB2]\n", "return x * 2\n"),
        ("# hybridlint: ignore-file[HYB7]\nreturn x * 2\n", "return x * 2\n"),
        ("# hybridlint: disable[HYB302]\ny = x * 2\n# hybridlint: enable\nreturn y\n", "y = x * 2\nreturn y\n"),
        ("# hybridlint: enable[HYB302]\nreturn x * 2\n", "return x * 2\n"),
    ],
)
def test_what_silences_nothing_is_found_and_taken_out(line: str, after: str) -> None:
    found, _ = _checked(_net(line))
    assert {each.split()[1] for each in found} == {"HYB004"}
    assert _checked(_net(line), fix=True) == ([], _net(after))


@pytest.mark.parametrize(
    "line",
    [
        "return x * x.shape[0]  # noqa: HYB101\n",
        "return x * x.shape[0]  # noqa: HYB1\n",
        "return x * x.shape[0]  # hybridlint: ignore[tensor-shape]\n",
        "return x * x.shape[0]  # hybridlint: ignore\n",
        "return x * 2  # noqa\n",
        "return x * 2  # noqa: E501, ABC123\n",
        "return x * 2  # noqa: HYB101, HYB004\n",
        "# hybridlint: disable[HYB101]\nreturn x * x.shape[0]\n",
    ],
)
def test_what_silences_something_or_is_for_other_tools_is_not(line: str) -> None:
    assert _checked(_net(line)) == ([], _net(line))


def test_a_rule_that_is_not_selected_is_not_judged() -> None:
    line = "return x * 2  # noqa: HYB101\n"
    assert _checked(_net(line), ignore=("HYB101",))[0] == []
    assert _checked(_net(line), select=("HYB2", "HYB004"))[0] == []
    assert _checked(_net(line), select=("HYB1", "HYB004"))[0] == ["3 HYB004"]


def test_an_end_that_other_ranges_need_is_kept() -> None:
    body = """\
    # hybridlint: disable[HYB101, HYB302]
    y = x * x.shape[0]
    # hybridlint: enable
    return y
    """
    after = "# hybridlint: disable[HYB101]\ny = x * x.shape[0]\n# hybridlint: enable\nreturn y\n"
    assert _checked(_net(textwrap.dedent(body)), fix=True) == ([], _net(after))


def test_a_range_ends_with_its_comment_or_its_block() -> None:
    found, _ = _checked(
        """\
        class One(HybridBlock):
            def hybrid_forward(self, F, x):
                # hybridlint: disable[tensor-shape]
                y = x * x.shape[0]
                # hybridlint: enable[tensor-shape]
                return y * x.shape[1]

            # hybridlint: disable[tensor-shape]

            def forward_to(self, F, x):
                return x.shape


        class Two(HybridBlock):
            def hybrid_forward(self, F, x):
                return x * x.shape[0]


        # hybridlint: disable
        class Three(HybridBlock):
            def hybrid_forward(self, F, x):
                return x * x.shape[0]
        """
    )
    assert [each for each in found if "HYB101" in each] == ["6 HYB101", "16 HYB101"]


@pytest.mark.parametrize(
    "place",
    [
        "# hybridlint: ignore-class[tensor-shape]\nclass One(HybridBlock):\n",
        "class One(HybridBlock):  # hybridlint: ignore-class[HYB1]\n",
        "class One(HybridBlock):\n    # hybridlint: ignore-class\n\n",
    ],
)
def test_a_whole_class(place: str) -> None:
    body = "    def hybrid_forward(self, F, x):\n        return x * x.shape[0]\n"
    assert [each.split()[1] for each in _checked(f"{place}{body}\n\nclass Two(HybridBlock):\n{body}")[0]] == ["HYB101"]


def test_no_comment_silences_what_the_project_protects() -> None:
    line = "return x * x.shape[0]  # noqa: HYB101\n"
    assert _checked(_net(line), unsuppressible=("HYB1",))[0] == ["3 HYB101", "3 HYB004"]
    assert _checked(_net(line), unsuppressible=("HYB2",))[0] == []


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# hybridlint: ignore-class[HYB1]", "`ignore-class` stands at no class"),
        ("x = 1  # hybridlint: disable[HYB1]", "`disable` needs a line of its own"),
        ("# hybridlint: disable(HYB1)", "takes rules in square brackets"),
    ],
)
def test_comments_at_the_wrong_place(comment: str, said: str) -> None:
    text = f"{HEAD}{comment}\n\n\n{_net('return x')}"
    found = check(Job(Path("net.py"), text.encode(), Config(root=Path()))).diagnostics
    assert said in " ".join(each.message for each in found if each.code == "HYB003")


def test_unknown_rules_are_taken_out_or_respelt() -> None:
    gone = _net("return x * x.shape[0]  # noqa: HYB999, HYB101\n")
    assert _checked(gone, fix=True) == ([], gone.replace("HYB999, ", ""))
    misspelt = _net("return x.asnumpy()  # hybridlint: ignore[tensor-to-pyton]\n")
    assert _checked(misspelt, fix=True, unsafe=True)[1] == misspelt.replace("pyton", "python")
    assert _checked(misspelt, fix=True, select=("HYB003",))[1] == misspelt


def test_page() -> None:
    assert_page_holds("unused-suppression")
