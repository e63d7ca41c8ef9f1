#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The comment of every public function states its effect, who owns its arguments, whether it blocks,
# its behaviour under MPI, its errors and its origin; a function that copies arrays also has their
# shape and units.
set -u
. "$(dirname "$0")/../support/tap.sh"

documented() { awk -f "$src/test/suite/t003-docs.awk" "$@"; }

# share FILE...: prints the percentage of non-blank lines that contain comment text.
share() {
  awk '/[^ \t]/ { lines++; if (in_comment || /\/\*/) comment++ }
    /\/\*/ { in_comment = 1 } /\*\// { in_comment = 0 }
    END { printf "%d\n", lines ? 100 * comment / lines : 0 }' "$@"
}

set -- "$src"/include/op2.h "$src"/include/op2/*.h
clean "every public function is documented as a whole" documented "$@"
percent=$(share "$@")
runs "$percent % of the lines of the public headers carry a comment, of at least 60 %" \
  test "$percent" -ge 60

tags='@memory m @sync s @mpi m @errors e @source s'
planted() { printf "%s\n" "$1" >"$tmp/planted.h"; }
planted "/** @brief b $tags */
OP2_API int op2_whole(op2_set set);"
clean "a whole comment passes" documented "$tmp/planted.h"
for tag in @brief @memory @sync @mpi @errors @source; do
  planted "$(echo "/** @brief b $tags */" | sed "s/$tag //")
OP2_API int op2_planted(op2_set set);"
  catches "no $tag" "op2_planted: lacks $tag" documented "$tmp/planted.h"
done
planted "OP2_API int op2_planted(op2_set set);"
catches "no comment" 'op2_planted: lacks a documentation' documented "$tmp/planted.h"
planted "/** @brief b $tags */

OP2_API int op2_planted(op2_set set);"
catches "a comment that stands elsewhere" 'op2_planted: lacks a documentation' \
  documented "$tmp/planted.h"
for array in 'const int32_t *idx' 'void *out' 'const void **data' 'int64_t ends[4]' \
  'const op2_map *maps'; do
  planted "/** @brief b $tags @units u */
OP2_API op2_status op2_planted(int n,
                   $array);"
  catches "no @shape with $array" 'op2_planted: lacks @shape' documented "$tmp/planted.h"
done
planted "/** @brief b $tags @shape u */
OP2_API const double *op2_planted(int n);"
catches "no @units with an array returned" 'op2_planted: lacks @units' documented "$tmp/planted.h"
planted "/* nothing */"
catches "no function at all" 'no public function' documented "$tmp/planted.h"

done_testing
