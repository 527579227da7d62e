"""What the real MXNet 1.9.1 gives for the models of gluoncv, how far the runtime is from it, and the verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from math import isnan
from pathlib import Path
from typing import Any

KEPT = Path(__file__).parent / "gluoncv.json"

#: What is compared, in the order in which it is run.
RUNS = ("eager", "hybridized", "imported")

#: Outputs that are this near are the same.
NEAR = 1e-4


class Verdict(Enum):
    """How a model of the runtime stands to that of MXNet."""

    SAME = "same"
    DIFFERS = "differs"
    UNDECIDED = "MXNet differs from itself"
    FAILS = "fails here only"
    NEITHER = "fails on MXNet"


def distance(found: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> float:
    """Return how far two summaries of outputs are apart, relative to the largest element of each output.

    Another number of outputs, shape or type is infinitely far.
    """
    return _farthest(found, wanted, places=True)


def distance_in_any_order(found: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> float:
    """Return the same of mean, norm and largest element alone, which do not tell in which order elements stand."""
    return _farthest(found, wanted, places=False)


def _farthest(found: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]], *, places: bool) -> float:
    if len(found) != len(wanted):
        return float("inf")
    return max((_apart(one, other, places=places) for one, other in zip(found, wanted, strict=True)), default=0.0)


def _apart(found: Mapping[str, Any], wanted: Mapping[str, Any], *, places: bool) -> float:
    if (found["shape"], found["dtype"]) != (wanted["shape"], wanted["dtype"]):
        return float("inf")
    if not wanted["elements"]:
        return 0.0
    scale = max(wanted["largest"], 1e-6)
    pairs = [(found[key], wanted[key]) for key in ("mean", "largest")]
    if places:
        pairs += zip(found["elements"], wanted["elements"], strict=True)
    norms = abs(found["norm"] - wanted["norm"]) / max(wanted["norm"], 1e-6)
    gaps = [abs(one - other) / scale for one, other in pairs]
    # A number that is none is far from everything, itself included.
    return max((float("inf") if isnan(gap) else gap for gap in (*gaps, norms)), default=0.0)


def reference(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of MXNet's answer: one summary where its modes agree, and each where they do not."""
    kept = {key: answer[key] for key in ("failed", "error", "parameters", "megabytes", "seconds") if key in answer}
    if "error" in kept:
        kept["error"] = brief(kept["error"])
    for run in RUNS:
        if run in answer and (run == "eager" or distance(answer[run], answer["eager"]) > NEAR / 10):
            kept[run] = [_short(output) for output in answer[run]]
    return kept


def compared(answer: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return how far each run of ours is from the reference, what it took, and where it failed."""
    kept = {key: answer[key] for key in ("failed", "megabytes", "seconds") if key in answer}
    if "error" in answer:
        kept["error"] = brief(answer["error"])
    for run in RUNS:
        expected = wanted.get(run, wanted.get("eager"))
        if run not in answer or expected is None:
            continue
        kept[run] = float(f"{distance(answer[run], expected):.2g}")
        if kept[run] > NEAR:
            unordered = distance_in_any_order(answer[run], expected)
            kept["in any order"] = max(kept.get("in any order", 0.0), float(f"{unordered:.2g}"))
    return kept


def verdict(model: Mapping[str, Any], key: str = "here") -> Verdict:
    """Judge what is known of a model: as it is, or (`fixed`) from the copy of the package that was fixed."""
    if "failed" in model["mxnet"]:
        return Verdict.NEITHER
    found = model[key]
    if "failed" in found:
        return Verdict.FAILS
    if worst(found) <= NEAR and model.get("exchanged", 0.0) <= NEAR:
        return Verdict.SAME
    return Verdict.DIFFERS if agrees(model["mxnet"]) else Verdict.UNDECIDED


def agrees(wanted: Mapping[str, Any]) -> bool:
    """Whether MXNet gave the same in all of its runs."""
    return all(distance(wanted[run], wanted["eager"]) <= NEAR for run in RUNS if run in wanted)


def worst(found: Mapping[str, Any]) -> float:
    """Return the largest distance of all runs."""
    return max(float(found[run]) for run in RUNS)


def brief(error: str) -> str:
    """Return the last line of an error that says something, without addresses, places and stacks."""
    kind = error.partition(":")[0]
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    said = re.sub(r"^File \"[^\"]*\", line \d+|^\w+: ", "", lines[-1]).strip()
    # Where a file lies on the machine that measured says nothing.
    said = re.sub(r" at (?:/|\w:)\S+", "", said)
    return f"{kind}: {said}"[:200]


def load() -> dict[str, Any]:
    """Return what is known, by name of the model."""
    if not KEPT.exists():
        return {}
    known: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return known


def store(name: str, found: Mapping[str, Any]) -> None:
    """Keep what is known of a model, one model a line."""
    known = {**load(), name: found}
    lines = (f"{json.dumps(key)}: {json.dumps(known[key], separators=(',', ':'))}" for key in sorted(known))
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _short(output: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {key: _digits(output[key]) for key in ("mean", "norm", "largest")}
    return {**output, **numbers, "elements": [_digits(element) for element in output["elements"]]}


def _digits(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.7g}")
