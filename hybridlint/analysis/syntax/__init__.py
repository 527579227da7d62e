"""What each kind of statement and expression means."""
