"""The commands of the command line, one per module, imported on first use."""
