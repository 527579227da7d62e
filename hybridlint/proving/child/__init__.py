"""Code that runs in the child process: it loads a user's module, builds its blocks, runs them and compares.

These modules import neither the linter nor the runtime; they use the module `mxnet` as any user's code does.
"""
