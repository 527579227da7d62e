"""Products of matrices."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import infix, receiver


@translates("batch_dot")
def _batch_dot(call: OperatorCall) -> str:
    call.only_default("forward_stype")
    return _product(call, "transpose(1, 2)")


def _product(call: OperatorCall, transposed: str) -> str:
    left, right = call.arg(0), call.arg(1)
    if call.flag("transpose_a"):
        left = f"{receiver(left)}.{transposed}"
    if call.flag("transpose_b"):
        right = f"{receiver(right)}.{transposed}"
    return infix(left, "@", right)


@translates("dot")
def _dot(call: OperatorCall) -> str:
    call.only_default("forward_stype")
    ranks = call.rank(0), call.rank(1)
    if ranks in ((1, 1), (2, 2), (2, 1)) or (ranks[1] == 2 and not call.flag("transpose_a")):
        return _product(call, "t()")
    if None in ranks:
        raise NoTranslationError("`dot` of tensors whose number of axes is not known")
    if call.flag("transpose_a") or call.flag("transpose_b"):
        raise NoTranslationError("`dot` of transposed tensors with more than two axes")
    return f"torch.tensordot({call.arg(0)}, {call.arg(1)}, dims=1)"


@translates("_linalg_gemm2")
def _gemm2(call: OperatorCall) -> str:
    call.only_default("axis")
    product = _product(call, "mT")
    return infix(call.text("alpha"), "*", product) if call.given("alpha") else product


@translates("FullyConnected")
def _fully_connected(call: OperatorCall) -> str:
    data = call.arg(0)
    if call.flag("flatten") and call.rank() != 2:
        data = f"{call.x}.flatten(1)"
    bias = f", {call.arg(2)}" if not call.flag("no_bias") and call.has_input(2) else ""
    return f"F.linear({data}, {call.arg(1)}{bias})"


@translates("_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_selfatt_valatt")
def _interleaved(call: OperatorCall) -> str:
    raise NoTranslationError("attention over interleaved projections; write it with `F.scaled_dot_product_attention`")
