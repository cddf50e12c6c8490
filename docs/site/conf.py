"""Sphinx's settings. `build.py` writes the pages beside a copy of this file.

Sphinx with furo, and none of the others that were compared in 2026: mkdocs-material (its makers have gone on to zensical),
zensical (0.1 as yet) and jupyter-book 2 (needs node to build). Sphinx checks references and makes warnings errors, its
search works from the disk without a server, and most of Python's documentation is made with it.
"""

project = "torchlike"
author = "the authors of torchlike"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "torchlike"
html_static_path = ["_static"]
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
suppress_warnings = ["misc.highlighting_failure"]  # of signatures, which are not quite Python
