"""Run the tests on every Python, with the oldest and the newest numpy, under several kernels of OpenBLAS.

    python -m tests.everywhere [--kernels NAME ...] [--rows NAME ...] [--again] [PATH ...]
    python -m tests.everywhere --here [--kernels NAME ...] [PATH ...]

What is committed is tested, in a clone and in environments of its own below `.venv-everywhere`. What has been run on
the same commit is not run again, so that a run which was broken off goes on. `--here` takes this interpreter and these
files as they are, under the kernels alone. A kernel that the processor cannot run is named, and so is a Python that is
missing. The exit status is 1 where a test fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from . import interpreters
from .kernels import KERNELS, ask, refusal, settings
from .rows import Result, Row, keep, kept, rows, summarized, table

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / ".venv-everywhere"


def main() -> int:
    """Run what is asked for and print the table."""
    options = _options()
    results = _here(options) if options.here else _everywhere(options)
    print(table(results), flush=True)
    return 0 if all(result.good for result in results) else 1


def _here(options: argparse.Namespace) -> list[Result]:
    version = (sys.version_info[0], sys.version_info[1])
    here = [Row(kernel, version, kernel=kernel) for kernel in options.kernels]
    return [_run(row, Path(sys.executable), ROOT, "here", options) for row in here]


def _everywhere(options: argparse.Namespace) -> list[Result]:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted, there = interpreters.supported(project), interpreters.found()
    pythons = sorted(version for version in there if version >= wanted[0])
    for missing in sorted(set(wanted) - set(there)):
        print("python {}.{} is not on this machine".format(*missing), flush=True)
    commit, checkout = _checkout()
    of = " ".join([commit, *options.paths])
    done = {} if options.again else kept(STATE / "results.jsonl")
    results = []
    for row in rows(pythons, options.kernels, interpreters.oldest_numpy(project)):
        if options.rows and row.name not in options.rows:
            continue
        result = done.get((row.name, of))
        if result is None:
            print(f"{row.name} ...", flush=True)
            python = interpreters.environment(there[row.python], STATE / row.environment, checkout, row.numpy)
            result = _run(row, python, checkout, of, options)
            keep(STATE / "results.jsonl", result)
        results.append(result)
    return results


def _run(row: Row, python: Path, folder: Path, of: str, options: argparse.Namespace) -> Result:
    """Run the tests in a row; their output stays beside the environments."""
    plain = {name: value for name, value in os.environ.items() if name not in {"OPENBLAS_CORETYPE", "PYTHONPATH"}}
    here = ask(str(python), plain)
    reason = refusal(row.kernel, here) if row.kernel is not None else None
    if reason is not None:
        return Result(row.name, of, note=f"not run: {reason}")
    environment = {**plain, **(settings(row.kernel, here) if row.kernel is not None else {})}
    found = ask(str(python), environment)
    output = _tested([str(python), "-m", "pytest"], folder, environment, options)
    STATE.mkdir(exist_ok=True)
    (STATE / f"{row.name}.log").write_text(output, encoding="utf-8")
    result = summarized(row, of, output)
    if not result.passed and not result.failed:
        raise SystemExit(f"{row.name}: pytest ran nothing; see {STATE / row.name}.log")
    return replace(result, python=found.python, numpy=found.numpy, kernel=found.kernel)


def _tested(pytest: list[str], folder: Path, environment: dict[str, str], options: argparse.Namespace) -> str:
    command = [*pytest, "--quiet", "-p", "no:cacheprovider", "--numprocesses", options.numprocesses, *options.paths]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _checkout() -> tuple[str, Path]:
    """Return the commit that is tested and a clone of it."""
    if _git(ROOT, "status", "--porcelain"):
        print("what is not committed is not tested", flush=True)
    commit, checkout = _git(ROOT, "rev-parse", "HEAD"), STATE / "checkout"
    if not checkout.exists():
        _git(ROOT, "clone", "--quiet", "--no-checkout", str(ROOT), str(checkout))
    _git(checkout, "fetch", "--quiet", str(ROOT), commit)
    _git(checkout, "checkout", "--quiet", "--force", "--detach", commit)
    return commit, checkout


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def _options(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.everywhere", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--here", action="store_true", help="this interpreter and these files, under the kernels alone")
    parser.add_argument("--kernels", nargs="*", default=list(KERNELS), metavar="NAME", help=", ".join(KERNELS))
    parser.add_argument("--rows", nargs="+", default=[], metavar="NAME", help="the rows of the table to run")
    parser.add_argument("--again", action="store_true", help="run what has been run too")
    parser.add_argument("--numprocesses", default="auto", help="processes of pytest")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="tests to run; all without")
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
