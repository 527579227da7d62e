"""Reports: findings in their formats, proofs, diffs, summaries and pages."""
