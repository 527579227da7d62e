"""Ask the real MXNet 1.9.1 what it prints for the wrong programs, and keep the answers.

python -m tests.explain.programs.measure PYTHON_WITH_MXNET [NAME ...]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.explain.programs import PRINTED, WrongProgram, printed_texts, wrong_programs


def text_of_run(python: str, program: WrongProgram) -> str:
    """Return what a program prints on standard error, without the code of MXNet and the places of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{program.name}.py").write_text(program.text)
        done = subprocess.run(
            [python, f"{program.name}.py"], cwd=folder, capture_output=True, text=True, check=False, timeout=300
        )
    text = re.sub(r'"/\S*?/(mxnet/[^"]*)"', r'"\1"', done.stderr)
    return re.sub(r'(  File "mxnet/.*\n)    .*\n', r"\1", text).rstrip() + "\n"


def main() -> None:
    """Run all programs, or the named ones, and write what they print."""
    python, *names = sys.argv[1:]
    kept = printed_texts() if names else {}
    for program in wrong_programs():
        if not names or program.name in names:
            kept[program.name] = text_of_run(python, program)
            print(program.name, kept[program.name].splitlines()[-1], sep=": ")
    PRINTED.write_text("\n".join(f"%% {program.name}\n{kept[program.name]}" for program in wrong_programs()))


if __name__ == "__main__":
    main()
