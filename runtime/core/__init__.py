"""What the public modules share: eager execution, binding of arguments, namespaces filled from the registry."""
