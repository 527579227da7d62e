"""Element-wise operators: each element of the result depends on the elements at its place alone."""
