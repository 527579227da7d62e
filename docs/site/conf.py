"""Settings of Sphinx for the site."""

from __future__ import annotations

import hybridlint

project = "hybridlint"
author = "The hybridlint developers"
copyright = "the hybridlint developers, Apache-2.0"  # noqa: A001 - Sphinx chooses the name
release = version = hybridlint.__version__

extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
# GitHub draws these fences; the lexers of Pygments have other names for some.
highlight_language = "text"

html_theme = "furo"
html_title = "hybridlint"
html_static_path = ["static"]
templates_path = ["templates"]
html_css_files = ["site.css"]
html_js_files = [("narrow-tables.js", {"defer": "defer"})]
# Furo's styles for code, but for the dark one, which underlines the names of modules.
pygments_dark_style = "github-dark"
html_theme_options = {"navigation_with_keys": True}
# The source of a page is assembled: a link to it would show no file of the repository.
html_copy_source = False
html_show_sourcelink = False
