"""What `measured` says of a network on MXNet and here: what is kept of it, and whether the two agree."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .answers import NEAR, brief, distance

WAYS = ("eager", "hybridized", "imported", "exchanged", "gradients")


def reference(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return MXNet's answer, of which ways that agree with the eager one are only named."""
    eager = answer.get("eager", [])
    ways = {way: answer[way] for way in WAYS if way in answer}
    same = [way for way, outputs in ways.items() if way != "eager" and distance(outputs, eager) < NEAR / 10]
    kept = {way: [_rounded(output) for output in outputs] for way, outputs in ways.items() if way not in same}
    errors = {way: brief(error) for way, error in answer["errors"].items()}
    return {"same": same, **kept, "errors": errors, "megabytes": answer.get("megabytes")}


def compared(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return distances from the reference by way: infinite where the way fails here only, or there only."""
    apart = {}
    for way in WAYS:
        known = "imported" if way == "exchanged" else way
        outputs = wanted["eager"] if known in wanted["same"] else wanted.get(known)
        if outputs is None or (way == "exchanged" and way not in found and way not in found["errors"]):
            continue
        apart[way] = float(f"{distance(found[way], outputs):.2g}") if way in found else float("inf")
    late = [way for way in wanted["errors"] if way in found]
    errors = {way: brief(error) for way, error in found["errors"].items()}
    return {
        "apart": {**apart, **dict.fromkeys(late, float("inf"))},
        "errors": errors,
        "megabytes": found.get("megabytes"),
    }


def _rounded(output: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {key: None if output[key] is None else float(f"{output[key]:.7g}") for key in ("mean", "norm", "largest")}
    return {**output, **numbers, "elements": [float(f"{element:.7g}") for element in output["elements"]]}


def agrees(network: Mapping[str, Any]) -> bool:
    """Whether the runtime gives what MXNet gives in each way, and fails where MXNet fails."""
    return all(apart <= NEAR for apart in network["here"]["apart"].values())


def worst(network: Mapping[str, Any]) -> str:
    """Return the largest distance of all ways, as it is written in tables."""
    distances = network["here"]["apart"].values()
    return f"{max(distances):.1g}" if distances else ""


def load(path: Path) -> dict[str, Any]:
    """Return what is known, by name."""
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return known


def store(path: Path, known: Mapping[str, Any], order: Sequence[str] | None = None) -> None:
    """Keep what is known, one name a line: in the order of names, or in one that is given and names all to be kept."""
    kept = sorted(known) if order is None else (name for name in order if name in known)
    lines = (f"{json.dumps(name)}: {json.dumps(known[name], separators=(',', ':'))}" for name in kept)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
