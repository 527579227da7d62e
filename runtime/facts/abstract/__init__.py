"""Abstract execution of Gluon's layers: their own source code runs on tensor types instead of arrays."""
