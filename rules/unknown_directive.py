"""Comment for hybridlint that means nothing.

A comment that is misspelt looks as if it silenced a finding or told the proof how a block is called, and does neither.
Reported are directives that do not exist, names of rules and codes (`HYB` and digits) that do not exist, inputs that
`hybrid_forward` does not take, what cannot be read, and a directive that stands at no block. Codes of other tools in
`# noqa` are theirs.

Bad:

    class Net(HybridBlock):
        # hybridlint: shaped(x=("N", 3))  # HYB003
        def hybrid_forward(self, F, x):
            return F.relu(x) * x.shape[0]  # hybridlint: ignore[tensor-shpe]  # HYB003, HYB101

Good:

    class Net(HybridBlock):
        # hybridlint: shapes(x=("N", 3))
        def hybrid_forward(self, F, x):
            return F.relu(x) * x.shape[0]  # hybridlint: ignore[tensor-shape]
"""

from __future__ import annotations

from hybridlint.rule import Rule

rule = Rule(__name__, code="HYB003", summary="comment for hybridlint without effect")
