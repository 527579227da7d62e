"""Notebooks and prose: their code is one program, is found and fixed in its place, and nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession
from hybridlint.core.result import Result
from hybridlint.frontends.api.check import check, check_source
from hybridlint.project.documents.document import read_source
from hybridlint.project.documents.places import place_results
from hybridlint.report import diff, streams
from hybridlint.report.report_options import ReportOptions

IMPORTS = "from mxnet.gluon import HybridBlock"
NET = "class Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n        x += 1\n        return F.relu(x)"
FIXED = NET.replace("x += 1", "x = x + 1")
MARKDOWN = f"""\
# A lesson

```{{.python .input}}
{IMPORTS}
```

Prose, and a list:

- with code

  ```python
  class Net(HybridBlock):
      def hybrid_forward(self, F, x):
          x += 1

          return F.relu(x)
  ```

```bash
x += 1
```

```python
not python at all
```
"""
RESTRUCTURED = f"""\
A lesson
========

.. code-block:: python
   :linenos:

   {IMPORTS}

Prose.

.. code:: python

   class Net(HybridBlock):
       def hybrid_forward(self, F, x):
           x += 1
           return F.relu(x)
"""


def _code(*lines: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 3,
        "metadata": {"scrolled": True},
        "outputs": [{"output_type": "stream", "name": "stdout", "text": ["é\u2028\n"]}],
        "source": [f"{line}\n" for line in lines[:-1]] + [lines[-1]],
    }


def _notebook(*cells: dict[str, Any], language: str = "python") -> dict[str, Any]:
    metadata = {"kernelspec": {"name": "k", "display_name": "K", "language": language}}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 2}


LESSON = _notebook(
    {"cell_type": "markdown", "metadata": {}, "source": ["# A lesson\n", "x += 1"]},
    _code("%matplotlib inline", "!pip install mxnet", "?HybridBlock", IMPORTS),
    _code("%%bash", "echo it's not Python"),
    _code(*NET.split("\n")),
    _code("%%time", "Net()"),
)


def _write(folder: Path, notebook: dict[str, Any], **how: Any) -> Path:
    path = folder / "lesson.ipynb"
    path.write_text(json.dumps(notebook, **{"indent": 1, "ensure_ascii": False, **how}) + "\n", encoding="utf-8")
    return path


def _run(path: Path, **steps: bool) -> list[Result]:
    return list(Pipeline(CheckSession(use_cache=False), PipelineSteps(**steps)).of_files([path]).results)


def _report(path: Path, output_format: str = "concise") -> str:
    return streams.for_file(_run(path), output_format, ReportOptions())


def test_a_finding_is_told_by_cell_and_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = _write(tmp_path, LESSON)
    assert _report(path).startswith("lesson.ipynb:cell 4:3:9: HYB302 [*] ")
    assert " --> lesson.ipynb:cell 4:3:9\n" in _report(path, "full")
    assert "\n3 -         x += 1\n3 +         x = x + 1\n" in _report(path, "full")
    (item,) = json.loads(_report(path, "json"))
    assert (item["cell"], item["location"]) == (4, {"row": 3, "column": 9})


def test_fixes_are_written_back_and_nothing_else_changes(tmp_path: Path) -> None:
    path = _write(tmp_path, LESSON)
    expected = json.loads(json.dumps(LESSON))
    expected["cells"][3]["source"][2] = "        x = x + 1\n"
    _run(path, fix=True)
    assert path.read_bytes() == _write(tmp_path, expected).read_bytes()


@pytest.mark.parametrize(
    "how", [{"indent": 2}, {"indent": None}, {"ensure_ascii": True}, {"indent": None, "separators": (",", ":")}]
)
def test_a_notebook_keeps_its_manner_of_writing(tmp_path: Path, how: dict[str, Any]) -> None:
    path = _write(tmp_path, LESSON, **how)
    before = path.read_bytes()
    _run(path, fix=True)
    assert path.read_bytes() == before.replace(b"x += 1\\n", b"x = x + 1\\n")


def test_a_notebook_that_would_not_be_kept_is_not_written(tmp_path: Path) -> None:
    path = _write(tmp_path, LESSON)
    path.write_text(path.read_text(encoding="utf-8").replace('"nbformat": 4', '"nbformat":   4'), encoding="utf-8")
    before = path.read_bytes()
    (result,) = _run(path, fix=True)
    assert path.read_bytes() == before
    assert result.fixed is not None
    assert [drop.reason.partition(";")[0] for drop in result.fixed.dropped] == [
        "the document is written in a way that would not be kept"
    ]


def test_the_diff_is_that_of_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = diff.render(place_results(_run(_write(tmp_path, LESSON), fix=True, written=False)))
    assert "--- lesson.ipynb:cell 4\n" in text
    assert "hybridlint " not in text


def test_a_notebook_of_another_language_holds_no_python(tmp_path: Path) -> None:
    path = _write(tmp_path, _notebook(_code("x <- 1 +"), language="R"))
    assert read_source(path, path.read_bytes()).text == ""


def test_a_cell_that_does_not_parse_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _report(_write(tmp_path, _notebook(_code("a = 1"), _code("a = 1", "b = = 2")))).startswith(
        "lesson.ipynb:cell 2:2:5: HYB001 "
    )


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"nbformat": 3, "cells": []}', b"\xff"])
def test_what_is_no_notebook_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "lesson.ipynb"
    path.write_bytes(data)
    (result,) = _run(path)
    assert [(found.code, found.message.startswith("this is no notebook")) for found in result.diagnostics] == [
        ("HYB001", True)
    ]


@pytest.mark.parametrize(
    ("name", "text", "place"), [("lesson.md", MARKDOWN, "14:9"), ("lesson.rst", RESTRUCTURED, "15:9")]
)
def test_prose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, place: str) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert _report(path).startswith(f"{name}:{place}: HYB302 [*] ")
    _run(path, fix=True)
    assert path.read_text(encoding="utf-8") == text.replace("    x += 1\n", "    x = x + 1\n")


def test_folders_give_notebooks_and_no_prose(tmp_path: Path) -> None:
    _write(tmp_path, LESSON)
    (tmp_path / "lesson.md").write_text(MARKDOWN, encoding="utf-8")
    session = CheckSession(use_cache=False)
    assert [path.name for path in session.files([tmp_path])] == ["lesson.ipynb"]
    assert session.modules([tmp_path]) == []


def test_the_text_of_a_notebook_is_told_by_cells_as_the_file_is(tmp_path: Path) -> None:
    path = _write(tmp_path, LESSON)
    text = path.read_text(encoding="utf-8")
    result = check_source(text, path)
    (found,) = result.diagnostics
    (of_file,) = check(path)
    assert (found.cell, found.location.row, found.location.column) == (4, 3, 9)
    assert of_file.diagnostics == (found,)
    fixed = check_source(text, path, fix=True).fixed
    assert fixed is not None
    assert (fixed.before, fixed.after) == (text, text.replace('x += 1\\n"', 'x = x + 1\\n"'))


def test_the_text_of_a_chapter_is_told_and_fixed_as_a_chapter() -> None:
    fixed = check_source(RESTRUCTURED, "chapter.rst", fix=True).fixed
    assert fixed is not None
    assert fixed.after == RESTRUCTURED.replace("x += 1", "x = x + 1")


def test_a_note_in_another_cell_has_its_place_there(tmp_path: Path) -> None:
    helper = ("", "def doubled(x):", "    x += x", "    return x")
    net = ("class Net(HybridBlock):", "    def hybrid_forward(self, F, x):", "        return doubled(x)")
    path = _write(tmp_path, _notebook(_code(IMPORTS, *helper), _code(*net)))
    (result,) = check(path)
    (found,) = result.diagnostics
    (note,) = found.notes
    assert (found.cell, found.location.row) == (1, 4)
    assert note.message == "called here, in `hybrid_forward`, in cell 2"
    assert (note.location.row, note.filename) == (3, str(path))
