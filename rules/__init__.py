"""The rules of hybridlint, one a file."""

if __name__ != "hybridlint.rules":
    raise ImportError(
        "import this package as hybridlint.rules; the folder of the repository is not a package of its own"
    )
