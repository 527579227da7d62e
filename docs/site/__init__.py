"""The documentation site: `python -m docs.site` builds it from docs/, the rules and what the tests have measured."""
