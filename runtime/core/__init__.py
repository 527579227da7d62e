"""Shared parts of the public modules: eager execution, binding of arguments, namespaces filled from the registry."""
