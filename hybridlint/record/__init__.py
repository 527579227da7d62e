"""Recording: what a real run shows of the blocks of a project, kept in a file that checks and proofs read."""
