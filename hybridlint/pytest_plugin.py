"""The plugin of pytest: a fixture for tests of blocks, and options that watch a whole test run.

It is loaded wherever hybridlint is installed, so that nothing is imported here that a run does not ask for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

STRICT, RECORD = "--hybridlint-strict", "--hybridlint-record"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("hybridlint")
    group.addoption(STRICT, action="store_true", help="let hybrid blocks that run eagerly raise where they cannot")
    group.addoption(RECORD, action="store_true", help="keep how blocks are built and called, for hybridlint check")


def pytest_configure(config: pytest.Config) -> None:
    """Begin what the options ask for."""
    if config.getoption(STRICT):
        config.pluginmanager.register(_Strict(), "hybridlint-strict")
    if config.getoption(RECORD):
        config.pluginmanager.register(_Record(config), "hybridlint-record")


@pytest.fixture(scope="session")
def assert_hybridizable() -> Callable[..., None]:
    """``assert_hybridizable(block, *inputs)`` fails where a block does not compile to what it computes eagerly."""
    from hybridlint.api.proof import assert_hybridizable

    return assert_hybridizable


class _Strict:
    """Runs each test within `hybridlint.strict`."""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self) -> Generator[None, None, None]:
        """Let blocks that run eagerly in a test raise."""
        from hybridlint.api.strictness import strict

        with strict():
            yield


class _Record:
    """Watches the blocks of the project for as long as the tests run; with pytest-xdist each worker does."""

    def __init__(self, config: pytest.Config) -> None:
        self.root = config.rootpath
        self.leads = bool(getattr(config.option, "numprocesses", None)) and not hasattr(config, "workerinput")
        self.said = "the workers record what is called"
        self.watching = ExitStack()

    def pytest_sessionstart(self) -> None:
        """Watch from before the tests are imported, where there is an mxnet."""
        if self.leads:
            return
        try:
            mx: Any = importlib.import_module("mxnet")
        except ImportError:
            self.said = "nothing is recorded: there is no mxnet; `hybridlint run -m pytest` brings one"
            return
        from hybridlint.checking.session import Session
        from hybridlint.record.child.book import Book
        from hybridlint.record.child.watch import Watcher

        config = Session().config(self.root)
        book = Book()
        self.watching.callback(self._save, book, config.root / config.recorded)
        self.watching.enter_context(Watcher(mx, str(config.root), book).installed())

    def pytest_sessionfinish(self) -> None:
        """Write what was seen."""
        self.watching.close()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say where it is."""
        terminalreporter.write_line(f"hybridlint: {self.said}")

    def _save(self, book: Any, path: Path) -> None:
        if not book.blocks:
            self.said = "no block of the project was called"
            return
        book.save(str(path))
        self.said = f"{len(book.blocks)} class{'es' if len(book.blocks) > 1 else ''} in {path}"
