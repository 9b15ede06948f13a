"""Sphinx's settings; tools/site/build.py hands over staged pages and runs it."""

import re
from pathlib import Path

HERE = Path(__file__).parent
version = re.search(r'VERSION = "([^"]+)"', (HERE.parents[1] / "src/tertium/core/version.py").read_text())[1]
release = version

project = "tertium"
author = "the tertium developers"
project_copyright = ""
language = "en"
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
nitpicky = True
smartquotes = False  # of `--by` it would make a dash
# A shell's `$ tertium ...` may hold anything, and colours are not worth a warning.
suppress_warnings = ["misc.highlighting_failure"]
myst_heading_anchors = 6
myst_enable_extensions = ["attrs_block"]

html_theme = "furo"
html_title = f"tertium {version}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
# Two palettes that keep the contrast of WCAG AA in code.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
