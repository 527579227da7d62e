"""The page for a team: what it shows, and that it needs nothing but itself."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.outcome import Difference, GraphNode, Outcome, Parting, Ran, Status
from hybridlint.report import page
from hybridlint.report.picture import picture
from hybridlint.result import Result
from hybridlint.settings.config import Config

TEXT = """\
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        first = x[0]
        return F.relu(first) if "<" else first


class Good(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x)
"""
GRAPH = (
    GraphNode("data", "", (), None, ""),
    GraphNode("weight", "", (), None, ""),
    GraphNode("dense0_fwd", "FullyConnected", (0, 1), 6, "agrees"),
    GraphNode("relu0", "relu", (2,), 7, "parts"),
    GraphNode("plus0", "a_very_long_name_of_an_operator", (2, 3), None, ""),
)
VOID = {"meta", "br"}


class _Balanced(HTMLParser):
    """Fails for a tag that is not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Leave what closes itself."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


REFUTED = Outcome(
    Path("net.py"),
    "Net",
    4,
    Status.REFUTED,
    "compiled: output `y` differs",
    parting=Parting(7, "subscript", "x[0]", "its result has shape (2, 4) instead of (4,)", 1),
    difference=Difference("output", "has other values", 1.0, 0.5, (0, 1), 2.0, 3.0),
    graph=GRAPH,
    call="N = 2",
    setup="() on x (N, 4)",
)


def _result(*outcomes: Outcome, fix: bool = False) -> Result:
    result = check(Job(Path("net.py"), TEXT.encode(), Config(root=Path()), fix=fix))
    return Result(result.path, TEXT, result.diagnostics, result.fixed, proof=outcomes)


def test_the_page_is_one_file_and_well_formed() -> None:
    text = page.render([_result(REFUTED)])
    parser = _Balanced()
    parser.feed(text)
    assert parser.open == []
    assert not re.search(r"(src|href)=\"(?!#)", text)
    assert "<script" not in text
    assert "@import" not in text
    assert "url(" not in text


def test_classes_are_scored_by_their_lines_without_findings() -> None:
    text = page.render([_result()])
    rows = re.findall(r'<tr><td><a class="mono" href="#[\w-]+">(\w+)</a></td>.*?</span>(\d+)</td>', text)
    # One of the four lines of code of Net is wrong.
    assert rows == [("Net", "75"), ("Good", "100")]


def test_a_refutation_shows_its_place_and_the_graph() -> None:
    text = page.render([_result(REFUTED)])
    assert '<span class="badge refuted">refuted</span> compiled: output <code>y</code> differs' in text
    assert "the runs part in line 7 at <code>x[0]</code>, after 1 call that agree" in text
    assert '<div class=hit><span class="n">7</span>        first = x[0]</div>' in text
    assert "<details open><summary>the compiled graph</summary>" in text


def test_advice_shows_its_example_as_code() -> None:
    add = 'Say it, as in `# hybridlint: verify(x=("N", 8))`.'
    text = page.render([_result(replace(REFUTED, status=Status.NOT_RUN, add=add, graph=(), parting=None))])
    assert "<p>Say it, as in <code># hybridlint: verify(x=(&quot;N&quot;, 8))</code>.</p>" in text


def test_findings_stand_underlined_in_their_source() -> None:
    text = page.render([_result()])
    assert '<span class="badge error">HYB201</span>' in text
    assert "first = <mark>x[0]</mark>" in text
    assert "if &quot;&lt;&quot; else first" in text


def test_what_fixing_changes() -> None:
    text = page.render([_result(fix=True)])
    assert '<div class="minus">-        first = x[0]</div>' in text
    assert '<div class="plus">+        first = F.squeeze(' in text


def test_a_proof_says_how_the_block_was_run() -> None:
    ran = (Ran("compiled"), Ran("float16", "it overflows"))
    text = page.render([_result(replace(REFUTED, status=Status.PROVED, variants=ran, parting=None, difference=None))])
    assert "each eager and compiled" in text
    assert "not float16: it overflows" in text


def test_nothing_to_show() -> None:
    assert "There are no hybrid blocks here." in page.render([Result(Path("x.py"), "x = 1\n")])


def test_the_picture_leaves_parameters_out_and_colours_nodes() -> None:
    root = ElementTree.fromstring(picture(GRAPH))
    groups = {group.find("title").text: group for group in root.iter("g")}  # type: ignore[union-attr]
    assert {name: group.get("class") for name, group in groups.items()} == {
        "data": "input",
        "dense0_fwd": "agrees",
        "relu0": "parts",
        "plus0": "unknown",
    }
    assert [text.text for text in groups["relu0"].iter("text")] == ["relu", "line 7"]
    assert [text.text for text in groups["plus0"].iter("text")] == ["a_very_long_name_o…"]
    assert len(list(root.iter("path"))) == 4


def test_nodes_stand_below_their_inputs_and_beside_each_other() -> None:
    root = ElementTree.fromstring(picture((*GRAPH, GraphNode("twin", "tanh", (2,), None, ""))))
    places = {
        group.find("title").text: (int(group.find("rect").get("x")), int(group.find("rect").get("y")))  # type: ignore
        for group in root.iter("g")
    }
    assert places["data"][1] < places["dense0_fwd"][1] < places["relu0"][1] < places["plus0"][1]
    assert places["relu0"][1] == places["twin"][1]
    assert places["relu0"][0] != places["twin"][0]


def test_a_graph_without_operators_has_no_picture() -> None:
    assert picture(GRAPH[:2]) == ""


@pytest.mark.parametrize(("written", "which", "fixed"), [(True, "after", "fixed"), (False, "before", "would be fixed")])
def test_lines_are_those_of_the_file_that_the_reader_has(written: bool, which: str, fixed: str) -> None:
    text = TEXT.replace("        return F.relu(x)\n", "        x += 1\n        return F.relu(x)\n")
    result = check(Job(Path("net.py"), text.encode(), Config(root=Path()), fix=written))
    after = check(Job(Path("net.py"), text.encode(), Config(root=Path()), fix=True)).fixed
    assert after is not None
    shown = page.render([replace(result, text=result.text or text, fixed=after)], written=written)
    assert f"Lines are those of the files {which} fixing." in shown
    assert f"<span>{fixed}</span>" in shown
