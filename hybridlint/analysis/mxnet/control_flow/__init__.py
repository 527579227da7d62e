"""Control flow operators, `foreach`, `while_loop` and `cond`: what they do, and what their Symbol forms reject."""
