"""The options of Sphinx for the site. tools/docs copies this file next to the pages, and sets the variables."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.environ["OFINDEX_SITE_CODE"])

project = "ofindex"
author = "the authors of ofindex"
release = version = os.environ["OFINDEX_SITE_VERSION"]
html_title = f"ofindex {release}"

extensions = ["breathe", "docstrings", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
smartquotes = False  # "--" is often the beginning of an option
exclude_patterns = ["_*"]
suppress_warnings = ["misc.highlighting_failure"]  # "..." stands for output that differs from run to run

myst_heading_anchors = 6

# A name in backquotes becomes a link if the reference has it, and is shown as code otherwise.
default_role = "py:obj"
primary_domain = "py"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "inherited-members": "object,BaseException,Exception,Sequence,tuple"}
# The adapters are described without their frameworks.
autodoc_mock_imports = ["grain", "polars", "pyarrow", "pyspark", "ray", "tensorflow", "torch"]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

breathe_projects = {"ofindex": os.environ["OFINDEX_SITE_XML"]}
breathe_default_project = "ofindex"
breathe_default_members = ("members", "undoc-members")
cpp_id_attributes = ["OFINDEX_API", "OFINDEX_INTERNAL"]
cpp_maximum_signature_line_length = 88

html_theme = "furo"
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
