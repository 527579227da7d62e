"""A tensor argument of `hybrid_forward` is not used.

An input that reaches no output is left out of the graph. Exported models and `SymbolBlock` then take other inputs
than the class does.

A layer may learn its sizes from the first batch. The first call of the hybridized block then infers all shapes from the
graph and its inputs. It raises if the graph lacks a parameter or an input, unless the block ran eagerly before. As part
of another block's graph, which may use the input, it does not. Sizes that are given (`in_units`, `in_channels`) need no
inference.

Bad:

    class Double(HybridBlock):
        def hybrid_forward(self, F, x, mask):  # HYB806
            return x * 2

Good:

    class Double(HybridBlock):
        def hybrid_forward(self, F, x):
            return x * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import SignatureEvent
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB806", summary="argument that is not used", severity=Severity.INFO)


@rule.on(SignatureEvent)
def check(event: SignatureEvent) -> Iterator[Finding]:
    """Report arguments that no code reads."""
    unused = sorted(event.unused)
    if not unused:
        return
    if event.later and not event.unused.isdisjoint(event.parameters):
        named = ", ".join(f"`{name}`" for name in sorted(event.unused & event.parameters))
        yield rule.at(
            event.node,
            f"no output uses {named}: the first call of the hybridized block raises without a shape for it",
            severity=Severity.ERROR,
            help="Use the parameter, or do not declare it.",
        )
        return
    inputs = sorted((event.unused & event.required) - event.parameters)
    if event.later and inputs and not event.inner:
        named = ", ".join(f"`{name}`" for name in inputs)
        yield rule.at(
            event.node,
            f"no output uses {named}: hybridized before its first call, the block cannot infer layer sizes and raises",
            severity=Severity.WARNING,
            help="Remove the argument, use it, or give the layers their sizes (in_units, in_channels).",
        )
        return
    listed = ", ".join(f"`{name}`" for name in unused)
    one = len(unused) == 1
    lacking = "this input" if one else "these inputs"
    yield rule.at(
        event.node,
        f"no output uses {listed}, so the exported graph lacks {lacking}",
        help=_advice(event, one=one),
    )


def _advice(event: SignatureEvent, *, one: bool) -> str:
    if event.required <= event.unused | event.parameters:
        return "Keep one argument: the block is traced by an input, though its graph has none."
    return "Remove the argument." if one else "Remove the arguments."
