"""The steps of a conversion, each a transformer of concrete syntax."""
