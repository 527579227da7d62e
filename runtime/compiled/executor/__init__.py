"""Executors: what runs a plan. Today numpy on the CPU."""
