"""Properties are methods that run where they are read."""

from __future__ import annotations

import ast

from hybridlint.fixers.evidence.properties import properties_read

TREE = ast.parse("""
class Net:
    @property
    def rate(self):
        return self.calls

    @functools.cached_property
    def limit(self):
        return 9

    def method(self):
        return 1

    def forward(self, x):
        self.rate = 2
        return x * self.rate + other.limit + self.method


class Other:
    def forward(self):
        return self.rate
""")


def test_reads_of_the_own_properties_of_a_class() -> None:
    (net, other) = (node for node in TREE.body if isinstance(node, ast.ClassDef))
    ((read, method),) = properties_read(TREE, "Net", net.body[-1])
    assert (read.lineno, method.name) == (16, "rate")
    assert not list(properties_read(TREE, "Other", other.body[-1]))
