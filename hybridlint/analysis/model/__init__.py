"""What the interpreter speaks about: values, their joins, shapes and dtypes, and the events that it emits."""
