"""Comment that silences nothing.

A comment that silences a finding stays when the code around it is repaired or moves, and then hides the next mistake
there. Reported are `# noqa` with codes of hybridlint, `# hybridlint: ignore`, `ignore-class`, `ignore-file` and
`disable`, where nothing is found that they silence, and an `enable` that ends no range. The fix takes out the codes,
or the whole comment. Not judged are codes of other tools and bare `# noqa`, rules that are not selected, and files that
are not analyzed to their end.

A project may list rules as `unsuppressible` in its settings. What they find is told in spite of any comment, and the
comment is reported.

Bad:

    class Net(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.relu(x)  # noqa: HYB101  # HYB004

Good:

    class Net(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.relu(x)
"""

from __future__ import annotations

from hybridlint.rule import Rule, Severity

rule = Rule(__name__, code="HYB004", summary="comment that silences nothing", severity=Severity.WARNING)
