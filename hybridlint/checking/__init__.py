"""From files to findings: one file, many files, what is remembered of them."""
