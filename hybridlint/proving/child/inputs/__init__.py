"""The search for inputs that a block accepts, if the user gave none."""
