"""Proof of fixes: blocks run before and after, eagerly and compiled, on random inputs. See `hybridlint.proving.prover`.

Nothing here runs user code in this process. What does is in `hybridlint.proving.child`, which a child process starts
and which needs nothing but Python 3.8, numpy and an importable `mxnet`: the bundled runtime, or a real one.
"""
