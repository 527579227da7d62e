"""The brief: what the parent's analysis tells the worker of the code that it runs, so that it parses no source."""
