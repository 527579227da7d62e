"""Methods that show people what an object holds are public, and nothing in the file calls them."""

from __future__ import annotations

import ast

from hybridlint.fixers.evidence.debug_methods import shown_to_people

TREE = ast.parse("""
class Net:
    @property
    def calls(self):
        return self.count

    def reset(self):
        self.count = self.other = 0

    def rate(self):
        return self.count / 2

    def advance(self):
        self.count = self.count + 1

    def _inner(self):
        return self.count

    def forward(self, x):
        return x * self.rate() * self.count


def show(net):
    return net.count
""")


def test_what_methods_for_people_read() -> None:
    shown = shown_to_people(TREE)
    reads = [n for n in ast.walk(TREE) if isinstance(n, ast.Attribute) and n.attr == "count"]
    assert [n.lineno for n in reads if id(n) in shown] == [5, 8]
