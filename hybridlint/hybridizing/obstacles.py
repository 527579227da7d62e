"""Findings that mean that a block computes with the numbers in its tensors, which a graph does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.rule import Rule

#: Rules of what no rewrite replaces: Python decides by data, or sizes depend on it.
_BY_VALUES = frozenset(
    {
        "autograd-function",
        "boolean-operator",
        "data-dependent-assert",
        "data-dependent-branch",
        "data-dependent-loop",
        "dynamic-shape",
        "generator-forward",
        "non-hybrid-child",
        "numpy-function",
        "python-number",
        "tensor-gradient",
        "tensor-membership",
        "tensor-to-python",
        "untraceable-layer",
    }
)


def needs_values(rule: Rule) -> bool:
    """Whether a finding of a rule, without a fix, means that the block cannot become hybrid."""
    return rule.name in _BY_VALUES
