"""Files on disk: discovery, reading and safe replacement."""
