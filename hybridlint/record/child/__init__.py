"""What runs beside the user's program: it watches how blocks are built and called, and writes it down.

These modules need Python 3.8, numpy and mxnet, the bundled runtime or the real one, which they see as users do.
"""
