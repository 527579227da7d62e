"""``mx.library``: operators in C++ that are loaded from libraries."""

from hybridlint.runtime.contrib.refused import refused

load = refused(
    "library.load", "it cannot call operators in C++; write the operator in Python with mx.operator.CustomOp"
)
