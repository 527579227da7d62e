"""The operators, a family a file. The registry walks this package: a new operator touches no list."""
