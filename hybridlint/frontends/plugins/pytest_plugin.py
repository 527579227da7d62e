"""The pytest plugin: a fixture for tests of blocks, and options that apply to a whole test run.

pytest loads it wherever hybridlint is installed, so other modules are imported only when a run uses the plugin.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hybridlint.core.result import Result

RUNTIME, STRICT, RECORD = "--hybridlint-runtime", "--hybridlint-strict", "--hybridlint-record"
#: What Python says where a test imports mxnet and there is none.
_NO_MXNET = "No module named 'mxnet'"

# pytest rewrites the assertions of packages that have plugins: it would import the runtime's modules itself, without
# the names that they have as mxnet's, where a program that serves them has begun pytest.
if (_serving := sys.modules.get("hybridlint.launch.serve")) is not None:
    _serving.serve()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("hybridlint")
    group.addoption(RUNTIME, action="store_true", help="import the bundled runtime as mxnet")
    group.addoption(STRICT, action="store_true", help="let hybrid blocks that run eagerly raise where they cannot")
    group.addoption(RECORD, action="store_true", help="keep how blocks are built and called, for hybridlint check")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Serve the runtime before the first file of the project is imported, if the option asks for it."""
    if early_config.known_args_namespace.hybridlint_runtime:
        from hybridlint.launch.serve import serve

        serve()


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugins of the options that are set."""
    config.pluginmanager.register(_Hint(), "hybridlint-hint")
    if config.getoption(STRICT):
        config.pluginmanager.register(_Strict(), "hybridlint-strict")
    if config.getoption(RECORD):
        config.pluginmanager.register(_Record(config), "hybridlint-record")


@pytest.fixture(scope="session")
def assert_hybridizable() -> Callable[..., None]:
    """``assert_hybridizable(block, *inputs)`` fails where a block does not compile to what it computes eagerly."""
    from hybridlint.frontends.api.proof import assert_hybridizable

    return assert_hybridizable


@pytest.fixture(scope="session")
def hybridlint_check() -> Callable[..., tuple[Result, ...]]:
    """``hybridlint_check(path, ...)`` is `hybridlint.check`: a test can assert that files have no findings."""
    from hybridlint.frontends.api.check import check

    return check


class _Hint:
    """Says how tests get an mxnet, where some could not be imported without it."""

    def __init__(self) -> None:
        self.lacking = 0

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count the files that could not be imported without mxnet."""
        self.lacking += report.failed and _NO_MXNET in report.longreprtext

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Name the option that imports the runtime as mxnet."""
        if self.lacking:
            files = "1 file imports" if self.lacking == 1 else f"{self.lacking} files import"
            terminalreporter.write_line(
                f"hybridlint: {files} mxnet, which is not installed: `pytest {RUNTIME}` brings one"
            )


class _Strict:
    """Runs each test within `hybridlint.strict`."""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Make blocks that run eagerly in a test raise where they could not be hybridized."""
        from hybridlint.frontends.api.strictness import strict

        with strict():
            yield


class _Record:
    """Records the project's blocks during the test run; with pytest-xdist each worker does so."""

    def __init__(self, config: pytest.Config) -> None:
        self.root = config.rootpath
        self.leads = bool(getattr(config.option, "numprocesses", None)) and not hasattr(config, "workerinput")
        self.summary = "the workers record what is called"
        self.watching = ExitStack()

    def pytest_sessionstart(self) -> None:
        """Start recording before the tests are imported, if mxnet can be imported."""
        if self.leads:
            return
        try:
            mx: Any = importlib.import_module("mxnet")
        except ImportError:
            self.summary = "nothing is recorded: there is no mxnet; `hybridlint run -m pytest` brings one"
            return
        from hybridlint.checking.session import CheckSession
        from hybridlint.proving.recording.child.run_record import RunRecord
        from hybridlint.proving.recording.child.watch import Watcher

        config = CheckSession().config(self.root)
        book = RunRecord()
        self.watching.callback(self._save, book, config.root / config.recorded)
        self.watching.enter_context(Watcher(mx, str(config.root), book).installed())

    def pytest_sessionfinish(self) -> None:
        """Write the record."""
        self.watching.close()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Report where the record was written."""
        terminalreporter.write_line(f"hybridlint: {self.summary}")

    def _save(self, book: Any, path: Path) -> None:
        if not book.blocks:
            self.summary = "no block of the project was called"
            return
        book.save(str(path))
        self.summary = f"{len(book.blocks)} class{'es' if len(book.blocks) > 1 else ''} in {path}"
