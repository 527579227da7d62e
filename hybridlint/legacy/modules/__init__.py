"""Stand-ins for modules that Python has removed, with what projects take from them."""
