# SPDX-License-Identifier: BSD-3-Clause
"""The site: pages of doc/ by Sphinx and MyST. doc/build.sh puts them, and what they link to, into one
folder, with the reference by Doxygen beside them."""

import os
import pathlib
import posixpath
import xml.etree.ElementTree as ElementTree

from docutils import nodes
from sphinx import addnodes

project = "op2"
author = "The op2 authors"
copyright = author
version = release = os.environ["OP2_SITE_VERSION"]

extensions = ["myst_parser"]
# Sections are found as GitHub finds them, so that links hold in both places.
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
root_doc = "index"
# Only pages for readers: not what is copied for links alone.
include_patterns = ["index.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "doc/*.md",
                    "doc/dev/*.md", "test/README.md", "bench/results/*.md"]
exclude_patterns = ["doc/site"]
# Code without a language is for a shell, or output.
highlight_language = "none"

html_theme = "furo"
html_title = f"op2 {version}"
html_extra_path = ["../extra"]
html_copy_source = False
html_show_sphinx = False
# Readers off the network see the same.
html_last_updated_fmt = None

REFERENCE = "reference/"


def reference_pages():
    """Name of a public entity or header to its place in the reference, from Doxygen's tags."""
    found = {}
    for compound in ElementTree.parse(os.environ["OP2_SITE_TAGS"]).getroot():
        page = compound.findtext("filename")
        if not page.endswith(".html"):
            page += ".html"
        if compound.get("kind") in ("file", "struct"):
            folder = (compound.findtext("path") or "").rpartition("/include/")[2]
            found[folder + compound.findtext("name")] = REFERENCE + page
        if compound.get("kind") == "file":
            for member in compound.findall("member"):
                found.setdefault(member.findtext("name"), REFERENCE + member.findtext("anchorfile")
                                 + "#" + member.findtext("anchor"))
    return found


def up(docname):
    return "../" * docname.count("/")


def inside(node, kinds):
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def link_names(app, doctree, docname):
    """Names of the interface in the text lead to the reference."""
    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext().removesuffix("()")
        place = app.reference_places.get(name)
        if place and not inside(literal, (nodes.reference, nodes.title, addnodes.compact_paragraph)):
            link = nodes.reference("", "", internal=False, refuri=up(docname) + place)
            literal.replace_self(link)
            link += literal


def link_files(app, env, node, content):
    """Headers lead to the reference; other files and folders are named, as the site has none of them."""
    target, _, section = node.get("reftarget", "").partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(node["refdoc"]), target))
    if path.startswith(REFERENCE):
        place = path
    elif path.rstrip("/") == "include/op2":
        place = REFERENCE + "files.html"
    else:
        place = app.reference_places.get(path.removeprefix("include/"))
    if place:
        return nodes.reference("", "", content, internal=False, refuri=up(node["refdoc"]) + place)
    if section and path.endswith(".md"):
        return None  # the page has no such section
    return content if target and (pathlib.Path(app.srcdir) / path).exists() else None


def drop_downloads(app, doctree):
    """Links to files of the sources are resolved as above, and not as downloads."""
    for node in list(doctree.findall(addnodes.download_reference)):
        xref = addnodes.pending_xref("", *node.children, refdoc=app.env.docname, reftype="myst",
                                     reftarget=node["reftarget"], refdomain=None, refexplicit=True,
                                     refwarn=True)
        node.replace_self(xref)


def setup(app):
    app.reference_places = reference_pages()
    app.connect("doctree-read", drop_downloads, priority=100)  # before titles are collected
    app.connect("missing-reference", link_files)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
