"""Taking the linter up in code that exists: known findings stand in a baseline, comments silence, changes count."""
