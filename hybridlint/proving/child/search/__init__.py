"""The search for a setup: arguments and inputs with which a block runs eagerly, alone or in a larger block."""
