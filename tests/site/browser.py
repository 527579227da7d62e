"""The built site in a real browser: links, search, dark and light, narrow screens, and the playground.

    pytest tests/site/browser.py

Needs the extras ``docs`` and ``browser``, and Chromium on the PATH (or at ``CHROMIUM``). The tests of the playground
need Pyodide: a distribution of it in the folder ``PYODIDE``, or its core from npm and libcst from PyPI, which the tests
fetch. Where something is missing the tests skip, and say what. ``SHOTS=FOLDER`` keeps screenshots.

PyPI has no libcst for browsers, and npm only Pyodide's core. Where they are fetched, the Python parser of libcst stands
in for its native one, in the version that this Pyodide has.
"""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

import hybridlint

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")

for _library, _extra in (("sphinx", "docs"), ("myst_parser", "docs"), ("furo", "docs"), ("playwright", "browser")):
    pytest.importorskip(_library, reason=f"needs the extra hybridlint[{_extra}]")
if CHROMIUM is None:
    pytest.skip("no chromium or google-chrome on the PATH, and CHROMIUM names none", allow_module_level=True)

from docs.site.pyodide import LIBCST, PYODIDE, fetch_pyodide  # noqa: E402


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A folder with Pyodide and libcst, None where they cannot be had."""
    if "PYODIDE" in os.environ:
        return Path(os.environ["PYODIDE"])
    try:
        return fetch_pyodide(tmp_path_factory.mktemp("pyodide"))
    except (OSError, subprocess.SubprocessError):
        return None


@pytest.fixture(scope="module")
def html(pyodide: Path | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site. Sphinx fails the build for a link that leads nowhere."""
    folder = tmp_path_factory.mktemp("site")
    options = ["--without-playground"] if pyodide is None else ["--pyodide", str(pyodide)]
    command = [sys.executable, "-m", "docs.site", str(folder), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return folder / "html"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture(scope="module")
def site(html: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(html)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    page.close()
    assert complaints == []


def shot(page: Page, name: str) -> None:
    if "SHOTS" in os.environ:
        page.screenshot(path=Path(os.environ["SHOTS"]) / f"{name}.png")


def all_pages(html: Path) -> list[str]:
    return sorted(str(path.relative_to(html)) for path in html.rglob("*.html") if "_static" not in path.parts)


def test_no_link_of_the_built_pages_is_broken(html: Path) -> None:
    texts = {name: (html / name).read_text(encoding="utf-8") for name in all_pages(html)}
    names = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in texts.items()}
    broken = []
    for name, text in texts.items():
        for address in re.findall(r'<(?:a|img|script|link)\b[^>]*?\b(?:href|src)="([^"]*)"', text):
            parts = urlsplit(urljoin(f"http://here/{name}", address))
            target = unquote(parts.path.lstrip("/")) or "index.html"
            if parts.netloc != "here" or "=" in parts.fragment:
                continue
            known = (html / target).is_file() and (
                not parts.fragment or unquote(parts.fragment) in names.get(target, set())
            )
            broken += [] if known else [(name, address)]
    assert broken == []


def test_every_page_has_a_title_of_its_own(html: Path) -> None:
    titles = {}
    for name in all_pages(html):
        text = (html / name).read_text(encoding="utf-8")
        titles[name] = (re.search(r"<title>(.*?)</title>", text, re.DOTALL) or ["", ""])[1]
    assert all(titles.values())
    assert len(set(titles.values())) == len(titles)


def test_the_site_asks_no_other_server(html: Path, page: Page, site: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("index.html", "tutorial.html", "rules/tensor-shape.html"):
        page.goto(site + name)
    assert [url for url in asked if not url.startswith(site)] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("only support integer index", "rules/tensor-subscript.html"),
        ("HYB301", "rules/unequal-shapes.html"),
        ("baseline", "adopting.html"),
    ],
)
def test_search_finds(page: Page, site: str, words: str, expected: str) -> None:
    page.goto(site + "index.html")
    page.fill("input.sidebar-search", words)
    page.press("input.sidebar-search", "Enter")
    page.wait_for_selector("#search-results ul.search li a")
    page.wait_for_function("document.querySelector('.search-summary').textContent.includes('found')")
    results = page.eval_on_selector_all("#search-results li > a", "all => all.map(one => one.getAttribute('href'))")
    assert any(one.split("?")[0].split("#")[0] == expected for one in results), results[:10]


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        ("HYB101", {"Best match": "rules/tensor-shape.html"}),
        ("shape", {"Rules": "rules/tensor-shape.html", "Operators": "operators/shape_array.html"}),
        ("broadcast_add", {"Best match": "operators/broadcast_add.html", "Rules": "rules/unequal-shapes.html"}),
        ("F.broadcast_add()", {"Best match": "operators/broadcast_add.html"}),
        ("hybridize", {"Best match": "hybridize.html"}),
        ("verify", {"Best match": "proof.html", "Pages": "python.html"}),
    ],
)
def test_search_groups_what_it_finds(page: Page, site: str, words: str, groups: dict[str, str]) -> None:
    page.goto(f"{site}search.html?q={words}")
    page.wait_for_selector("#search-results .group li a")
    found = page.eval_on_selector_all(
        "#search-results .group",
        "all => all.map(one => [one.querySelector('h3').textContent, one.querySelector('a').getAttribute('href')])",
    )
    shot(page, f"search-{words.strip('F.()')}")
    titles = [title for title, _ in found]
    assert titles == [title for title in ("Best match", "Rules", "Pages", "Operators") if title in titles]
    first = dict(found)
    assert {title: first[title] for title in groups} == groups


def test_a_long_group_unfolds(page: Page, site: str) -> None:
    page.goto(f"{site}search.html?q=shape")
    operators = page.locator("#search-results .of-operator")
    assert operators.locator("li").count() == 6
    operators.locator("button").click()
    assert operators.locator("li").count() > 400


def test_dark_and_light(page: Page, site: str) -> None:
    def colour() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    page.emulate_media(color_scheme="light")
    page.goto(site + "architecture.html")
    light = colour()
    shot(page, "architecture-light")
    page.emulate_media(color_scheme="dark")
    assert colour() != light
    shot(page, "architecture-dark")
    dark_text = page.evaluate("getComputedStyle(document.querySelector('.drawing .title')).fill")
    page.evaluate("document.body.dataset.theme = 'light'")
    assert colour() == light
    assert page.evaluate("getComputedStyle(document.querySelector('.drawing .title')).fill") != dark_text


def test_the_switch_of_the_theme(page: Page, site: str) -> None:
    page.goto(site + "index.html")
    seen = set()
    for _ in range(3):
        page.locator("button.theme-toggle").locator("visible=true").first.click()
        seen.add(page.evaluate("document.body.dataset.theme"))
    assert seen == {"auto", "light", "dark"}


@pytest.mark.parametrize("width", [360, 768])
def test_no_page_is_wider_than_a_narrow_screen(html: Path, page: Page, site: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    names = [name for name in all_pages(html) if not name.startswith(("rules/", "operators/"))]
    names += [f"operators/{name}.html" for name in ("Convolution", "RNN", "_contrib_box_nms", "_multi_lamb_update")]
    names += ["rules/index.html", "rules/tensor-shape.html", "rules/frozen-state.html"]
    wide = []
    for name in names:
        page.goto(site + name)
        if page.evaluate("document.scrollingElement.scrollWidth") > width:
            wide.append(name)
        if name in {"index.html", "rules/index.html", "playground.html", "operators.html"}:
            shot(page, f"{name.replace('/', '-')}-{width}")
    assert wide == []


def test_wide_tables_become_blocks_on_a_narrow_screen(page: Page, site: str) -> None:
    page.goto(site + "status.html")
    cell = page.locator("article table tbody tr td").nth(1)
    content = "one => getComputedStyle(one, '::before').content"
    assert cell.evaluate(content) == "none"
    page.set_viewport_size({"width": 390, "height": 800})
    assert "measured" in cell.evaluate(content + ".replace('attr(data-label)', one.dataset.label)")
    box = cell.bounding_box()
    assert box is not None
    assert box["width"] > 300


def test_the_navigation_opens_on_a_narrow_screen(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(site + "index.html")
    link = page.locator(".sidebar-tree a", has_text="Tutorial")
    box = link.bounding_box()
    assert not link.is_visible() or (box is not None and box["x"] < 0)
    page.locator("label.mobile-header-nav, .nav-overlay-icon").first.click()
    page.wait_for_timeout(500)
    link.click()
    page.wait_for_url("**/tutorial.html")


# ---- the playground --------------------------------------------------------------------------------------------------


@pytest.fixture
def playground(pyodide: Path | None, page: Page, site: str) -> Page:
    if pyodide is None:
        pytest.skip(
            f"pyodide@{PYODIDE} of npm and libcst {LIBCST} of PyPI cannot be fetched, and PYODIDE names no folder"
        )
    page.goto(site + "playground.html")
    page.wait_for_function(
        "/finding|Nothing|could not|web server/.test(document.querySelector('#bench .state').textContent)",
        timeout=120_000,
    )
    return page


def settled(page: Page, state: str) -> None:
    page.wait_for_function(
        "text => document.querySelector('#bench .state').textContent === text", arg=state, timeout=60_000
    )


def findings(page: Page) -> list[tuple[str, str]]:
    rows = page.eval_on_selector_all(
        "#bench .findings article p",
        "all => all.map(one => [one.querySelector('button').textContent, one.querySelector('a').textContent])",
    )
    return [(place, code) for place, code in rows]


def test_the_playground_finds_what_the_library_finds(playground: Page) -> None:
    shot(playground, "playground")
    for text in (playground.input_value("#bench textarea"), _source("x += 1\nreturn x.T + x[0]")):
        told = hybridlint.check_source(text, "playground.py").diagnostics
        playground.fill("#bench textarea", text)
        settled(playground, f"{len(told)} findings")
        expected = [(f"{one.location.row}:{one.location.column}", one.code) for one in told]
        assert findings(playground) == expected


def test_a_page_without_a_network_says_so(pyodide: Path | None, page: Page, site: str) -> None:
    if pyodide is None:
        pytest.skip("the site was built without the playground")
    page.route("**/pyodide.mjs", lambda route: route.abort())
    page.goto(site + "playground.html")
    page.wait_for_function("/Python could not be loaded/.test(document.querySelector('#bench .state').textContent)")
    assert f"{site}_static/pyodide/" in page.inner_text("#bench .state")


def test_fixes_are_shown_and_applied(playground: Page) -> None:
    text = _source("x += 1\nreturn x[0]")
    fixed = hybridlint.check_source(text, "playground.py", fix=True).fixed
    assert fixed is not None
    playground.fill("#bench textarea", text)
    settled(playground, "2 findings")
    assert "+        x = x + 1" in (playground.text_content("#bench .changes") or "")
    playground.click("#bench button[name=apply]")
    settled(playground, "Nothing found")
    assert playground.input_value("#bench textarea") == fixed.after
    assert playground.locator("#bench button[name=apply]").is_disabled()


def test_one_fix_is_applied(playground: Page) -> None:
    playground.fill("#bench textarea", _source("x += 1\nreturn x[0]"))
    settled(playground, "2 findings")
    playground.locator("#bench .fix").first.click()
    # Until the new text is checked, the fixes on the page are of the old one.
    assert playground.eval_on_selector("#bench .answers", "one => one.inert")
    settled(playground, "1 finding")
    assert not playground.eval_on_selector("#bench .answers", "one => one.inert")
    assert "x = x + 1\n        return x[0]" in playground.input_value("#bench textarea")


def test_findings_look_as_in_a_terminal(playground: Page) -> None:
    text = _source("x += 1\nreturn x * 2")
    [finding] = hybridlint.check_source(text, "playground.py").diagnostics
    playground.fill("#bench textarea", text)
    settled(playground, "1 finding")
    row, column = finding.location.row, finding.location.column
    shown = playground.inner_text("#bench .findings article p")
    assert shown == f"{row}:{column} {finding.code} [*] error: {finding.message.replace('`', '')}"
    picture = playground.inner_text("#bench .findings article pre")
    assert f"{row} -         x += 1" in picture
    assert f"{row} +         x = x + 1" in picture
    assert "= fix: as shown" in picture


@pytest.mark.parametrize(("width", "share"), [(1440, 0.45), (1024, 0.45), (390, 0.85)])
def test_the_editor_is_wide_and_cuts_no_line(playground: Page, width: int, share: float) -> None:
    playground.set_viewport_size({"width": width, "height": 900})
    long = _source("return " + " + ".join(f"self.layer_{k}(x)" for k in range(20)))
    playground.fill("#bench textarea", long)
    editor = playground.locator("#bench .editor")
    box = editor.bounding_box()
    assert box is not None
    assert box["width"] >= share * width
    assert editor.evaluate("one => one.scrollWidth <= one.clientWidth")
    # Both layers break lines alike, so that marks lie below what they mark.
    assert editor.evaluate("one => one.children[0].scrollHeight === one.children[1].scrollHeight")
    shot(playground, f"playground-{width}")


def test_python_is_coloured(playground: Page) -> None:
    text = '# note\n@hook\ndef f(x=1.5e3):\n    """doc\n    # "no comment"""" \n    return None if x else \'a#b\'\n'
    playground.fill("#bench textarea", text)
    spans = playground.eval_on_selector_all(
        "#bench .editor pre span[class]:not([class=''])", "all => all.map(one => [one.className, one.textContent])"
    )
    coloured = [tuple(span) for span in spans]
    expected = {"c1": "# note", "nd": "@hook", "nf": "f", "mi": "1.5e3", "kc": "None"}
    assert {name: dict(coloured[::-1])[name] for name in expected} == expected
    assert ("s2", '    # "no comment"""') in coloured
    assert ("s2", "'a#b'") in coloured
    assert [words for name, words in coloured if name == "k"] == ["def", "return", "if", "else"]
    assert playground.text_content("#bench .editor pre") == text.replace("\n", "")


def test_unsafe_fixes_are_asked_for(playground: Page) -> None:
    text = _source("print(x)\nreturn x")
    playground.fill("#bench textarea", text)
    playground.wait_for_function("document.querySelector('.findings a')?.textContent === 'HYB701'")
    assert playground.locator("#bench .all").is_hidden()
    assert playground.locator("#bench .fix").count() == 0
    playground.check("#bench input[name=unsafe]")
    playground.wait_for_function("document.querySelector('#bench .changes').textContent.includes('print')")
    assert playground.locator("#bench .fix").first.is_visible()


def test_text_that_is_no_python(playground: Page) -> None:
    playground.fill("#bench textarea", "class Net(")
    settled(playground, "1 finding")
    assert findings(playground)[0][1] == "HYB001"


def test_a_finding_leads_to_its_place_and_its_page(playground: Page) -> None:
    playground.fill("#bench textarea", _source("return x.T"))
    settled(playground, "1 finding")
    playground.click("#bench .findings .place")
    selected = "at => at.value.slice(at.selectionStart, at.selectionEnd)"
    assert playground.eval_on_selector("#bench textarea", selected) == "x.T"
    playground.click("#bench .findings a")
    playground.wait_for_url("**/rules/tensor-transpose.html")


def test_an_address_holds_the_code(playground: Page, site: str) -> None:
    text = _source("return x.T  # ä")
    playground.fill("#bench textarea", text)
    playground.click("#bench button[name=link]")
    address = playground.url
    playground.goto("about:blank")
    playground.goto(address)
    playground.wait_for_function("text => document.querySelector('#bench textarea')?.value === text", arg=text)


def test_the_page_of_a_rule_opens_its_example(playground: Page, site: str) -> None:
    playground.goto(site + "rules/tensor-transpose.html")
    playground.click("text=Try it in the playground")
    playground.wait_for_url("**/playground.html#example=HYB104")
    playground.wait_for_function("document.querySelector('#bench textarea')?.value.includes('x.T')")


def _source(body: str) -> str:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return f"from mxnet.gluon import nn\n\n\nclass Net(nn.HybridBlock):\n    def hybrid_forward(self, F, x):\n{lines}"
