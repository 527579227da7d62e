"""Builds the site: `python -m docs.site`, in the root of a checkout with the extra `docs` installed."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.site.assemble import assemble, pages
from docs.site.plan import ROOT
from docs.site.playground import add_playground
from docs.site.pyodide import fetch_pyodide
from docs.site.search import write_entries

HERE = Path(__file__).parent


def main() -> int:
    """Build the site and return Sphinx's exit status; a link that leads nowhere fails the build."""
    parser = argparse.ArgumentParser(prog="python -m docs.site", description="Build the documentation site.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site", help="where to write it")
    python = parser.add_mutually_exclusive_group()
    python.add_argument("--pyodide", type=Path, metavar="FOLDER", help="take Pyodide from a folder into the site")
    python.add_argument(
        "--without-cdn", action="store_true", help="fetch Pyodide from npm and libcst from PyPI into the site"
    )
    python.add_argument(
        "--without-playground", action="store_true", help="leave out the wheel that the playground loads"
    )
    given = parser.parse_args()
    markdown, html = given.folder / "markdown", given.folder / "html"
    for old in (markdown, html):
        shutil.rmtree(old, ignore_errors=True)
    markdown.mkdir(parents=True)
    texts = pages()
    assemble(texts, markdown)
    settings = ["--conf-dir", str(HERE), "--fail-on-warning", "--keep-going", "--quiet"]
    doctrees = ["--doctree-dir", str(given.folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *settings, *doctrees, str(markdown), str(html)]
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        write_entries(texts, html / "_static")
    if status == 0 and not given.without_playground:
        with tempfile.TemporaryDirectory() as fetched:
            pyodide = fetch_pyodide(Path(fetched)) if given.without_cdn else given.pyodide
            add_playground(html / "_static", pyodide)
    if status == 0:
        print(f"The site is in {html}: `python -m http.server --directory {html}` shows it.")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
