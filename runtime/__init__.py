"""The bundled hybrid runtime, shaped like the mxnet module tree: ``import hybridlint.runtime as mx``."""

if __name__ != "hybridlint.runtime":
    raise ImportError("import this package as hybridlint.runtime; the folder of the repository is not a package of its own")
