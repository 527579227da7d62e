"""The vocabulary of all parts: findings, results, outcomes, errors."""
