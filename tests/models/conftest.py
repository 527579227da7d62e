"""Graphs have native code at their first call here: these tests are about that code."""

from tests.native_at_once import native_at_once

__all__ = ["native_at_once"]
