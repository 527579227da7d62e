"""The language server: findings, fixes and pages of rules in editors, by the Language Server Protocol."""
