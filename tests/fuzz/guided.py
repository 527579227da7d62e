"""Reads bytes that coverage guides: what atheris finds to reach new code, every reader of files must refuse or read.

    python -m tests.fuzz.guided [--minutes 10] [--only WORD ...]

Needs atheris (``pip install atheris``), which is no dependency of the tests. Each reader has a process of its own and a
part of the time. What fails is kept in ``.fuzz/NAME``; what reached new code is where the next run begins.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import warnings
from pathlib import Path

#: Seconds and megabytes that reading one file may take.
_LONGEST, _LARGEST = 10, 2000
_KEPT = Path(".fuzz")


def main() -> int:
    """Fuzz what is asked for and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=10.0, help="how long in all")
    options.add_argument("--only", nargs="+", default=[""], help="words of the names of readers")
    options.add_argument("--reader", help=argparse.SUPPRESS)
    asked, of_atheris = options.parse_known_args()
    if importlib.util.find_spec("atheris") is None:
        print("skipped: atheris is not installed (pip install atheris)")
        return 0
    if asked.reader is not None:
        _fuzz(asked.reader, of_atheris)
        return 0
    from .files import readers

    names = [name for name in readers() if any(word in name for word in asked.only)]
    held = [_tried(name, asked.minutes * 60 / len(names)) for name in names]
    return 0 if all(held) else 1


def _tried(name: str, seconds: float) -> bool:
    """Fuzz a reader in a process of its own: libFuzzer ends it."""
    from .files import readers

    folder = _KEPT / name.replace(" ", "-")
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    (corpus / "example").write_bytes(readers()[name].example)
    limits = [f"-max_total_time={int(seconds)}", f"-timeout={_LONGEST}", f"-rss_limit_mb={_LARGEST}", "-max_len=4096"]
    command = [sys.executable, "-m", "tests.fuzz.guided", "--reader", name]
    done = subprocess.run(
        [*command, *limits, f"-artifact_prefix={folder}/", "-print_final_stats=1", str(corpus)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    told = done.stderr.splitlines()
    cases = next((line.split()[-1] for line in told if "number_of_executed_units" in line), "no")
    print(f"{name:24} {cases:>9} cases  {'held' if done.returncode == 0 else 'FAILED'}", flush=True)
    if done.returncode != 0:
        print("\n".join([*done.stdout.splitlines()[-30:], *told[-40:]]), flush=True)
    return done.returncode == 0


def _fuzz(name: str, arguments: list[str]) -> None:
    """Let atheris call a reader; it counts what of our code each case reaches, and ends the process."""
    atheris = importlib.import_module("atheris")
    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=["hybridlint"], enable_loader_override=False):
        from .files import readers, refused

        # What readers import when they are first used is counted too.
        refused(name, readers()[name].example)
    atheris.Setup([sys.argv[0], *arguments], lambda content: refused(name, content))
    atheris.Fuzz()


if __name__ == "__main__":
    raise SystemExit(main())
