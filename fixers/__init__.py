"""Rewrites, by kind of edit. A fixer turns an event into a Fix; it never decides whether to report."""

if __name__ != "hybridlint.fixers":
    raise ImportError(
        "import this package as hybridlint.fixers; the folder of the repository is not a package of its own"
    )
