"""The attributes and methods of MXNet's arrays, grouped by the kind of value that they return."""

from __future__ import annotations

from hybridlint.analysis.model.tables import words

#: Attributes of an array that are read from its data, methods excluded.
FROM_DATA = words("shape size ndim dtype context ctx stype writable itemsize nbytes")
#: Properties of an array that are known without its data, and what is read from it alike.
LAYOUT = words("shape size ndim dtype context ctx stype len slice")
#: Attributes of an array that are objects, or tuples of its sizes, and therefore true.
OBJECTS = words("context ctx dtype shape")
#: Methods of arrays that preserve the values.
KEEPING = words("copy detach as_in_context as_in_ctx tostype copyto")
#: Methods that read an array's data into Python.
TO_PYTHON = words("asscalar item tolist")
READERS = TO_PYTHON | {"asnumpy"}
