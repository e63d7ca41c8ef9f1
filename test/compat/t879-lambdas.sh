#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lambdas and functions that kernels of op2.hpp are made of: compiled by op2-c++ they become vector
# code with the bits of the same kernels in C, without it they are called by their address, and
# op2_explain says which, and why. A text that is wrong is noticed.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"
wrapper=$build/compat/op2-c++
strict="-std=c++17 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wold-style-cast -Werror"
program=$here/lambdas.cpp
! grep -q -w fma /proc/cpuinfo || strict="$strict -mfma"

# explained NAME WORDS: what op2_explain says of one of the kernel's loops
explained() {
  sed -n "/^  $1 over /,/^  [a-z]/p" "$tmp/out" | grep -q -F "    kernel '$1': $2"
}
vectorised() {
  sed -n "/^  $1 over /,/^  [a-z]/p" "$tmp/out" | grep -q '^    vector code'
}
# forms: every kernel has the form that the program says
forms() {
  sed -n 's/^form //p' "$tmp/out" >"$tmp/forms"
  runs "$label: there are forms" test "$(wc -l <"$tmp/forms")" -ge 10
  while read -r kernel form; do
    if [ "$form" = text ]; then
      runs "$label: $kernel is text" explained "$kernel" "text that op2-c++ has stored"
      [ "$OP2_BACKEND" != openmp ] || runs "$label: $kernel is vector code" vectorised "$kernel"
    else
      runs "$label: $kernel, by its address" explained "$kernel" "called by its address: $form"
    fi
  done <"$tmp/forms"
}
# all_by_address WORDS: the reason is the same for every kernel
all_by_address() {
  for kernel in direct indirect sum least function prints; do
    runs "$label: $kernel, by its address" explained $kernel "called by its address: $1"
  done
}
# ran: runs the program
ran() {
  rm -f "$tmp/out"
  on alone "$tmp/lambdas"
  results "$label" $?
}

for compiler in "$cxx" clang++; do
  command -v "${compiler%% *}" >/dev/null || { skip "$compiler is not installed"; continue; }
  label=$compiler
  # shellcheck disable=SC2086 # words
  runs "$label: the program is compiled" sh "$wrapper" $compiler $strict -o "$tmp/lambdas" "$program" $alone
  OP2_BACKEND=openmp
  export OP2_BACKEND
  ran
  forms
done
for backend in sequential starpu check; do
  OP2_BACKEND=$backend label=$backend
  if "$tmp/lambdas" 2>&1 | grep -q OP2_ERR_UNAVAILABLE; then
    skip "$backend is not available"
    continue
  fi
  ran
  forms
done
OP2_BACKEND=openmp label="OP_COMPAT_KERNELS=address"
OP_COMPAT_KERNELS=address on alone "$tmp/lambdas"
all_by_address OP_COMPAT_KERNELS=address

# The text that the library gets is wrong in the last place, and what is compiled is not.
label="a wrong text"
cat >"$tmp/faulty" <<END
#!/bin/sh
case " \$* " in
  *' -E '*) set -- -DFAULTS "\$@" ;;
esac
exec $cxx "\$@"
END
printf '#!/bin/sh\nsed "s/1\\.0000000000000002/1/" | "%s"\n' "$wrapper-copies" >"$tmp/op2-c++-copies"
cp "$wrapper" "$tmp/op2-c++"
chmod +x "$tmp/faulty" "$tmp/op2-c++-copies"
# shellcheck disable=SC2086 # words
runs "$label: the program is compiled" sh "$tmp/op2-c++" "$tmp/faulty" $strict -o "$tmp/lambdas" "$program" $alone
on alone "$tmp/lambdas"
runs "$label is noticed" explained direct \
  "called by its address: its text differs from the compiled function without contraction in argument 1, element 0, value 0:"
runs "$label: others are taken" explained indirect "text that op2-c++ has stored"

label="without op2-c++"
# shellcheck disable=SC2086 # words
runs "$label: the program is compiled" $cxx $strict -ffp-contract=off -o "$tmp/lambdas" "$program" $alone
ran
all_by_address "op2-c++ has not compiled the program, so that it has no text"
label="without libop2-compat"
# shellcheck disable=SC2086 # words
runs "$label: the program is compiled" sh "$wrapper" $cxx $strict -ffp-contract=off -I"$src/include" \
  -o "$tmp/lambdas" "$program" "-L$build" -lop2 "-Wl,-rpath,$build"
ran
all_by_address "compiled without the flags of libop2-compat"
done_testing
