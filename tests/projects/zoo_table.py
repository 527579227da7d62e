"""The section of docs/projects.md about gluoncv's zoo, from the answers that are kept."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from . import answers, page
from .answers import Verdict

SECTION = "gluoncv"

#: How many names `get_model` knows.
_NAMES = 332

_Known = Mapping[str, Mapping[str, Any]]


def write() -> None:
    """Put the section into the page."""
    page.write(SECTION, text(answers.load()))


def text(known: _Known) -> str:
    """Return the section in Markdown."""
    by_verdict: dict[Verdict, dict[str, Mapping[str, Any]]] = {verdict: {} for verdict in Verdict}
    for name, model in known.items():
        by_verdict[answers.verdict(model)][name] = model
    beyond = {**by_verdict[Verdict.NEITHER], **by_verdict[Verdict.UNDECIDED]}
    traced = {name: model for name, model in known.items() if name not in beyond}
    parts = [
        f"## The zoo of gluoncv 0.10.5\n\n{_summary(known, traced, by_verdict)}",
        f"### What the runtime gives\n\n{_ALL}\n\n{_table(_HEAD, (_row(*item) for item in sorted(traced.items())))}",
        f"### What MXNet does not run either\n\n{_NEITHER}\n\n{_reasons(by_verdict[Verdict.NEITHER])}",
    ]
    if differing := by_verdict[Verdict.DIFFERS]:
        rows = ((f"`{name}`", *_gap(model["here"])) for name, model in sorted(differing.items()))
        parts.insert(2, f"### What differs\n\n{_DIFFERS}\n\n{_table(('model', 'difference', 'in any order'), rows)}")
    if undecided := by_verdict[Verdict.UNDECIDED]:
        parts.append(f"### What MXNet gives otherwise each time\n\n{_UNDECIDED}\n\n{_codes(sorted(undecided))}")
    return "\n\n".join(parts)


_ALL = (
    "The largest difference is relative to the largest element of an output, over eager, hybridized, exported and "
    "imported runs. Memory is the peak of the process up to the hybridized run. Milliseconds are those of the "
    "processor in the second hybridized call, on one thread, where they were measured."
)
_DIFFERS = (
    "Detectors sort what they found by score. Where two scores are equal but for a rounding, here the other one may "
    "come first. Mean, norm and largest element, which know of no order, tell whether that is all: the last column."
)
_NEITHER = "Where it fails on MXNet with `pretrained=False` and `pretrained_base=False`, and what happens here."
_UNDECIDED = (
    "Detectors with pyramids of features mark regions of another level by the batch index -1. MXNet's ROIAlign reads "
    "and writes outside of its arrays for those, so that its own eager and hybridized runs differ by more than "
    f"{answers.NEAR:g}. Here such a region gives zeros. The deepest network of attention modules makes much of what is "
    "rounded otherwise. These models are not counted above."
)
_HEAD = ("model", "input", "outputs", "difference", "MB here", "MXNet", "ms here", "MXNet")


def _summary(known: _Known, traced: _Known, by_verdict: Mapping[Verdict, _Known]) -> str:
    same = by_verdict[Verdict.SAME]
    ratios = sorted(model["here"]["megabytes"] / model["mxnet"]["megabytes"] for model in same.values())
    fixed = {name: model for name, model in traced.items() if "fixed" in model}
    kept = sum(answers.verdict(model, "fixed") is Verdict.SAME for model in fixed.values())
    read = [model for model in traced.values() if "exchanged" in model]
    lines = [
        f"Of the {_NAMES} names of the zoo, {len(known)} were measured. The real MXNet builds and traces {len(traced)} "
        "of these, with the same outputs each time; "
        f"**{len(same)} ({100 * len(same) / len(traced):.1f} %) give the same outputs here**, to "
        f"{answers.NEAR:g}, eagerly, hybridized, and once exported and imported.",
        f"MXNet reads the model that was exported here, and gives the same, for "
        f"{sum(model['exchanged'] <= answers.NEAR for model in read)} of the {len(read)} that were tried.",
        f"Memory is {ratios[0]:.2f} to {ratios[-1]:.2f} times MXNet's, {ratios[len(ratios) // 2]:.2f} times in the "
        "middle.",
    ]
    if fixed:
        lines.append(
            f"From a copy of the package that `hybridlint check --fix --unsafe-fixes` has rewritten, {kept} of "
            f"{len(fixed)} models that were run again give the same."
        )
    lines.append("`python -m tests.projects.judge --mxnet PYTHON_WITH_MXNET` measures all of it.")
    return "\n".join(lines)


def _row(name: str, model: Mapping[str, Any]) -> tuple[str, ...]:
    here, mxnet = model["here"], model["mxnet"]
    shapes = ", ".join("x".join(map(str, shape)) for shape in model["inputs"])
    verdict = answers.verdict(model)
    if verdict is Verdict.FAILS:
        return f"`{name}`", shapes, f"{here['failed']}: {_cell(here['error'])}", *("",) * (len(_HEAD) - 3)
    numbers = (f"{answers.worst(here):.0e}", str(here["megabytes"]), str(mxnet["megabytes"]))
    return f"`{name}`", shapes, verdict.value, *numbers, _milliseconds(here), _milliseconds(mxnet)


def _gap(here: Mapping[str, Any]) -> tuple[str, str]:
    return f"{answers.worst(here):.0e}", f"{here['in any order']:.0e}" if "in any order" in here else ""


def _milliseconds(answer: Mapping[str, Any]) -> str:
    return f"{1000 * answer['seconds']['hybridized']:.0f}" if "seconds" in answer else ""


def _reasons(failing: _Known) -> str:
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name, model in sorted(failing.items()):
        mxnet, here = model["mxnet"], model["here"]
        alike = here.get("failed") == mxnet["failed"]
        groups[mxnet["failed"], _reason(mxnet["error"]), "fails too" if alike else _otherwise(here)].append(name)
    rows = ((stage, error, here, _codes(names)) for (stage, error, here), names in sorted(groups.items()))
    return _table(("stage", "on MXNet", "here", "models"), rows)


def _reason(error: str) -> str:
    if error.startswith("ConnectionError"):
        return "downloads weights all the same"
    return _cell(re.sub(r"'[^' ]*'|\"[^\" ]*\"", "`...`", error))


def _otherwise(here: Mapping[str, Any]) -> str:
    return f"{here['failed']}: {_cell(here['error'])}" if "failed" in here else "runs"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ("---",) * len(head), *rows])


def _cell(said: str) -> str:
    return said.replace("|", "\\|")


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    write()
