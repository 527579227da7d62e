"""What all tests need before numpy is imported, and how they are handed out."""

import compileall
import gc
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.draws import seed

ROOT = Path(__file__).parents[1]

#: The tests run in a process for each core, so that OpenBLAS has none left for threads of its own; and some of its
#: builds give wrong products when threads of a program multiply at once (OpenBLAS's FAQ advises the same).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
#: The tests start thousands of processes, which would each compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
#: So is what pytest makes of the modules of tests: each run would rewrite their assertions anew.
sys.dont_write_bytecode = False
#: Objects that come between two searches for garbage. Trees of modules have millions, all of them in use, and were
#: searched through again and again: Python's own number takes a third of the time of tests that hold many.
_BETWEEN_SEARCHES = 20_000


def pytest_configure(config: pytest.Config) -> None:
    """Hand out the tests, and compile what nobody else would: the process of a proof keeps no bytecode."""
    # Each process of pytest-xdist takes its share of the tests in their order, so that a module's fixtures are made in
    # one of them; the first that is done takes some of another's.
    if getattr(config.option, "dist", None) == "load":
        config.option.dist = "worksteal"
    # As the package has a plugin, pytest would rewrite the assertions of all its modules, of which a run has no use.
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("hybridlint")
    if not hasattr(config, "workerinput"):
        for folder in ("hybridlint", "fixers", "rules", "runtime"):
            compileall.compile_dir(ROOT / folder, quiet=2)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without a search for garbage, and keep the tests and all modules out of the searches while they run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(_BETWEEN_SEARCHES)
        gc.enable()


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    seed()
