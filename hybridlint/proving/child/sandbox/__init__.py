"""What holds the project's code in a folder of its own while it is proved."""
