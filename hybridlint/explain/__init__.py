"""Explaining what MXNet printed: the place in the user's code, the rule, and the fix."""
