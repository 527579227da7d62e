"""``distutils.version``: versions that can be compared."""

from __future__ import annotations

import re
from functools import total_ordering
from typing import Any

_STRICT = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?")


@total_ordering
class Version:
    """A version, comparable with other versions of its class and with strings."""

    def __init__(self, vstring: str | None = None) -> None:
        if vstring:
            self.parse(vstring)

    def parse(self, vstring: str) -> None:
        """Parse a version string."""
        raise NotImplementedError(f"{type(self).__name__} does not implement parse")

    def _key(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement _key")

    def _other(self, other: Any) -> Any:
        return type(self)(other)._key() if isinstance(other, str) else other._key()

    def __repr__(self) -> str:
        return f"{type(self).__name__} ('{self}')"

    def __eq__(self, other: object) -> bool:
        return bool(self._key() == self._other(other)) if isinstance(other, (str, Version)) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return bool(self._key() < self._other(other)) if isinstance(other, (str, Version)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


class LooseVersion(Version):
    """A version of numbers and words, compared in turn. Comparing a number to a word raises TypeError."""

    vstring: str
    version: list[int | str]

    def parse(self, vstring: str) -> None:
        """Parse any version string."""
        self.vstring = vstring
        self.version = [int(part) if part.isdigit() else part for part in _pieces(vstring)]

    def _key(self) -> Any:
        return self.version

    def __str__(self) -> str:
        return self.vstring


class StrictVersion(Version):
    """Two or three numbers, then ``a`` or ``b`` and a number for a pre-release. Raises ValueError for other text."""

    version: tuple[int, int, int]
    prerelease: tuple[str, int] | None

    def parse(self, vstring: str) -> None:
        """Parse a version string."""
        match = _STRICT.fullmatch(vstring)
        if match is None:
            raise ValueError(f"invalid version number '{vstring}'")
        major, minor, patch, kind, number = match.groups()
        self.version = (int(major), int(minor), int(patch or 0))
        self.prerelease = (kind, int(number)) if kind else None

    def _key(self) -> Any:
        # A release sorts after its pre-releases.
        return self.version, self.prerelease or ("z", 0)

    def __str__(self) -> str:
        shown = self.version if self.version[2] else self.version[:2]
        return ".".join(map(str, shown)) + ("".join(map(str, self.prerelease)) if self.prerelease else "")


def _pieces(text: str) -> list[str]:
    """Split a text into numbers, lowercase words, and other text except dots."""
    pieces = re.split(r"(\d+|[a-z]+|\.)", text)
    return [piece for piece in pieces if piece and piece != "."]
