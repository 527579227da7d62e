"""The pages of the site: each has a title, links lead somewhere, and rules' pages show what their rules do."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path, PurePosixPath

import pytest

import hybridlint
from hybridlint.checking.examples import marks, module_of, section
from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Rule, all_rules

ROOT = Path(__file__).parents[2]
if not (ROOT / "docs" / "site").is_dir():
    pytest.skip("runs in a checkout only", allow_module_level=True)

from docs.site import assemble, operator_pages, playground, rule_pages  # noqa: E402
from docs.site.plan import PARTS  # noqa: E402

RULES = [rule for rule in all_rules() if rule_pages.runnable(rule)]
_LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
_FENCE = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return assemble.pages()


def test_every_page_begins_with_its_title(pages: dict[str, str]) -> None:
    assert [name for name, text in pages.items() if not re.match(r"# \S", text)] == []


def test_titles_differ(pages: dict[str, str]) -> None:
    titles = [text.partition("\n")[0] for text in pages.values()]
    assert len(set(titles)) == len(titles)


def test_every_page_of_docs_is_on_the_site(pages: dict[str, str]) -> None:
    files = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "evidence").glob("*.md")]
    names = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in files} - {"rules"}
    assert names - set(pages) == set()


def test_the_navigation_leads_to_every_page(pages: dict[str, str]) -> None:
    listed = {name for part in PARTS for name in part.pages} | {f"rules/{rule.name}" for rule in all_rules()}
    listed |= {f"operators/{file}" for file in operator_pages.files(_table()).values()}
    assert listed | {"index"} == set(pages)
    assert all(rule.name in pages["rules/index"] for rule in all_rules())


def test_evidence_stands_apart_from_what_users_read() -> None:
    assert PARTS[-1].title == "Evidence"
    pages = {name for name in PARTS[-1].pages if not name.startswith("evidence/")}
    assert pages == {"status", "histories", "projects"}


def test_no_link_is_broken(pages: dict[str, str]) -> None:
    anchors = {name: _anchors(text) for name, text in pages.items()}
    broken = []
    for name, text in pages.items():
        for file, anchor in _LINK.findall(_FENCE.sub("", text)):
            target = _joined(name, file) if file else name
            picture = target.endswith(".svg") and (ROOT / "docs" / target).is_file()
            if not picture and (target not in pages or (anchor and anchor not in anchors[target])):
                broken.append((name, f"{file}#{anchor}"))
    assert broken == []


def test_links_into_the_repository_are_to_files_that_are_there(pages: dict[str, str]) -> None:
    found = {path for text in pages.values() for path in re.findall(r"/hybridlint/(?:blob|tree)/main/([^)#\s]+)", text)}
    assert [path for path in sorted(found) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_a_rules_page_has_its_parts(rule: Rule, pages: dict[str, str]) -> None:
    text = pages[f"rules/{rule.name}"]
    assert text.startswith(f"# {rule.name} ({rule.code})\n")
    for heading in ("Example", "How to silence it"):
        assert f"\n## {heading}\n" in text
    if "\nMeasured:\n" in rule.page:
        assert "\n## What was measured\n" in text
        assert "\n>>> " in text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_a_page_says_is_reported(rule: Rule) -> None:
    """The places that are printed are those that the example marks."""
    _, expected = marks(section(rule, "Bad"))
    told = [line.split(" ")[:2] for line in rule_pages.said_of(rule).findings]
    assert {(int(place.partition(":")[0]), code) for place, code in told} == expected


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.default], ids=lambda rule: rule.name)
def test_the_line_that_silences_does(rule: Rule) -> None:
    code, found = marks(section(rule, "Bad"))
    row = min(row for row, name in found if name == rule.code)
    lines = code.split("\n")
    assert _lines_with(rule, code) == {line for line, name in found if name == rule.code}
    lines[row - 1] += f"  # noqa: {rule.code}"
    assert lines[row - 1].strip() == rule_pages.silenced_line(rule)
    assert row not in _lines_with(rule, "\n".join(lines))


def _lines_with(rule: Rule, code: str) -> set[int]:
    """Return the lines of an example in which the rule finds something."""
    example = module_of(code)
    directive = code.startswith("# hybridlint: shapes") and "\nclass " not in code
    found = hybridlint.check_source(example.text, "example.py").diagnostics
    return {one.location.row - example.rows.start + 1 + directive for one in found if one.code == rule.code}


def test_every_message_of_mxnet_is_on_the_page_of_a_rule(pages: dict[str, str]) -> None:
    from hybridlint.core.mxnet_messages import MESSAGES

    shown = "".join(text for name, text in pages.items() if name.startswith("rules/"))
    assert [message.example for message in MESSAGES if message.rules and message.example not in shown] == []


def test_operators_have_pages_with_examples_that_run(pages: dict[str, str]) -> None:
    found = {name: text for name, text in pages.items() if name.startswith("operators/")}
    assert len(found) > 500
    called = [text for text in found.values() if "| called as |" in text]
    with_example = [text for text in called if "\n## Example\n" in text]
    assert len(with_example) > 0.85 * len(called)
    text = found["operators/broadcast_add"]
    assert "| called as | `F.broadcast_add`" in text
    assert "| `(2, 3)`, `(1, 3)` |  | `(2, 3)` |" in text
    assert "result = nd.broadcast_add(a, b)\nprint(result.shape)\n```\n\nprints\n\n```text\n(2, 3)\n```" in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("argmax", "Its results are positions along an axis."),
        ("BatchNorm", "It does something else in train mode"),
        ("elemwise_add", "the shapes of both inputs must be equal; `F.broadcast_add` broadcasts"),
        ("_contrib_boolean_mask", "depends on the values of its inputs"),
        ("_random_uniform", "It draws random numbers."),
        ("BlockGrad", "Its gradient is zero."),
    ],
)
def test_what_an_operator_does_beyond_its_shapes(pages: dict[str, str], name: str, said: str) -> None:
    assert said in pages[f"operators/{name}"]


def test_operators_that_differ_in_case_alone_have_pages_of_their_own() -> None:
    assert operator_pages.files("| `Sum` |\n| `sum` |\n| `no such` |") == {"sum": "sum"}
    table = "| `Softmax` |\n| `softmax` |"
    assert len({file.lower() for file in operator_pages.files(table).values()}) == 2


def test_the_playground_offers_every_rule_that_is_on() -> None:
    offered = playground.examples()
    on = [rule for rule in RULES if rule.default]
    assert len(offered) == len(on) + 1
    for rule in on:
        text = offered[f"{rule.name} ({rule.code})"]
        assert rule.code in {found.code for found in hybridlint.check_source(text, "example.py").diagnostics}
        assert "IMPORTED" not in text


def test_the_playgrounds_answer_is_that_of_the_library() -> None:
    answer = runpy.run_path(str(ROOT / "docs" / "site" / "static" / "playground.py"))["answer"]
    text = playground.examples()["attention pooling"]
    given = json.loads(answer(text, True))
    source = module_of("return x.T").source
    assert json.loads(answer(source.text, False))["fixed"] == fix_source(source, analyze_file, unsafe=False).source.text
    findings = [finding for frame in given["frames"] for finding in frame["findings"]]
    assert {(finding["code"], finding["word"]) for finding in findings} >= {("HYB201", "error"), ("HYB301", "error")}
    assert [finding["code"] for finding in findings] == [
        found.code for found in hybridlint.check_source(text, "playground.py").diagnostics
    ]
    first = given["frames"][0]
    assert "F.broadcast_add(self.project(x), bias)" in first["fixed"]
    assert first["fixed"].count("broadcast_add") == 1 + text.count("broadcast_add")
    assert any(line.startswith("+") and "broadcast_add" in line for line in given["changes"])
    assert json.loads(answer("def f(:", False))["frames"][0]["findings"][0]["code"] == "HYB001"


def _table() -> str:
    return (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")


def _joined(page: str, file: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / file).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts).removesuffix(".md")


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", _FENCE.sub("", text), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}
