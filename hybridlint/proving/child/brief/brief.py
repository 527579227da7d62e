"""The brief of a proof: a JSON document that the parent writes for the worker, and its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hybridlint.proving.child.brief.changes import ModuleChanges
from hybridlint.proving.child.brief.code import FileFacts
from hybridlint.proving.child.brief.codec import check_of
from hybridlint.proving.child.brief.construction import Construction


class Brief(NamedTuple):
    """The parent's knowledge of a module.

    It says how its project builds and calls its blocks, how its code and that of the project uses arguments, by file,
    and what its code changes, `before` fixes and `after` them, if there are any.
    """

    construction: Construction
    code: Mapping[str, FileFacts]
    before: ModuleChanges
    after: ModuleChanges | None


def read_brief(data: Any) -> Brief:
    """Return the brief in JSON data. Raises MalformedError."""
    brief: Brief = check_of(Brief)(data)
    return brief
