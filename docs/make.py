"""Writes what follows from the code: the pages of the rules and of the runtime's operators, and the picture of a run.

Run it where hybridlint can be imported: ``python docs/make.py``. A test holds that all of it is up to date.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from hybridlint.core.mxnet_message import Message
from hybridlint.core.mxnet_messages import MESSAGES
from hybridlint.project.settings.schema import schema
from hybridlint.proving.engines import ENGINES
from hybridlint.report.rule_page import page
from hybridlint.rule import Family, Rule, all_rules
from hybridlint.runtime.core import missing
from hybridlint.runtime.facts import registry
from hybridlint.runtime.onnx import get_operator_support

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/make.py: change the code that it reads, not this page. -->\n\n"

FAMILIES: Mapping[Family, str] = {
    Family.FILE: "Files that cannot be checked",
    Family.ATTRIBUTES: "Attributes and methods that Symbol lacks",
    Family.SUBSCRIPTS: "Subscripts and iteration",
    Family.ARITHMETIC: "Arithmetic and in-place operators",
    Family.CONTROL_FLOW: "Control flow",
    Family.FUNCTIONS: "NDArray-only functions and foreign calls",
    Family.FROZEN: "What is frozen at the trace",
    Family.SIDE_EFFECTS: "Side effects",
    Family.CLASSES: "The structure of classes",
    Family.EXPORT: "Export",
}


def rules() -> str:
    """Return the index of the rules and all of their pages."""
    known = sorted(all_rules(), key=lambda rule: rule.code)
    index = "".join(
        f"\n## {FAMILIES[family]}\n\n{_table(('code', 'name', 'severity', 'what'), map(_row, members))}"
        for family, members in groupby(known, key=lambda rule: rule.family)
    )
    pages = "\n".join(page(rule).replace("# ", "### ", 1) for rule in known)
    return (
        f"{NOTE}# Rules\n\n{len(known)} rules. Codes, beginnings of codes and names select and suppress. "
        "*error*: it will fail or silently change once hybridized; *warning*: it may; *info*: worth knowing. "
        "*possible*: it cannot be proved either way, and is told with `--possible` only. "
        "A finding can be less severe than its rule where less is known.\n"
        f"{index}\n## Pages\n\n{pages}"
    )


def operators() -> str:
    """Return the operators of MXNet, those that the runtime has and those that it lacks."""
    lines = (HERE / "mxnet_operators.txt").read_text(encoding="utf-8").splitlines()
    facts = [line.split() for line in lines if not line.startswith("#")]
    have = [(names, found) for names in facts if (found := registry.find(names[0])) is not None]
    lacking = sorted((about, names[0]) for names in facts if (about := missing.reason(names[0])) is not None)
    exported = set(get_operator_support())
    rows = (
        (
            f"`{names[0]}`",
            _codes(names[1:]),
            _cell(found.doc),
            "" if found.grad is not None else "none",
            "yes" if found.name in exported else "",
            "" if found.host is None else "main memory",
        )
        for names, found in have
    )
    hosted = sorted((found.host, names[0]) for names, found in have if found.host is not None)
    return (
        f"{NOTE}# Operators\n\nMXNet 1.9.1 has {len(facts)} operators beside those that stand for gradients. The "
        f"bundled runtime has {len(facts) - len(lacking)} of them. The functions of `nd`, `sym`, `np` and `npx` are "
        "made of these, and the analyzer knows what shapes they give. The names of the others are there too; calling "
        "them raises NotImplementedError that says what they are about. "
        f"{sum(found.name in exported for _, found in have)} can be [exported to ONNX](onnx.md).\n\n"
        f"## Supported\n\n{_table(('operator', 'also', 'what', 'gradient', 'ONNX', 'GPU'), rows)}"
        f"\n## In main memory\n\nFor arrays of a [GPU](gpu.md), {len(have) - len(hosted)} of these operators compute "
        f"there. The other {len(hosted)} copy their inputs to main memory and their results back:\n\n"
        f"{_table(('why', 'operators'), _grouped(hosted))}"
        f"\n## Not supported\n\n{_table(('about', 'operators'), _grouped(lacking))}"
    )


def errors() -> str:
    """Return the index of what MXNet prints when hybridized code fails."""
    known = {rule.code: rule for rule in all_rules()}
    rows = (_error_row(message, known) for message in MESSAGES)
    return (
        f"{NOTE}# What MXNet prints\n\nMessages of MXNet 1.9.1 for code that works eagerly and fails once hybridized, "
        "and for what else goes wrong with Gluon, as measured. `hybridlint explain` reads a traceback and finds the "
        "place in the code:\n\n"
        "```console\n$ python train.py 2>&1 | hybridlint explain\n$ hybridlint explain log.txt --in src/\n```\n\n"
        "The message tells which rules can have found its cause, and the lines of the traceback are looked at first. "
        "Where the message only names a node of the graph, such as `attention0__plus0`, the name tells the class and "
        "the line that made it.\n\n"
        f"{_table(('message', 'meaning', 'what to do', 'rules'), map(_escaped, rows))}"
    )


def _error_row(message: Message, known: Mapping[str, Rule]) -> tuple[str, ...]:
    reading = message.reading_of(message.example)
    assert reading is not None, message.example
    rules = ", ".join(f"[{code}](rules.md#{known[code].url.partition('#')[2]})" for code in message.rules)
    return f"`{' '.join(message.example.split())}`", reading.meaning, reading.remedy, rules


def _escaped(row: Iterable[str]) -> tuple[str, ...]:
    return tuple(cell.replace("|", "\\|") for cell in row)


def _grouped(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    for about, members in groupby(pairs, key=lambda pair: pair[0]):
        yield about, _codes(name for _, name in members)


#: What the picture shows: two findings, the fixes that repair them, and the summary.
SHOWN = ("check", "--no-cache", "--exit-zero", "--select", "HYB201,HYB301", "examples/attention_pooling.py")


def shown() -> str:
    """Return what the command of the picture prints, with colours, after the command itself."""
    done = subprocess.run(
        [sys.executable, "-m", "hybridlint", *SHOWN],
        cwd=HERE.parent,
        env={**os.environ, "FORCE_COLOR": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return f"$ hybridlint {' '.join(SHOWN)}\n{done.stdout}"


def check_picture() -> str:
    """Return the picture of a check on a terminal, as SVG."""
    console = Console(record=True, width=120, file=StringIO())
    console.print(Text.from_ansi(shown()), soft_wrap=False)
    return console.export_svg(title="hybridlint", unique_id="check")


PICTURE = "check.svg"


def settings() -> str:
    """Return the JSON schema of the settings, which says of each key what the page of the configuration says."""
    page, meanings, prefix = (HERE / "configuration.md").read_text(encoding="utf-8"), dict[str, str](), ""
    for line in page.splitlines():
        if line.startswith("## "):
            prefix = "verify." if line == "## verify" else "" if line == "# Configuration" else "_."
        row = re.fullmatch(r"\| `([\w-]+)` \| .*? \| (.*) \|", line)
        if row is not None:
            meanings.setdefault(prefix + row[1], re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", row[2]).replace("`", ""))
    return json.dumps(schema(meanings, ENGINES), indent=2) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "rules.md": rules,
    "operators.md": operators,
    "errors.md": errors,
    "../hybridlint/hybridlint.schema.json": settings,
}


def _row(rule: Rule) -> tuple[str, ...]:
    link = f"[{rule.code}]({rule.url.rpartition('/')[2].removeprefix('rules.md')})"
    return link, rule.name, rule.severity.value, _cell(rule.summary)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(_lines([head, ("---",) * len(head), *rows]))


def _lines(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    return (f"| {' | '.join(row)} |\n" for row in rows)


def _cell(text: str) -> str:
    """Return the first sentence of a text, fit for a table."""
    return text.split("\n\n", 1)[0].replace("\n", " ").replace("|", "\\|")


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    for name, make in PAGES.items():
        (HERE / name).write_text(make(), encoding="utf-8")
    (HERE / PICTURE).write_text(check_picture(), encoding="utf-8")
