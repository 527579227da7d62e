"""``hybridlint run``: the bundled runtime under the name mxnet."""
