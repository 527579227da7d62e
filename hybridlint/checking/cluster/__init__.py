"""Checks and proofs on the machines of a Dask cluster."""
