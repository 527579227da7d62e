"""Which file an import leads to, as Python resolves it; the analysis, proofs, conversions and the cache ask here."""
