"""Code that runs in the user's process: it observes how blocks are built and called, and writes the record.

These modules need only Python 3.8, numpy and mxnet (the bundled runtime or the real one).
"""
