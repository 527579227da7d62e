"""Small wrong programs, what MXNet 1.9.1 printed when they ran, and what an explanation has to say of that.

`programs.txt` is cut by headers, ``# %% name: RULE text``: the rule whose finding is the cause, or ``-``, and a pattern
of the explanation. The line to be named ends in ``# here``. All programs begin with `IMPORTS`. The lines of MXNet's own
code are left out of `tracebacks.txt`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PRINTED = HERE / "tracebacks.txt"
IMPORTS = "import mxnet as mx\nfrom mxnet import autograd, gluon, nd\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
_HEADER = re.compile(r"^# %% (\w+): (\S+) ?(.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class WrongProgram:
    """A program: its text, the rule that finds the cause or "-", and a pattern of what is said."""

    name: str
    rule: str
    says: str
    text: str

    @property
    def row(self) -> int:
        """The row that an explanation has to name."""
        return next(row for row, line in enumerate(self.text.split("\n"), 1) if line.endswith("# here"))


def wrong_programs() -> list[WrongProgram]:
    """Return the programs."""
    parts = _HEADER.split((HERE / "programs.txt").read_text())[1:]
    cut = zip(*(parts[start::4] for start in range(4)), strict=True)
    return [WrongProgram(name, rule, says, f"{IMPORTS}{text.strip()}\n") for name, rule, says, text in cut]


def printed_texts() -> dict[str, str]:
    """Return what MXNet printed, by the names of the programs."""
    parts = re.split(r"^%% (\w+)\n", PRINTED.read_text(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))
