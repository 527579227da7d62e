"""The interpreter's data model: values, their joins, shapes and dtypes, and the events that it emits."""
