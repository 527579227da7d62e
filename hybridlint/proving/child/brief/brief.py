"""The brief of a proof: a JSON document that the parent writes for the worker, and its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hybridlint.core import schema
from hybridlint.proving.child.brief.changes import MODULE_CHANGES, ModuleChanges
from hybridlint.proving.child.brief.code import CODE, FileFacts
from hybridlint.proving.child.brief.codec import record
from hybridlint.proving.child.brief.construction import CONSTRUCTION, Construction


class Brief(NamedTuple):
    """The parent's knowledge of a module.

    It says how its project builds and calls its blocks, how its code and that of the project uses arguments, by file,
    and what its code changes, `before` fixes and `after` them, if there are any.
    """

    construction: Construction
    code: Mapping[str, FileFacts]
    before: ModuleChanges
    after: ModuleChanges | None


_BRIEF = record(
    Brief, construction=CONSTRUCTION, code=CODE, before=MODULE_CHANGES, after=schema.optional(MODULE_CHANGES)
)


def read_brief(data: Any) -> Brief:
    """Return the brief in JSON data. Raises MalformedError."""
    brief: Brief = _BRIEF(data)
    return brief
