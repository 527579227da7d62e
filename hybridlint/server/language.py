"""The server: what it does when a document opens, changes, or asks for actions or help."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from hybridlint import __version__
from hybridlint.report.rule_page import page
from hybridlint.rule import find_rule
from hybridlint.server import actions
from hybridlint.server.convert import SOURCE, at
from hybridlint.server.open_documents import OpenDocuments


def create() -> LanguageServer:
    """Return a server that waits to be started."""
    server = LanguageServer(SOURCE, f"v{__version__}", text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
    documents = OpenDocuments(server)
    _register_changes(server, documents)
    _register_questions(server, documents)
    return server


def _register_changes(server: LanguageServer, documents: OpenDocuments) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        documents.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        documents.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        documents.publish_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        documents.close(params.text_document.uri)


def _register_questions(server: LanguageServer, documents: OpenDocuments) -> None:
    kinds = types.CodeActionOptions(code_action_kinds=[actions.QUICK_FIX, actions.FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        result, text = documents.result(uri), documents.text(uri)
        made: list[types.CodeAction] = []
        if result is not None and actions.is_wanted(actions.QUICK_FIX.value, params.context):
            for found in at(result, text, params.range):
                made += actions.on_finding(found, result, text)
        if result is not None and actions.is_wanted(actions.FIX_ALL, params.context):
            fixed = documents.checked(uri, fix=True)
            made += () if fixed is None else actions.fix_all(fixed, text)
        return made

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        result, here = documents.result(uri), types.Range(params.position, params.position)
        found = None if result is None else next(at(result, documents.text(uri), here), None)
        rule = None if found is None else find_rule(found.code)
        return None if rule is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, page(rule)))
