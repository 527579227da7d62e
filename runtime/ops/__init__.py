"""The operators: a package for each kind, a module for each family. The registry imports them all; no list is kept."""
