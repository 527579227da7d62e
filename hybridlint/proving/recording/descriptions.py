"""Descriptions of inputs as JSON data, shared with proofs: a shape with a dtype, a list, or an expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    #: `hybridlint.proving.child.specs.spec` reads the same format.
    Description = Mapping[str, Any]


def merge_descriptions(left: Description, right: Description) -> Description:
    """Merge the descriptions of two inputs of one type. The merged range covers both, if both have one."""
    if "list" in left:
        return {"list": [merge_descriptions(item, right["list"][k]) for k, item in enumerate(left["list"])]}
    if "shape" not in left:
        return left
    plain = {key: left[key] for key in ("shape", "dtype")}
    if "low" not in left or "low" not in right:
        return plain
    joint = {"low": min(left["low"], right["low"]), "high": max(left["high"], right["high"])}
    whole = left.get("integers") and right.get("integers")
    return {**plain, **joint, **({"integers": True} if whole else {})}


def form(description: Description) -> Any:
    """Return a description without ranges, which is equal for calls of one kind."""
    if "list" in description:
        return tuple(map(form, description["list"]))
    if "shape" in description:
        return (*description["shape"], description["dtype"])
    return description.get("expression", description.get("unknown"))
