#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No file names folders of the machine it was written on, or mentions work left to do.
set -u
. "$(dirname "$0")/../support/tap.sh"

# files ROOT: prints the project's files, relative to ROOT, without build folders and Git's own
# files. The brackets in the patterns below keep this file from matching itself.
files() {
  (cd "$1" && find . -path ./.git -prune -o -path './build*' -prune -o -type f -print |
    sed 's|^\./||' | sort)
}

find_words() { # ROOT PATTERN
  files "$1" | tr '\n' '\0' | (cd "$1" && xargs -0 grep -InE -e "$2" /dev/null)
  :
}

# A folder of one machine, or a fixed place under the temporary folder; TMPDIR with /tmp behind it
# is none.
paths() {
  find_words "$1" '(^|[^A-Za-z0-9_.})-])/([w]ork|[r]oot|[h]ome|[U]sers|[m]nt|[t]mp)/[A-Za-z0-9_]'
}
work() { find_words "$1" '(^|[^A-Za-z0-9_])([T]ODO|[F]IXME|[X]XX|[H]ACK|[T]BD)([^A-Za-z0-9_]|$)'; }
endings() { # lines that end in blanks, tabs in C, carriage returns
  find_words "$1" '[[:space:]]$'
  tab=$(printf '\t')
  files "$1" | grep '\.[ch]$' | tr '\n' '\0' | (cd "$1" && xargs -0 grep -Hn "$tab" /dev/null)
  :
}

# withdrawn ROOT: prints identifiers of the library with a word that the glossary has withdrawn, as
# "file:line:identifier"
withdrawn() {
  words=$(awk -F'|' '/^## / { here = $0 == "## Withdrawn words" }
    here && /^\|/ && !/^\| word|^\|---/ { gsub(/[^a-z,]/, "", $2); print $2 }' \
    "$src/doc/dev/glossary.md" | tr ',\n' '||' | sed 's/||*/|/g; s/|$//')
  [ -n "$words" ] || { echo "the glossary has no withdrawn words"; return; }
  (cd "$1" && awk -v names=1 -f "$src/test/support/code.awk" \
    $(find include lib codegen backends scheduler -name '*.[ch]' 2>/dev/null | sort)) |
    awk -v words="^($words)\$" '{
      match($0, /^[^:]*:[0-9]*:/)
      where = substr($0, 1, RLENGTH)
      n = split(substr($0, RLENGTH + 1), names, /[^A-Za-z0-9_]+/)
      for (i = 1; i <= n; i++) {
        parts = split(names[i], part, "_")
        for (k = 1; k <= parts; k++) if (part[k] ~ words) { print where names[i]; break }
      }
    }'
}

clean "no paths of one machine" paths "$src"
clean "no words for work left to do" work "$src"
clean "no blanks at line ends, no tabs in C" endings "$src"

clean "no names with words that the glossary has withdrawn" withdrawn "$src"

mkdir -p "$tmp/tree/lib" "$tmp/tree/build" "$tmp/tree/.git"
plant() {
  printf '%s\n' "$1" >"$tmp/tree/lib/planted.c"
}
for place in /[w]ork/main /[r]oot/x /[h]ome/someone/x /[t]mp/fixed; do
  place=$(echo "$place" | tr -d '[]')
  plant "const char *p = \"$place\";"
  catches "$place" '^lib/planted.c:1:' paths "$tmp/tree"
done
plant 'dir=${TMPDIR:-/tmp}; "/tmp" /usr/work/x a/root/b'
clean "TMPDIR's default, and paths within paths, pass" paths "$tmp/tree"
for word in TO''DO FIX''ME X''XX; do
  plant "/* $word: later */"
  catches "$word" '^lib/planted.c:1:' work "$tmp/tree"
done
plant 'mkstemp("aXXXXXX"); /* TODOS */'
clean "longer words pass" work "$tmp/tree"
plant 'int op2i_tell_all(void); /* who says so */ const char *c = "meets";'
catches "a withdrawn word in a name" '^lib/planted.c:1:op2i_tell_all$' withdrawn "$tmp/tree"
plant 'int teller, store_of; /* who says so */ const char *c = "meets";'
clean "words that contain it, comments and strings pass" withdrawn "$tmp/tree"
plant 'int a; '
catches "a blank at a line's end" '^lib/planted.c:1:' endings "$tmp/tree"
plant "$(printf '\tint a;')"
catches "a tab in C" '^lib/planted.c:1:' endings "$tmp/tree"
plant ''
echo "TO""DO" | tee "$tmp/tree/build/x" >"$tmp/tree/.git/x"
clean "build folders and Git's own are left alone" work "$tmp/tree"

done_testing
