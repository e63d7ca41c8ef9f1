#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# op2-c++ compiles kernels once more without contraction, whatever the program's functions look like,
# and the text of a kernel has to have the bits of this copy. Without the wrapper, where the kernel
# calls functions such as exp() and where options change what arithmetic gives, rounding is allowed.
# What else a compiler does, the wrapper does, too.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"
OP2_BACKEND=sequential
export OP2_BACKEND
wrapper=$build/compat/op2-c++
fused=
! grep -q -w fma /proc/cpuinfo || fused=-mfma

# ---- copies of all kinds of functions ----

for compiler in "$cxx" clang++; do
  command -v "${compiler%% *}" >/dev/null || { skip "$compiler is not installed"; continue; }
  for options in -O0 "-O2 $fused" "-O3 -g $fused"; do
    # shellcheck disable=SC2086 # words
    runs "copies, $compiler $options" sh "$wrapper" $compiler -std=c++17 $options -Wall -Wextra -Werror \
      -o "$tmp/copies" "$here/copies.cpp" $alone
    case "$options" in *fma) contracted=contracted ;; *) contracted= ;; esac
    # shellcheck disable=SC2086 # one word or none
    on alone "$tmp/copies" $contracted
    results "copies, $compiler $options" $?
  done
done
on alone "$tmp/copies" ${fused:+contracted} loops
results "loops of kernels with copies" $?
[ -n "$fused" ] || skip "this processor contracts nothing: kernels and copies are the same"

# ---- a unit in the last place ----

# What the preprocessor gives has the faults, and what is compiled has not, the copies neither.
cat >"$tmp/faulty" <<END
#!/bin/sh
case " \$* " in
  *' -E '*) set -- -DFAULTS "\$@" ;;
esac
exec $cxx -Wno-unused-parameter -O2 $fused "\$@"
END
printf '#!/bin/sh\nsed "s/1\.0000000000000002/1/" | "%s"\n' "$wrapper-copies" >"$tmp/op2-c++-copies"
cp "$wrapper" "$tmp/op2-c++"
chmod +x "$tmp/faulty" "$tmp/op2-c++-copies"
noticed() { # KERNEL
  grep -q "kernel '$1' is called by its address, as scalar code: its text differs from the" "$tmp/err"
}
unnoticed() { ! noticed "$1"; }
# tries NAME WRAPPER: compiles and runs the program, with what is in `cxx` and `options`
tries() {
  # shellcheck disable=SC2086 # words
  runs "$1 is compiled" sh "$2" $cxx -std=c++17 -Wall -Wextra -Werror $options -o "$tmp/last_place" \
    "$here/last_place.cpp" $alone
  on alone "$tmp/last_place"
  results "$1" $?
}
real=$cxx
cxx=$tmp/faulty options=
tries "a text that is wrong in the last place" "$tmp/op2-c++"
for kernel in last_place sum; do runs "$kernel is noticed" noticed $kernel; done
for kernel in rounded right; do runs "$kernel is used" unnoticed $kernel; done
explained() {
  sed -n "/^  $1 over set/,/^  [a-z]/p" "$tmp/out" |
    grep -q "^    kernel '$1': called by its address: its text differs from the compiled function without contraction in $2"
}
number='[0-9.e-]*'
runs "op2_explain says where" explained last_place \
  "argument 1, element 0, value 0: $number, and the function has $number\$"
runs "op2_explain says it of a sum" explained sum "argument 1, element 0, value 0: $number, and"
options=-ffast-math
tries "options that change the arithmetic" "$tmp/op2-c++"
for kernel in last_place sum rounded right; do runs "$kernel is used" unnoticed $kernel; done
options=
# shellcheck disable=SC2086 # words
runs "the program is compiled without the wrapper" compiled plain last_place $alone
OP_COMPAT_CXX=$real OP_COMPAT_CXXFLAGS=-DFAULTS on alone "$tmp/last_place"
results "without the wrapper" $?
for kernel in last_place sum rounded right; do runs "$kernel is used" unnoticed $kernel; done
cxx=$real options="-O2 $fused"
tries "right texts" "$wrapper"
clean "right texts are used" turned

# ---- what the wrapper does as the compiler ----

cat >"$tmp/small.cpp" <<'END'
#include "op_seq.h"
#include "small.h"
void k(double *x) { *x = two(); }
int main(int, char **) { op_par_loop(k, "k", 0, op_arg_idx(0, OP_ID)); }
const char *base() { return __BASE_FILE__ " " __FILE__; }
END
echo 'inline double two() { return 2; }' >"$tmp/small.h"
small() { (cd "$tmp" && sh "$wrapper" "$cxx" -I"$src/include/op2-compat" "$@"); }
runs "an object is made" small -MD -MP -c small.cpp -o made.o
runs "its dependencies are those of the program" grep -q 'small\.h' "$tmp/made.d"
clean "and no files of the wrapper" sh -c "grep -n -e 'text\\.h' -e copies -e unit '$tmp/made.d' || :"
runs "they are of the object" grep -q '^made\.o:' "$tmp/made.d"
runs "names of files are as they were given" \
  sh -c "strings -a '$tmp/made.o' | grep -q -x 'small.cpp small.cpp'"
runs "dependencies in another file" small -MMD -MF other.d -MT target -c small.cpp
runs "with another target" grep -q '^target:' "$tmp/other.d"
runs "the preprocessor alone" sh -c "cd '$tmp' && sh '$wrapper' '$cxx' -E \
  -I'$src/include/op2-compat' small.cpp | grep -q 'double two'"
echo 'int unused_variable() { int here; return 0; }' >>"$tmp/small.cpp"
catches "warnings of the program" 'small.cpp:[0-9:]* warning: unused variable' small -Wall -c small.cpp
echo 'int wrong() { return nowhere; }' >>"$tmp/small.cpp"
catches "errors of the program" 'small.cpp:[0-9:]* error:.*nowhere' small -c small.cpp
refuses() { ! small -c small.cpp 2>/dev/null; }
runs "its status is that of the compiler" refuses
done_testing
