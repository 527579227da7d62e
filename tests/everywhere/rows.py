"""Rows of the table: where the tests run, and what they gave there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .interpreters import Version

NEWEST = "numpy"


@dataclass(frozen=True, slots=True)
class Row:
    """A place to run the tests in: a Python, a requirement on numpy, and a kernel where not its own choice."""

    name: str
    python: Version
    numpy: str = NEWEST
    kernel: str | None = None

    @property
    def environment(self) -> str:
        """The name of the environment's folder."""
        return "{}.{}-".format(*self.python) + re.sub(r"[^\w.]+", "-", self.numpy)


@dataclass(frozen=True, slots=True)
class Result:
    """What the tests gave in a row; `note` says why they were not run."""

    row: str
    of: str
    python: str = ""
    numpy: str = ""
    kernel: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0
    failures: tuple[str, ...] = ()
    note: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing failed; what cannot be run here is no failure."""
        return bool(self.note) or (self.passed > 0 and not self.failed)


def rows(pythons: Sequence[Version], kernels: Sequence[str], oldest: str) -> Iterator[Row]:
    """Yield each kernel on the newest Python, each Python with the newest numpy, the oldest Python with the oldest."""
    for kernel in kernels:
        yield Row(kernel, max(pythons), kernel=kernel)
    for python in pythons:
        yield Row("python {}.{}".format(*python), python)
    yield Row("oldest", min(pythons), f"numpy=={oldest}")


def summarized(row: Row, of: str, output: str) -> Result:
    """Return what the last lines of pytest say."""
    last = next((line for line in reversed(output.splitlines()) if re.search(r" in [\d.]+s", line)), "")
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", last)}
    seconds = re.search(r" in ([\d.]+)s", last)
    return Result(
        row.name,
        of,
        passed=counts.get("passed", 0),
        failed=counts.get("failed", 0) + counts.get("error", 0),
        skipped=counts.get("skipped", 0),
        seconds=float(seconds[1]) if seconds else 0,
        failures=tuple(re.findall(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", output, re.MULTILINE)),
    )


def kept(path: Path) -> dict[tuple[str, str], Result]:
    """Return the results that a file holds, by row and by what was tested; the last of each."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    results = [Result(**{**found, "failures": tuple(found["failures"])}) for found in map(json.loads, lines)]
    return {(result.row, result.of): result for result in results}


def keep(path: Path, result: Result) -> None:
    """Add a result to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def table(results: Sequence[Result]) -> str:
    """Return results as lines of a table, and the names of the tests that failed."""
    lines: list[tuple[str, ...]] = [("where", "python", "numpy", "kernel", "passed", "failed", "skipped", "seconds")]
    for r in results:
        numbers = (r.passed, r.failed, r.skipped, round(r.seconds))
        lines.append((r.row, r.python, r.numpy, r.kernel, *map(str, numbers)) if not r.note else (r.row, r.note))
    widths = [max(len(line[k]) for line in lines if len(line) > 2) for k in range(len(lines[0]))]
    widths[0] = max(len(line[0]) for line in lines)
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=False)).rstrip() for line in lines]
    return "\n".join([*text, *(f"{r.row}: {name}" for r in results for name in r.failures)])
