"""The documents that are open in the editor, and what was found in each."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from hybridlint.checking.pipeline import Pipeline, Steps
from hybridlint.checking.session import Session
from hybridlint.errors import UsageError
from hybridlint.result import Result
from hybridlint.server.convert import SOURCE, Text, diagnostic


class OpenDocuments:
    """Checks documents as they are in the editor, and keeps the last result of each."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._results: dict[str, Result] = {}

    def text(self, uri: str) -> Text:
        """Return the text of a document."""
        workspace = self._server.workspace
        return Text(uri, workspace.get_text_document(uri).lines, workspace.position_codec)

    def result(self, uri: str) -> Result | None:
        """Return what was found in a document, None if it could not be checked."""
        return self._results.get(uri)

    def publish(self, uri: str) -> None:
        """Check a document, and tell the editor what is found."""
        self._results.pop(uri, None)
        result, found = self.checked(uri), list[types.Diagnostic]()
        if result is not None:
            self._results[uri] = result
            text = self.text(uri)
            found = [diagnostic(each, text) for each in result.diagnostics]
        version = self._server.workspace.get_text_document(uri).version
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def publish_all(self) -> None:
        """Check all documents again: what one of them imports may have changed."""
        for uri in list(self._server.workspace.text_documents):
            self.publish(uri)

    def close(self, uri: str) -> None:
        """Forget a document, and take its findings out of the editor."""
        self._results.pop(uri, None)
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def checked(self, uri: str, *, fix: bool = False) -> Result | None:
        """Return the result of a document as it is now, with `fix` fixed in memory. Wrong settings are told."""
        source = self._server.workspace.get_text_document(uri).source
        path = Path(uris.to_fs_path(uri) or uri)
        pipeline = Pipeline(Session(use_cache=False), Steps(fix=fix, new=True))
        try:
            [result] = pipeline.of_text(path, source.encode()).results
        except UsageError as error:
            told = types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {error}")
            self._server.window_show_message(told)
            return None
        if result.failure is not None:
            self._server.window_log_message(
                types.LogMessageParams(types.MessageType.Error, f"{path}: {result.failure}")
            )
        return result
