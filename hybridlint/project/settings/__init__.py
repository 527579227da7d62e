"""Settings of a project and its suppression comments: options, selected rules, silenced findings."""
