"""The check: from files to findings, for one file or many, with a cache of earlier results."""
