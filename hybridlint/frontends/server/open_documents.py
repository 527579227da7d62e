"""The documents that are open in the editor, and what was found in each; a notebook's cells are one program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from hybridlint.checking.pipeline import Pipeline, PipelineSteps, forget
from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import UsageError
from hybridlint.core.result import Result
from hybridlint.frontends.server.convert import SOURCE, Text, diagnostic
from hybridlint.frontends.server.no_fix import why_no_safe_fix
from hybridlint.frontends.server.proofs import Proofs
from hybridlint.project.documents.places import place_results
from hybridlint.text.definitions import class_at
from hybridlint.text.source import SourceFile

#: Bytes of a document that is checked while it is edited; generated code has more, and takes minutes.
MOST_BYTES = 4_000_000

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.hover import HoverInfo
    from hybridlint.core.proof_outcome import ProofOutcome


class OpenDocuments:
    """Checks documents as they are in the editor, and keeps the last result of each."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._results: dict[str, Result] = {}
        self._inferred: dict[str, tuple[bytes, dict[str, list[HoverInfo]]]] = {}
        self._tried: dict[str, tuple[bytes, Result | None]] = {}
        self.proofs = Proofs()

    def text(self, uri: str) -> Text:
        """Return the text of a document."""
        workspace = self._server.workspace
        return Text(uri, workspace.get_text_document(uri).lines, workspace.position_codec)

    def result(self, uri: str) -> Result | None:
        """Return the findings in a document, None if it could not be checked."""
        return self._results.get(uri)

    def publish(self, uri: str) -> None:
        """Check a document, and tell the editor what is found. With a cell all of its notebook is checked."""
        results = self._checked(uri, fix=False)
        for each in self._together(uri):
            self._results.pop(each, None)
            if each in results:
                self._results[each] = results[each]
            self.tell(each)

    def tell(self, uri: str) -> None:
        """Tell the editor the last findings in a document, and the outcomes of proofs of its blocks."""
        result, text = self._results.get(uri), self.text(uri)
        found = [] if result is None else [diagnostic(one, text) for one in result.diagnostics]
        found += self.proofs.diagnostics(uri, text)
        version = self._server.workspace.get_text_document(uri).version
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def publish_all(self) -> None:
        """Check all documents again, because a file that they import may have changed."""
        forget()
        self._inferred.clear()
        self._tried.clear()
        done: set[str] = set()
        for uri in list(self._server.workspace.text_documents):
            if uri not in done:
                self.publish(uri)
                done.update(self._together(uri))

    def close(self, uri: str) -> None:
        """Forget a document, and take its findings out of the editor."""
        self._results.pop(uri, None)
        self._inferred.pop(uri, None)
        self._tried.pop(uri, None)
        self.proofs.forget(uri)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def fixed(self, uri: str) -> Result | None:
        """Return the result of a document with all safe fixes made in memory."""
        return self._checked(uri, fix=True).get(uri)

    def why_no_safe_fix(self, uri: str, found: Diagnostic) -> str | None:
        """Return why a finding in a document has no safe fix, None if it has one."""
        data = self._bytes(uri, self._notebook(uri))
        known = self._tried.get(uri)
        if known is None or known[0] != data:
            known = self._tried[uri] = data, self._checked(uri, fix=True, unsafe=True).get(uri)
        return why_no_safe_fix(found, known[1])

    def fixed_class(self, uri: str, row: int) -> tuple[str, Result] | None:
        """Return the class around a row that has several safe fixes, and the result of making these in memory.

        A notebook's classes have none: its cells are fixed together.
        """
        result = self._results.get(uri)
        if result is None or self._notebook(uri) is not None:
            return None
        name, rows = class_at(SourceFile(result.path, result.text).tree, row)
        safe = [one for one in result.diagnostics if one.location.row in rows and one.fixable(unsafe=False)]
        if len(safe) < 2:
            return None
        pipeline = Pipeline(CheckSession(use_cache=False), PipelineSteps(fix=True, new=True))
        return name, pipeline.fixed_class(result.path, self._bytes(uri, None), name)

    def inferred(self, uri: str) -> list[HoverInfo]:
        """Return the inferred values of the names in a module, or in a cell that follows other cells."""
        notebook = self._notebook(uri)
        whole = uri if notebook is None else notebook.uri
        data = self._bytes(uri, notebook)
        if len(data) > MOST_BYTES:
            return []
        known = self._inferred.get(whole)
        if known is None or known[0] != data:
            known = self._inferred[whole] = data, self._inferred_in(whole, data, notebook)
        return known[1].get(uri, [])

    def _inferred_in(
        self, whole: str, data: bytes, notebook: types.NotebookDocument | None
    ) -> dict[str, list[HoverInfo]]:
        pipeline = Pipeline(CheckSession(use_cache=False), PipelineSteps())
        if notebook is None:
            return {whole: pipeline.inferred(_path(whole), data)}
        found = pipeline.inferred_in_cells(_path(whole), data)
        return {cell.document: found.get(number, []) for number, cell in enumerate(notebook.cells, 1)}

    def blocks(self, uri: str) -> dict[str, int]:
        """Return the blocks of a module that can be proved, each with its row."""
        if self._notebook(uri) is not None:
            return {}
        source = self._server.workspace.get_text_document(uri).source
        return (
            {}
            if len(source) > MOST_BYTES
            else Pipeline(CheckSession(use_cache=False), PipelineSteps()).blocks(_path(uri), source)
        )

    def proved(self, uri: str, block: str) -> list[ProofOutcome]:
        """Prove a block of a module, as it is in the editor. This runs the project's code."""
        source = self.source(uri)
        return Pipeline(CheckSession(use_cache=False), PipelineSteps()).proved_text(_path(uri), source, [block])

    def source(self, uri: str) -> str:
        """Return the whole text of a document."""
        return self._server.workspace.get_text_document(uri).source

    def protected(self, result: Result) -> tuple[str, ...]:
        """Return the selectors of the rules that no comment in a document may silence."""
        return Pipeline(CheckSession(use_cache=False), PipelineSteps()).protected(result)

    def _checked(self, uri: str, *, fix: bool, unsafe: bool = False) -> dict[str, Result]:
        """Return the results of a document, or of all cells of its notebook. Wrong settings are told."""
        notebook = self._notebook(uri)
        path = _path(uri if notebook is None else notebook.uri)
        data = self._bytes(uri, notebook)
        if len(data) > MOST_BYTES:
            told = f"{SOURCE}: {path} has more than {MOST_BYTES:,} bytes and is not checked in the editor"
            self._server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, told))
            return {}
        pipeline = Pipeline(CheckSession(use_cache=False), PipelineSteps(fix=fix, unsafe=unsafe, new=True))
        try:
            results = pipeline.of_text(path, data).results
        except UsageError as error:
            wrong = types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {error}")
            self._server.window_show_message(wrong)
            return {}
        for result in results:
            if result.failure is not None:
                failed = f"{path}: {result.failure}"
                self._server.window_log_message(types.LogMessageParams(types.MessageType.Error, failed))
        if notebook is None:
            return {uri: results[0]}
        cells = {number: cell.document for number, cell in enumerate(notebook.cells, 1)}
        return {cells[each.cell]: each for each in place_results(results) if each.cell is not None}

    def _bytes(self, uri: str, notebook: types.NotebookDocument | None) -> bytes:
        documents = self._server.workspace
        if notebook is None:
            return documents.get_text_document(uri).source.encode()
        cells = [self._cell(cell) for cell in notebook.cells]
        whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(whole, indent=1, ensure_ascii=False).encode()

    def _cell(self, cell: types.NotebookCell) -> dict[str, object]:
        """Return a cell in the form of a notebook file, without the code of other languages."""
        document = self._server.workspace.text_documents.get(cell.document)
        code = cell.kind is types.NotebookCellKind.Code and document is not None
        source = document.source if code and document is not None and document.language_id == "python" else ""
        kind = "code" if code else "markdown"
        return {"cell_type": kind, "metadata": {}, "source": source}

    def _notebook(self, uri: str) -> types.NotebookDocument | None:
        return self._server.workspace.get_notebook_document(cell_uri=uri)

    def _together(self, uri: str) -> Iterator[str]:
        """Yield the documents that are checked together with one: the cells of its notebook."""
        notebook = self._notebook(uri)
        if notebook is None:
            yield uri
            return
        open_ones = self._server.workspace.text_documents
        yield from (cell.document for cell in notebook.cells if cell.document in open_ones)


def _path(uri: str) -> Path:
    return Path(uris.to_fs_path(uri) or uri)
