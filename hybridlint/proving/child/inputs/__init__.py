"""The search for forward inputs that a block accepts, for blocks whose inputs the user has not specified."""
