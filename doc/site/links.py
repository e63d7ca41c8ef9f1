#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Links of the site: broken ones within it are printed, as "page: link". Nothing is fetched.

  doc/site/links.py FOLDER             print links that lead nowhere in the site
  doc/site/links.py --external FOLDER  print links to other places, each once
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page and the names that links may lead to."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src", "data") and value:
                self.links.append(value)


def main():
    arguments = sys.argv[1:]
    external = "--external" in arguments
    folders = [argument for argument in arguments if not argument.startswith("-")]
    if len(folders) != 1:
        print(__doc__)
        sys.exit(0 if arguments in (["-h"], ["--help"]) else 2)
    root = pathlib.Path(folders[0]).resolve()
    pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
    if not pages:
        sys.exit("links.py: there is no page in " + folders[0])
    others = set()
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                others.add(link)
                continue
            target = path
            if parts.path:
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            fragment = urllib.parse.unquote(parts.fragment)
            lost = not target.exists() or (
                fragment and target in pages and fragment not in pages[target].anchors)
            if lost and not external:
                print(f"{path.relative_to(root)}: {link}")
    if external:
        print("\n".join(sorted(link for link in others if not link.startswith("data:"))))


main()
