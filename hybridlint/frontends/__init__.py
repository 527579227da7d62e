"""Entry points for people and programs: commands, the language server, the API, plugins."""
