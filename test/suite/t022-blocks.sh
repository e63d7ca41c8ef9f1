#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each block of C, C++ and Fortran on README and the pages of doc/ is compiled and run, or says why it
# is not (test/support/blocks.py); t176 does the same for Python.
set -u
. "$(dirname "$0")/../support/tap.sh"
tool=$src/test/support/blocks.py

# blocks ARGUMENT...: repeats the checks of the tool
blocks() {
  python3 "$tool" "$@" >"$tmp/checks" 2>"$tmp/err"
  while read -r line; do
    case $line in
      'ok - '*) result 0 "${line#ok - }" ;;
      'not ok - '*) result 1 "${line#not ok - }" ;;
      'ok # SKIP '*) skip "${line#ok # SKIP }" ;;
      '#'*) echo "$line" ;;
      *) result 1 "a line that is no check: $line" ;;
    esac
  done <"$tmp/checks"
  clean "the tool has nothing to complain of" cat "$tmp/err"
}

# A page with one block of each fault.
cat >"$tmp/planted.md" <<'PAGE'
```c
int main(void) { return 0; }
```

<!-- block: program, prints 7 -->
```c
#include <stdio.h>
int main(void) { puts("8"); }
```

<!-- block: frame=vectors.c -->
```c
op2_dat_dot(p, NULL, pv);
op2_dat_axpy(u, op2_scalar_times(1, op2_scalar_gbl(pv)), p);
```

<!-- block: frame=mesh.c -->
```c
op2_flush(ctx, 1);
```

<!-- block: frame=none.c -->
```c
op2_flush(ctx);
```

<!-- block: checked by test/suite/t022-blocks.sh -->
```c
int checked;
```

<!-- block: checked by test/suite/t003-docs.sh -->
```c
int lost;
```

<!-- block: not run: a reason -->
```c
int none;
```
PAGE
if [ -n "$build" ]; then
  PKG_CONFIG_PATH=$build/meson-uninstalled
  export PKG_CONFIG_PATH
fi
needs_library libop2.so
OP2_BACKEND=sequential OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
export OP2_BACKEND OP2_CACHE_DIR
faults() { python3 "$tool" --build "$build" "$tmp/planted.md"; }
faults >"$tmp/faults" 2>&1
found() { cat "$tmp/faults"; }
catches "a block without a comment" '^not ok - planted.md:1 has a comment' found
catches "a program that prints something else" '^not ok - planted.md:6 runs and prints 7' found
catches "a call that fails" '^not ok - planted.md:12 in vectors.c runs' found
catches "and is named" '# op2_dat_dot(p, NULL, pv): ' found
catches "a block that does not compile" '^not ok - planted.md:18 in mesh.c is compiled' found
catches "a frame that is not there" '^not ok - planted.md:23: there is no frame none.c' found
catches "a check that is elsewhere" '^ok - planted.md:28 is checked' found # this file names planted.md
catches "a check that is not there" '^not ok - planted.md:33 is checked' found
catches "a block that is not run" '^ok # SKIP planted.md:38: a reason' found

blocks --only c,c++,fortran,sh --build "$build" "$src/README.md" "$src"/doc/*.md
runs "there were blocks" test "$(grep -c -v '^#' "$tmp/checks")" -ge 30

done_testing
