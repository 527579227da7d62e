"""Strict eager runs, which raise where a hybridized run would fail or differ."""
