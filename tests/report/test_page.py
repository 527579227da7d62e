"""The page for a team: what it shows, and that it needs nothing but itself."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hybridlint import __version__
from hybridlint.checking.checker import Job, check
from hybridlint.core.proof_outcome import (
    FirstDivergence,
    ProofOutcome,
    ProofStatus,
    ReportedDifference,
    ReportedNode,
    VariantResult,
)
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.report import page
from hybridlint.report.picture import picture

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
    ReportedNode("data", "", (), None, ""),
    ReportedNode("weight", "", (), None, ""),
    ReportedNode("dense0_fwd", "FullyConnected", (0, 1), 6, "agrees"),
    ReportedNode("relu0", "relu", (2,), 7, "parts"),
    ReportedNode("plus0", "a_very_long_name_of_an_operator", (2, 3), None, ""),
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


REFUTED = ProofOutcome(
    Path("net.py"),
    "Net",
    4,
    ProofStatus.REFUTED,
    "compiled: output `y` differs",
    parting=FirstDivergence(7, "subscript", "x[0]", "its result has shape (2, 4) instead of (4,)", 1),
    difference=ReportedDifference("output", "has other values", 1.0, 0.5, (0, 1), 2.0, 3.0),
    graph=GRAPH,
    call="N = 2",
    setup="() on x (N, 4)",
)


def _result(*outcomes: ProofOutcome, fix: bool = False) -> Result:
    result = check(Job(Path("net.py"), TEXT.encode(), Config(root=Path()), fix=fix))
    return Result(result.path, TEXT, result.diagnostics, result.fixed, proof=outcomes)


def test_the_page_is_one_file_and_well_formed() -> None:
    text = page.render([_result(REFUTED)])
    parser = _Balanced()
    parser.feed(text)
    assert parser.open == []
    # Links to the pages of rules are followed on a click alone.
    assert not re.search(r"src=|href=\"(?!#|https://github.com/hybridlint/hybridlint/blob/main/docs/rules.md#)", text)
    assert "fetch(" not in text
    assert "@import" not in text
    assert "url(" not in text


def test_classes_are_scored_by_their_lines_without_findings() -> None:
    text = page.render([_result()])
    rows = re.findall(r'<td><a class="mono" href="#[\w-]+">(\w+)</a></td>.*?</span>(\d+)</td>', text)
    # One of the four lines of code of Net is wrong, and silently so.
    assert rows == [("Net", "40"), ("Good", "100")]


def test_a_refutation_shows_its_place_and_the_graph() -> None:
    text = page.render([_result(REFUTED)])
    assert '<span class="badge refuted">refuted</span> compiled: output <code>y</code> differs' in text
    assert "the runs part in line 7 at <code>x[0]</code>, after 1 call that agree" in text
    assert '<div class=hit><span class="n">7</span>        first = x[0]</div>' in text
    assert "<details open><summary>the compiled graph</summary>" in text


def test_advice_shows_its_example_as_code() -> None:
    add = 'Say it, as in `# hybridlint: verify(x=("N", 8))`.'
    text = page.render([_result(replace(REFUTED, status=ProofStatus.NOT_RUN, add=add, graph=(), parting=None))])
    assert "<p>Say it, as in <code># hybridlint: verify(x=(&quot;N&quot;, 8))</code>.</p>" in text


def test_findings_stand_underlined_in_their_source() -> None:
    text = page.render([_result()])
    assert re.search(r'<a class="badge error" href="https://[^"]*rules.md#[\w-]+-hyb201">HYB201</a>', text)
    assert "first = <mark>x[0]</mark>" in text
    assert "if &quot;&lt;&quot; else first" in text


def test_what_fixing_changes() -> None:
    text = page.render([_result(fix=True)])
    assert '<div class="minus">-        first = x[0]</div>' in text
    assert '<div class="plus">+        first = F.squeeze(' in text


def test_a_proof_says_how_the_block_was_run() -> None:
    ran = (VariantResult("compiled"), VariantResult("float16", "it overflows"))
    text = page.render(
        [_result(replace(REFUTED, status=ProofStatus.PROVED, variants=ran, parting=None, difference=None))]
    )
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
    assert [text.text for text in groups["relu0"].iter("text")] == ["✗ relu", "line 7"]
    assert [text.text for text in groups["plus0"].iter("text")] == ["a_very_long_name_o…"]
    assert len(list(root.iter("path"))) == 4


def test_nodes_show_their_shapes() -> None:
    shaped = [replace(node, shape=(2, 4) if node.operator else (2, 3)) for node in GRAPH]
    root = ElementTree.fromstring(picture(shaped))
    groups = {group.find("title").text: group for group in root.iter("g")}  # type: ignore[union-attr]
    assert [text.text for text in groups["data (2, 3)"].iter("text")] == ["data", "(2, 3)"]
    assert [text.text for text in groups["relu0 (2, 4)"].iter("text")] == ["✗ relu", "(2, 4)", "line 7"]
    boxes = {float(group.find("rect").get("height") or 0) for group in root.iter("g")}  # type: ignore[union-attr]
    for group in root.iter("g"):
        top = float(group.find("rect").get("y") or 0)  # type: ignore[union-attr]
        assert all(top < float(text.get("y") or 0) < top + min(boxes) for text in group.iter("text"))


def test_nodes_stand_below_their_inputs_and_beside_each_other() -> None:
    root = ElementTree.fromstring(picture((*GRAPH, ReportedNode("twin", "tanh", (2,), None, ""))))
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


SILENT = """\
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        y = F.relu(x)
        y = F.relu(y)
        y = F.relu(y)
        y = F.relu(y)
        y = F.relu(y)
        return y * len(x)
"""


def _scored(text: str, *outcomes: ProofOutcome) -> int:
    result = check(Job(Path("net.py"), text.encode(), Config(root=Path())))
    shown = page.render([replace(result, text=text, proof=outcomes)])
    found = re.search(r"</i></span>(\d+)</td>", shown)
    assert found is not None
    return int(found[1])


def test_what_is_silently_wrong_never_scores_high() -> None:
    assert _scored(SILENT) == 40
    assert _scored(SILENT.replace("len(x)", "x.shape[0]")) == 88
    assert _scored(SILENT.replace(" * len(x)", "")) == 100
    assert _scored(SILENT.replace(" * len(x)", ""), REFUTED) == 20


def test_outcomes_before_and_with_fixes_are_told_apart() -> None:
    mended = replace(
        REFUTED, status=ProofStatus.PROVED, reason="with `--fix`: eager before = compiled after", parting=None
    )
    text = page.render([_result(REFUTED, mended)])
    both = '<span class="badge refuted">refuted</span> <span class="badge proved">proved with --fix</span>'
    assert f"<td>{both}</td>" in text
    assert '<span class="badge proved">proved with --fix</span> eager before = compiled after' in text


def test_the_page_says_where_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    monkeypatch.setattr("sys.argv", ["/somewhere/bin/hybridlint", "check", "--report", "a b.html", "<src>"])
    command = "hybridlint check --report &#x27;a b.html&#x27; &#x27;&lt;src&gt;&#x27;"
    assert f"hybridlint {__version__}, 1970-01-02 00:00 UTC: {command}" in page.render([_result()])
    monkeypatch.setattr("sys.argv", ["train.py"])
    assert "UTC: from Python</p>" in page.render([_result()])


def test_rows_can_be_filtered_by_their_codes() -> None:
    text = page.render([_result()])
    (codes,) = re.findall(r'<tr data-part="f0-4" data-codes="([^"]*)">', text)
    assert "HYB201" in codes.split()
    assert 'id="f0-4"' in text
