"""What the check of one file may take: more is a failure of that file, told in a sentence."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from hybridlint.checking import check_limits, checker
from hybridlint.checking.checker import Job, check
from hybridlint.project.settings.config import Config


def _failing(monkeypatch: pytest.MonkeyPatch, error: BaseException | None) -> str | None:
    def work(job: Job, kept: object) -> None:
        while error is None:
            # Handlers of `Exception` do not hold the end up.
            with suppress(Exception):
                sum(range(100))
        raise error

    monkeypatch.setattr(checker, "_check", work)
    return check(Job(Path("net.py"), b"", Config(root=Path()))).failure


def test_a_check_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_limits, "SECONDS", 0.05)
    failure = _failing(monkeypatch, None)
    assert failure is not None
    assert "s of processor time" in failure


def test_a_check_without_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "MB of memory" in str(_failing(monkeypatch, MemoryError()))


def test_code_that_is_nested_too_deeply_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nested too deeply" in str(_failing(monkeypatch, RecursionError()))


def test_a_crash_is_told_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = str(_failing(monkeypatch, KeyError("name")))
    assert failure.startswith("the analysis crashed; please report this:\nTraceback")


def test_nothing_is_bounded_after_a_check() -> None:
    import signal

    check(Job(Path("net.py"), b"x = 1\n", Config(root=Path())))
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_what_earlier_files_have_left_is_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("memory is bounded on Linux alone")
    import resource

    set_to: list[int] = []
    monkeypatch.setattr(check_limits._Process, "expendable", True)
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: set_to.append(limits[0]))
    left = []
    for _ in range(2):
        with check_limits.bound_resources():
            left.append(bytearray(50_000_000))
    memory = [limit for limit in set_to if limit > check_limits.MEMORY]
    assert memory[1] - memory[0] > 40_000_000


def test_a_system_without_a_clock_of_processor_time_bounds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    monkeypatch.delattr(signal, "setitimer")
    with check_limits.bound_resources():
        pass
    assert check(Job(Path("net.py"), b"x = 1\n", Config(root=Path()))).failure is None


CHAINS = {
    "terms": "        y = " + "x + " * 1000 + "1\n",
    "powers": "        y = " + "x ** " * 1000 + "2\n",
    "methods": "        y = x" + ".relu()" * 1000 + "\n",
    "branches": "        if self.k == 0:\n            pass\n"
    + "".join(f"        elif self.k == {number}:\n            pass\n" for number in range(400)),
}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="calls take of the stack there")
@pytest.mark.parametrize("chain", CHAINS)
def test_what_stands_beside_a_long_chain_is_found(chain: str) -> None:
    head = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
    text = head + CHAINS[chain] + "        return x.asnumpy()\n"
    before = sys.getrecursionlimit()
    result = check(Job(Path("net.py"), text.encode(), Config(root=Path())))
    assert result.failure is None
    assert "tensor-to-python" in {found.name for found in result.diagnostics}
    assert sys.getrecursionlimit() == before
