"""``mx.contrib.amp.lists``: which operators compute in which precision, by their names in MXNet 1.9.1."""
