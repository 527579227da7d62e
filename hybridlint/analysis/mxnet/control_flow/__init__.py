"""The operators `foreach`, `while_loop` and `cond`: their results, and inputs that Symbols reject."""
