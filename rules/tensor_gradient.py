"""A method of the autograd engine is called on a tensor.

`detach()`, `attach_grad()` and `backward()` raise on a Symbol. To stop a gradient inside the block there is an
operator, `F.BlockGrad` (also called `stop_gradient`); the others belong in the training loop.

Bad:

    return x.detach() * y  # HYB108

Good:

    return F.BlockGrad(x) * y
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import MethodCall
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.functions.copies import block_gradient
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB108", summary="detach, attach_grad or backward on a tensor", needs_values=True)

GRADIENT_METHODS = frozenset({"detach", "attach_grad", "backward", "zero_grad", "drop_grad"})


@rule.on(MethodCall)
def check(event: MethodCall) -> Iterator[Finding]:
    """Report ``detach``, ``attach_grad`` and ``backward`` of a tensor, which raise on a Symbol."""
    if event.name not in GRADIENT_METHODS or not isinstance(event.receiver, Tensor | Outputs):
        return
    receiver = subject(event.node)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, receiver, event.receiver)}: `{event.name}()` raises on a Symbol",
        fix=block_gradient(event) or functions_passed(event.frame),
        otherwise=lambda: keep_eager(event),
        help="Stop a gradient with F.BlockGrad; attach_grad and backward belong in the training loop.",
    )
