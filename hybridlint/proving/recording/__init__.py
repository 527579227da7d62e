"""Recording: how a real run builds and calls a project's blocks, stored in a file for checks and proofs."""
