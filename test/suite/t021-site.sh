#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The site is built without a warning and without a network. Its links and their anchors exist, each page
# of doc/ is on it, names of functions lead to the reference, and the search knows its pages.
set -u
. "$(dirname "$0")/../support/tap.sh"

planted() { python3 "$src/doc/site/links.py" "$tmp/planted"; }
mkdir "$tmp/planted"
page() { printf '<html><body id="top"><a href="%s">a</a></body></html>' "$1" >"$tmp/planted/a.html"; }
for good in '#top' a.html 'a.html#top' https://example.org/none; do
  page "$good"
  clean "a link to $good" planted
done
page b.html
catches "a link to a page that is not there" 'a.html: b.html' planted
page 'a.html#none'
catches "a link to an anchor that is not there" 'a.html: a.html#none' planted

for need in doxygen sphinx-build; do
  command -v $need >/dev/null 2>&1 && continue
  skip "there is no $need: no site"
  done_testing
done
# Sphinx need not run by the Python that is called python3 here.
$(sed -n '1s/^#! *//p' "$(command -v sphinx-build)") -c 'import myst_parser, furo' 2>/dev/null || {
  skip "there is no MyST or no furo: no site"
  done_testing
}
# A proxy that is nobody shows that nothing is fetched.
offline() { env http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 sh "$src/doc/build.sh" "$tmp/made"; }
clean "the site is built without a warning" offline
html=$tmp/made/html
clean "its links lead somewhere" python3 "$src/doc/site/links.py" "$html"
python3 "$src/doc/site/links.py" --external "$html" >"$tmp/external"
runs "links to other places are few" test "$(wc -l <"$tmp/external")" -lt 40
diag "not fetched: $(tr '\n' ' ' <"$tmp/external")"

absent() { # FOLDER: prints pages of the tree that are not in it
  (cd "$src" && ls README.md CHANGELOG.md CONTRIBUTING.md doc/*.md doc/dev/*.md) | while read -r page; do
    [ -f "$1/${page%.md}.html" ] || echo "$page"
  done
}
clean "each page is on it" absent "$html"
lost() { # prints pages that the search does not know
  (cd "$src" && ls doc/*.md) | while read -r page; do
    grep -q -F "\"${page%.md}\"" "$html/searchindex.js" || echo "$page"
  done
}
clean "the search knows them" lost
runs "names of functions lead to the reference" grep -q 'href="../reference/mesh_8h.html#' "$html/doc/faq.html"
runs "headers do, too" grep -q 'href="../../reference/loop_8h.html"' "$html/doc/dev/index.html"
pictures() { # prints pictures of the pages that the site lacks
  (cd "$src/doc" && grep -o '!\[[^]]*\]([^)]*)' -h -- *.md dev/*.md) | sed 's/.*(\(.*\))/\1/; s|.*/||' |
    while read -r picture; do
      [ -f "$html/_images/$picture" ] || echo "$picture"
    done
}
clean "it has their pictures" pictures
remote() { # prints what pages would load from elsewhere
  grep -r -o -h -E '(<script[^>]*src|<link[^>]*stylesheet[^>]*href)="https?://[^"]*"' "$html" --include='*.html'
  :
}
clean "it loads nothing from elsewhere" remote

# Faults are planted in a copy of a few pages, which takes less time. It complains of the others, too.
(mkdir "$tmp/tree" && cd "$tmp/tree" &&
  mkdir doc test bench examples lib codegen backends scheduler compat fortran python tools &&
  cd "$src" && cp -R README.md CONTRIBUTING.md CHANGELOG.md CITATION.cff LICENSE include "$tmp/tree/" &&
  cp -R doc/site doc/build.sh doc/errors.md doc/faq.md "$tmp/tree/doc/")
printf '\nSee [this](planted.md), [that](faq.md#planted) and [a file](../lib/planted.c).\n' >>"$tmp/tree/doc/errors.md"
printf '# A page that none leads to\n' >"$tmp/tree/doc/lonely.md"
sh "$tmp/tree/doc/build.sh" "$tmp/made2" >"$tmp/faults" 2>&1
faults() { cat "$tmp/faults"; }
catches "a link to a page that is not there" 'planted.md' faults
catches "a link to a section that is not there" 'faq.md#planted' faults
catches "a link to a file that is not there" 'lib/planted.c' faults
catches "a page that is in no list" 'lonely.*toctree' faults
runs "planted: nothing is made of it" test ! -e "$tmp/made2/html"

done_testing
