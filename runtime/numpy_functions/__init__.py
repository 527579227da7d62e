"""The functions of ``np`` and ``npx``, written once for arrays and for symbols.

Each takes the `NumpyWorld` that it works in as its first argument, which a namespace fills in.
"""
