#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Comments at file scope and in structs are no fragments: where one begins with a preposition that
# fragments begin with, its main clause has a finite verb.
set -u
. "$(dirname "$0")/../support/tap.sh"

fragments() {
  find "$1" -name '*.[ch]' -not -path '*/build*' | sort | xargs awk -f "$src/test/suite/t010-comments.awk"
}

for folder in include lib codegen backends scheduler compat; do
  clean "comments in $folder have a verb" fragments "$src/$folder"
done

mkdir "$tmp/tree"
plant() { printf '%s\n' "$1" >"$tmp/tree/planted.c"; }
for word in Of To That Those With From And Who What; do
  plant "/* $word all blocks, the first one. */"
  catches "a fragment with $word" 'planted.c:1: no sentence' fragments "$tmp/tree"
done
plant '/* Of those that there are not, the first. */'
catches "a fragment whose only verb is in a relative clause" 'planted.c:1:' fragments "$tmp/tree"
plant 'struct a {
  int b; /* Of all blocks. */
};'
catches "a fragment in a struct" 'planted.c:2:' fragments "$tmp/tree"
plant 'static const int table[] = {
    1, /* From the start. */
};'
catches "a fragment in a table" 'planted.c:2:' fragments "$tmp/tree"
plant 'static char brace(void) { return "{"[0]; }
/* To nobody,
 * from nobody. */'
catches "a fragment of two lines after a function" 'planted.c:2:' fragments "$tmp/tree"
plant 'static int f(int a) {
  return a; /* Of all blocks. */
}
/* Of equal values the first one wins. */
struct op2_set_s *g(void);'
clean "sentences pass, and comments in functions" fragments "$tmp/tree"

done_testing
