"""How Sphinx builds the site. ``build.py`` gathers the pages."""

import windlass

project = "Windlass"
author = "The Windlass authors"
project_copyright = author
version = release = windlass.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
myst_heading_anchors = 4
default_role = "literal"
smartquotes = False  # they would turn `--set` into a dash

html_theme = "furo"
html_title = f"Windlass {windlass.__version__}"
html_static_path = ["_static"]
html_css_files = ["windlass.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "default"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#00598c", "color-brand-content": "#00598c"},
    "dark_css_variables": {"color-brand-primary": "#6cb8e6", "color-brand-content": "#6cb8e6"},
}

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the parameters' docstrings have the types in words
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_numpy_docstring = True
napoleon_use_rtype = False
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # two classes have an attribute of one name: either will do
