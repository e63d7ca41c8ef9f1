#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every header compiles alone and twice: the public ones as C11 and as C++11, pedantically, the
# internal ones as gnu11.
set -u
. "$(dirname "$0")/tap.sh"

strict="-Wall -Wextra -Werror -pedantic -Wshadow -fsyntax-only"
internal="-Wall -Wextra -Werror -Wshadow -fsyntax-only"
for folder in lib codegen backends scheduler; do internal="$internal -iquote $src/$folder"; done

# alone "COMPILER FLAGS" FOLDER HEADER: prints what the compiler says. A translation unit must
# declare something, which a header of macros does not do.
alone() {
  printf '#include "%s"\n#include "%s"\ntypedef int op2_test_unit;\n' "$3" "$3" |
    $1 -I "$2" -I "$src/include" -iquote "$2" -
}

public() { # LANGUAGE-NAME "COMPILER FLAGS"
  if ! command -v "${2%% *}" >/dev/null 2>&1; then
    skip "${2%% *} is not installed: headers not tried as $1"
    return
  fi
  for header in op2.h $(cd "$src/include" && ls op2/*.h); do
    clean "$header alone, as $1 by ${2%% *}" alone "$2" "$src/include" "$header"
  done
}

cc=${CC:-cc}
cxx=${CXX:-c++}
public C11 "$cc -std=c11 $strict -Wstrict-prototypes -x c"
public C++11 "$cxx -std=c++11 $strict -x c++"
public C11 "clang -std=c11 $strict -Wstrict-prototypes -x c"
public C++11 "clang++ -std=c++11 $strict -x c++"

for folder in lib codegen backends scheduler; do
  for header in $(cd "$src/$folder" && ls | grep '\.h$'); do
    clean "$folder/$header alone" alone "$cc -std=gnu11 $internal -x c" "$src/$folder" "$header"
  done
done

mkdir "$tmp/op2"
printf '#ifndef P\n#define P\nint64_t op2_planted(void);\n#endif\n' >"$tmp/op2/planted.h"
catches "a header that needs another" int64_t alone "$cc -std=c11 $strict -x c" "$tmp" op2/planted.h
printf 'struct op2_planted { int a; };\n' >"$tmp/op2/planted.h"
catches "a header without a guard" redefinition \
  alone "$cc -std=c11 $strict -x c" "$tmp" op2/planted.h
printf '#ifndef P\n#define P\nint op2_planted(int class);\n#endif\n' >"$tmp/op2/planted.h"
clean "the next one is C" alone "$cc -std=c11 $strict -x c" "$tmp" op2/planted.h
if command -v "$cxx" >/dev/null 2>&1; then
  catches "a header that is no C++" class \
    alone "$cxx -std=c++11 $strict -x c++" "$tmp" op2/planted.h
else
  skip "$cxx is not installed: no header planted for it"
fi

done_testing
