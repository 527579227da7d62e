"""The language server: its handlers of opened and changed documents, and of requests of the editor."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from hybridlint import __version__
from hybridlint.core.diagnostic import SourceLocation
from hybridlint.core.errors import UsageError
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.frontends.server import actions, knowledge, proofs
from hybridlint.frontends.server.convert import SOURCE, at, innermost
from hybridlint.frontends.server.open_documents import OpenDocuments
from hybridlint.project.adoption.baseline import FILE_NAME as BASELINE
from hybridlint.project.settings.settings_files import FILE_NAMES

#: The notebooks whose cells the server reads: all that hold Python.
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithCells(cells=[types.NotebookCellLanguage(language="python")]),
    ],
    save=True,
)
#: The files whose change changes what is found: settings and the baseline.
_WATCHED = f"**/{{{','.join((*FILE_NAMES, BASELINE))}}}"
_SEVERITIES = {ProofStatus.PROVED: types.MessageType.Info, ProofStatus.REFUTED: types.MessageType.Error}


def create() -> LanguageServer:
    """Return a server that waits to be started."""
    sync = types.TextDocumentSyncKind.Incremental
    server = LanguageServer(SOURCE, f"v{__version__}", text_document_sync_kind=sync, notebook_document_sync=_NOTEBOOKS)
    documents = OpenDocuments(server)
    _register_changes(server, documents)
    _register_settings(server, documents)
    _register_notebooks(server, documents)
    _register_actions(server, documents)
    _register_knowledge(server, documents)
    _register_proof(server, documents)
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


def _register_settings(server: LanguageServer, documents: OpenDocuments) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = None if workspace is None else workspace.did_change_watched_files
        if watching is None or not watching.dynamic_registration:
            return
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(_WATCHED)])
        wanted = types.Registration(f"{SOURCE}.settings", method, options)
        server.client_register_capability(types.RegistrationParams([wanted]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed(params: types.DidChangeWatchedFilesParams) -> None:
        documents.publish_all()


def _register_notebooks(server: LanguageServer, documents: OpenDocuments) -> None:
    def publish(uri: str) -> None:
        notebook = server.workspace.get_notebook_document(notebook_uri=uri)
        cells = () if notebook is None else (cell.document for cell in notebook.cells)
        # Of other cells than those of Python the editor tells no text.
        first = next((cell for cell in cells if cell in server.workspace.text_documents), None)
        if first is not None:
            documents.publish(first)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        publish(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        publish(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveNotebookDocumentParams) -> None:
        documents.publish_all()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents:
            documents.close(cell.uri)


def _register_actions(server: LanguageServer, documents: OpenDocuments) -> None:
    kinds = types.CodeActionOptions(code_action_kinds=[actions.QUICK_FIX, actions.FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        result, text = documents.result(uri), documents.text(uri)
        made: list[types.CodeAction] = []
        if result is not None and actions.is_wanted(actions.QUICK_FIX.value, params.context):
            protected = documents.protected(result)
            for found in at(result, text, params.range):
                made += actions.on_finding(found, result, text, protected)
                reason = documents.why_no_safe_fix(uri, found)
                made += () if reason is None else (actions.no_fix(found, reason, text),)
            block = documents.fixed_class(uri, params.range.start.line + 1)
            made += () if block is None else actions.fix_class(*block, text)
        if result is not None and actions.is_wanted(actions.FIX_ALL, params.context):
            fixed = documents.fixed(uri)
            made += () if fixed is None else actions.fix_all(fixed, text)
        return made

    @server.command(actions.WHY_NO_FIX)
    def why_no_fix(reason: str) -> None:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, reason))


def _register_knowledge(server: LanguageServer, documents: OpenDocuments) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        result, text = documents.result(uri), documents.text(uri)
        found = None if result is None else innermost(result, text, params.position)
        reason = None if found is None else documents.why_no_safe_fix(uri, found)
        return knowledge.hover(found, reason, documents.inferred(uri), text, params.position)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        return list(knowledge.hints(documents.inferred(uri), documents.text(uri), params.range))


def _register_proof(server: LanguageServer, documents: OpenDocuments) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        text, source = documents.text(uri), documents.source(uri)
        made: list[types.CodeLens] = []
        for name, row in documents.blocks(uri).items():
            place = SourceLocation(row, 1)
            title = documents.proofs.title(uri, name, source)
            command = types.Command(title, proofs.PROVE, arguments=[uri, name])
            made.append(types.CodeLens(text.span(place, place), command))
        return made

    @server.command(proofs.PROVE)
    @server.thread()
    def prove(uri: str, block: str) -> list[dict[str, object]]:
        source = documents.source(uri)
        documents.proofs.begin(uri, block, source)
        _refresh_lenses(server)
        outcomes: list[ProofOutcome] = []
        try:
            outcomes = documents.proved(uri, block)
        except UsageError as error:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {error}"))
        finally:
            documents.proofs.end(uri, block, source, outcomes[0] if outcomes else None)
            documents.tell(uri)
            shown = _refresh_lenses(server)
        for outcome in () if shown else outcomes:
            severity = _SEVERITIES.get(outcome.status, types.MessageType.Warning)
            server.window_show_message(types.ShowMessageParams(severity, proofs.message(outcome)))
        return [outcome.to_json() for outcome in outcomes]


def _refresh_lenses(server: LanguageServer) -> bool:
    """Have the editor ask for the lenses again; return whether the editor can."""
    workspace = server.client_capabilities.workspace
    lens = None if workspace is None else workspace.code_lens
    if lens is None or not lens.refresh_support:
        return False
    server.workspace_code_lens_refresh(None)
    return True
