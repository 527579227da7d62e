"""How many block classes of a package `hybridlint verify` settles without being told anything, and why not the others.

    python -m tests.projects.unaided "gluoncv 0.10.5" FOLDER    proves the classes of a package that lies in a folder
    python -m tests.projects.unaided                            writes the section of docs/projects.md

What is known of a file already is not measured again: take it out of unaided.json first.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.blocks import hybrid_classes
from hybridlint.proving.prover import prove_file
from hybridlint.proving.settings import ProofSettings
from hybridlint.text.screening import may_be_hybrid
from hybridlint.text.source import SourceFile

from . import page

SECTION = "unaided"
KEPT = Path(__file__).parent / "unaided.json"
#: Characters of a reason that are kept.
_LONGEST = 240

#: What the beginning of a reason, or a part of it, means; the first that fits counts.
KINDS: tuple[tuple[str, str], ...] = (
    ("abstract: others are to derive from it", r"^it is abstract|: NotImplementedError$"),
    ("it overrides `forward`, which is never compiled", r"^it overrides forward"),
    ("it is defined inside a function", r"^the class is defined inside"),
    ("its module is not imported", r"^the module cannot be imported|importing the module|no HybridBlock of this name"),
    ("MXNet 1.9.1 lacks something", r"MXNet 1\.9\.1 does not have it either"),
    ("the runtime lacks something", r"the engine of the proof cannot run"),
    ("time or memory ran out", r"^it took longer|^it ran out of the memory"),
    ("no arguments for its constructor", r"cannot be guessed|\) fails: "),
    ("no inputs", r"^no inputs"),
    ("its outputs are nan", r"^all outputs are nan"),
    ("it draws random numbers in another order", r"^it draws random numbers"),
)
_OTHER = "another reason"

_PLACE = re.compile(r" at (?:/|\w:)\S+")
#: Package -> file -> class -> its outcome.
_Known = dict[str, dict[str, dict[str, dict[str, str]]]]


def kind(reason: str) -> str:
    """Return what a block that was not run lacks."""
    return next((name for name, pattern in KINDS if re.search(pattern, reason)), _OTHER)


def load() -> _Known:
    """Return what was measured."""
    known: _Known = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return known


def kept(outcomes: Sequence[ProofOutcome]) -> dict[str, dict[str, str]]:
    """Return what is kept of the outcomes of a file: the reason only where it says more than that runs agree."""
    return {
        outcome.block: {"status": outcome.status.value}
        | ({} if outcome.status is ProofStatus.PROVED else {"reason": _short(outcome.reason)})
        for outcome in outcomes
    }


def _short(reason: str) -> str:
    # Where a file lies on the machine that measured says nothing.
    line = _PLACE.sub("", " ".join(reason.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def measure(package: str, folder: Path) -> None:
    """Prove all classes of a package, file by file, and keep what comes out."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        known = load()
        text = path.read_text(encoding="utf-8")
        if name in known.get(package, {}) or not may_be_hybrid(text):
            continue
        begin = time.monotonic()
        found = kept(prove_file(path, text, None, ProofSettings()))
        if path.name in found:
            # An import that fails is told once; its classes are counted all the same.
            told = found.pop(path.name)
            found = {**dict.fromkeys(hybrid_classes(SourceFile(path, text)), told), **found}
        print(f"{time.monotonic() - begin:5.1f} s {name}: {dict(Counter(told['status'] for told in found.values()))}")
        if found:
            known.setdefault(package, {})[name] = found
            KEPT.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def text(known: _Known) -> str:
    """Return the section in Markdown."""
    parts = [
        f"## Block classes that `hybridlint verify` settles unaided\n\n{_INTRODUCTION}",
        _table(_HEAD, [_share(package, files) for package, files in known.items()]),
        *(_reasons(package, files) for package, files in known.items()),
    ]
    return "\n\n".join(parts)


_INTRODUCTION = (
    "`hybridlint verify` was run on the packages as they are, with no directive, no settings and nothing recorded. "
    "*Settled* is proved or refuted. A refuted class does not hybridize on the inputs that were found. "
    "*To be run* leaves out the classes that are abstract or override `forward`: nothing of them is ever compiled. "
    "Files are those that were measured, with what they import installed: where time ran out, `--timeout` helps. "
    "All were run on a busy machine, with the limit of 20 seconds, "
    "but for three files of gluoncv (`fcn.py`, `hrnet.py`, `icnet.py`). "
    "The figures come from several commits of one day. "
    "Every refutation was read, and nearly all were run on the real MXNet 1.9.1, where they fail or differ too. "
    "Not run again there are `MonoDepth2` and its encoder, and two losses that ask a Symbol for its `shape`. "
    "For `DeNormalize` no inputs were found there. One refutation is false, that of `RCNNTargetGenerator`, which looks "
    "into `F.contrib.__dict__`: that listed only the operators that were used before. It is proved since this is "
    "repaired, and still counted as refuted in this table."
)
_HEAD = ("package", "files", "classes", "proved", "refuted", "not run", "settled", "of those to be run")


def _classes(files: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, str]]]:
    for file, blocks in files.items():
        yield from ((file, name, told) for name, told in blocks.items())


def _share(package: str, files: Mapping[str, Any]) -> tuple[str, ...]:
    classes = list(_classes(files))
    counted = Counter(told["status"] for _, _, told in classes)
    nothing = sum(kind(told["reason"]) in {KINDS[0][0], KINDS[1][0]} for _, _, told in classes if _not_run(told))
    settled = counted["proved"] + counted["refuted"]
    return (
        package,
        str(len(files)),
        str(len(classes)),
        *(str(counted[status.value]) for status in ProofStatus),
        f"{100 * settled / len(classes):.0f} %",
        f"**{100 * settled / max(len(classes) - nothing, 1):.0f} %**",
    )


def _not_run(told: Mapping[str, str]) -> bool:
    return told["status"] == ProofStatus.NOT_RUN.value


def _reasons(package: str, files: Mapping[str, Any]) -> str:
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file, name, told in _classes(files):
        if told["status"] != ProofStatus.PROVED.value:
            group = kind(told["reason"]) if _not_run(told) else ProofStatus.REFUTED.value
            groups[group].append((f"`{name}` ({file})", told["reason"]))
    order = [*(name for name, _ in KINDS), _OTHER, ProofStatus.REFUTED.value]
    rows = [
        (f"{group} ({len(groups[group])})" if k == 0 else "", place, _cell(reason))
        for group in order
        for k, (place, reason) in enumerate(groups.get(group, []))
    ]
    return f"### {package}: what is not proved\n\n{_table(('why', 'class', 'in its words'), rows)}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ("---",) * len(head), *rows])


def _cell(said: str) -> str:
    return said.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        page.write(SECTION, text(load()))
