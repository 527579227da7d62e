"""What runs in the child process: it loads a user's module, builds its blocks, runs them and compares.

These modules import neither the linter nor the runtime; they see the module `mxnet` as any user of it does.
"""
