"""The script that runs the tests everywhere: its rows, what it makes of pytest's words, and how it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import interpreters, kernels, rows

PROJECT = """
classifiers = ["Programming Language :: Python :: 3", "Programming Language :: Python :: 3.9",
               "Programming Language :: Python :: 3.10"]
dependencies = ["numpy>=2.0"]
"""
SERVER = kernels.Numpy("3.11.7", "2.4.6", "SkylakeX", frozenset({"SSE2", "AVX2", "AVX512F"}), ("AVX2", "AVX512_SKX"))
LAPTOP = kernels.Numpy("3.11.7", "2.5.5", "Haswell", frozenset({"SSE2", "AVX2"}), ("X86_V3",))
PHONE = kernels.Numpy("3.11.7", "2.5.5", "NEOVERSEN1", frozenset({"NEON"}), ())

OUTPUT = """\
....F..s [100%]
=========================== short test summary info ============================
FAILED tests/models/test_models.py::test_losses[a - b] - AssertionError: 1
ERROR tests/test_docs.py
1 failed, 6 passed, 1 skipped, 3 warnings, 1 error in 12.31s
"""


def test_versions_are_those_of_the_project() -> None:
    assert interpreters.supported(PROJECT) == [(3, 9), (3, 10)]
    assert interpreters.oldest_numpy(PROJECT) == "2.0"
    with pytest.raises(ValueError, match="no lower bound of numpy"):
        interpreters.oldest_numpy("")


@pytest.mark.parametrize(
    ("kernel", "here", "refused", "off"),
    [
        ("Prescott", SERVER, None, "AVX2 AVX512_SKX"),
        ("Zen", SERVER, None, "AVX512_SKX"),
        ("SkylakeX", SERVER, None, None),
        ("Prescott", LAPTOP, None, "X86_V3"),
        ("Haswell", LAPTOP, None, None),
        ("SkylakeX", LAPTOP, "the processor has no AVX512F", None),
        ("Haswell", PHONE, "not an x86-64 processor", None),
    ],
)
def test_a_kernel_and_the_instructions_of_its_time(
    kernel: str, here: kernels.Numpy, refused: str | None, off: str | None
) -> None:
    assert kernels.refusal(kernel, here) == refused
    assert kernels.settings(kernel, here).get("NPY_DISABLE_CPU_FEATURES") == off


def test_rows() -> None:
    found = list(rows.rows([(3, 10), (3, 13)], ["Zen"], "2.0"))
    assert [(row.name, row.python, row.numpy, row.kernel) for row in found] == [
        ("Zen", (3, 13), "numpy", "Zen"),
        ("python 3.10", (3, 10), "numpy", None),
        ("python 3.13", (3, 13), "numpy", None),
        ("oldest", (3, 10), "numpy==2.0", None),
    ]
    assert found[-1].environment == "3.10-numpy-2.0"


def test_results_come_back_and_are_told(tmp_path: Path) -> None:
    row = rows.Row("Zen", (3, 13), kernel="Zen")
    result = rows.summarized(row, "commit", OUTPUT)
    assert (result.passed, result.failed, result.skipped, result.seconds) == (6, 2, 1, 12.31)
    assert result.failures == ("tests/models/test_models.py::test_losses[a", "tests/test_docs.py")
    assert not result.good
    path = tmp_path / "results.jsonl"
    assert rows.kept(path) == {}
    other = rows.Result("SkylakeX", "commit", note="not run: the processor has no AVX512F")
    for kept in (result, other):
        rows.keep(path, kept)
    assert rows.kept(path) == {("Zen", "commit"): result, ("SkylakeX", "commit"): other}
    assert other.good
    lines = rows.table([result, other]).splitlines()
    assert lines[0].split() == ["where", "python", "numpy", "kernel", "passed", "failed", "skipped", "seconds"]
    assert lines[2] == "SkylakeX  not run: the processor has no AVX512F"
    assert lines[-1] == "Zen: tests/test_docs.py"


def test_a_run_of_nothing_is_not_good() -> None:
    assert not rows.summarized(rows.Row("Zen", (3, 13)), "commit", "no tests ran in 0.01s").good
