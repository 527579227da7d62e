"""Proof of fixes: run blocks before and after a fix, eagerly and compiled, on random inputs, and compare the results.

The entry point is `hybridlint.proving.prover`.

Nothing here runs user code in this process. User code runs in `hybridlint.proving.child`, which is started as a child
process and needs nothing but Python 3.8, numpy and an importable `mxnet`: the bundled runtime, or a real one.
"""
