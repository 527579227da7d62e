"""What the real MXNet 1.9.1 did with the measured constructs of the tests, by the rule that finds them."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from docs.site.plan import ROOT

_FOLDER = ROOT / "tests" / "constructs"
_TWICE = re.compile(r"^(MXNetError: )+")
_LONGEST = 240
_NO_TEXT = re.compile(r"^\w+: ?$")


@dataclass(slots=True)
class Evidence:
    """The outcomes of the measured blocks in which one rule, and no other, finds something."""

    blocks: int = 0
    silent: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> int:
        """The number of blocks that raised an error."""
        return sum(self.errors.values())

    def texts(self, most: int = 3) -> list[str]:
        """Return the most frequent texts of errors."""
        return [text for text, _ in self.errors.most_common() if not _NO_TEXT.match(text)][:most]


@cache
def by_rule() -> dict[str, Evidence]:
    """Return the evidence for each rule by its code."""
    outcomes = json.loads((_FOLDER / "outcomes.json").read_text(encoding="utf-8"))
    findings = json.loads((_FOLDER / "findings.json").read_text(encoding="utf-8"))
    found: dict[str, Evidence] = {}
    for name, told in findings.items():
        codes = {what[0] for what in told}
        if len(codes) != 1:
            continue
        evidence = found.setdefault(codes.pop(), Evidence())
        evidence.blocks += 1
        evidence.silent += outcomes[name]["label"] == "silent"
        if outcomes[name]["label"] == "error":
            evidence.errors[_shortened(outcomes[name]["why"])] += 1
    return found


def _shortened(text: str) -> str:
    """Return the beginning of an error's text, on one line."""
    line = " ".join(_TWICE.sub("MXNetError: ", text).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rpartition(' ')[0]} ..."
