"""Calls of operators: the operator of a name, the result of a call, and arguments that its Symbol form refuses."""
