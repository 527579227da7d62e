"""Values that an argument of a constructor may have, as code, annotations, docstrings and errors tell."""
