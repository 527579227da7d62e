"""Facts about operators and layers that need no run of them. The linter imports only this part, without numpy."""
