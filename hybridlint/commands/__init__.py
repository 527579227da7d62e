"""The commands of the command line, one a file, imported when they are called."""
