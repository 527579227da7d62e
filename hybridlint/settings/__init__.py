"""What a project and its comments say: settings, the rules that hold, what is silenced."""
