#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The comparison with the compiled function notices each of twenty wrong texts of kernels, and these
# kernels then run by their address: texts that op2-c++ has stored, and texts that are read when the
# program runs.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$src/test/compat/programs.sh"
OP2_BACKEND=sequential
export OP2_BACKEND

# What the preprocessor gives has the faults, and what is compiled has not.
real=$cxx
cat >"$tmp/faulty" <<END
#!/bin/sh
case " \$* " in
  *' -E '*) set -- -DFAULTS "\$@" ;;
esac
exec $real -Wno-unused-parameter "\$@"
END
chmod +x "$tmp/faulty"

noticed() { # KERNEL: whether its text was refused since it differs
  grep -q "kernel '$1' is called by its address, as scalar code: its text differs" "$tmp/err"
}
kernels=$(sed -n 's/^KERNEL(\([a-z_]*\)).*/\1/p' "$here/wrong_texts.cpp")
runs "there are twenty kernels" test "$(echo "$kernels" | wc -l)" -eq 20
all_noticed() { # NAME
  results "$1" $?
  for kernel in $kernels; do runs "$1: $kernel" noticed "$kernel"; done
}

cxx=$tmp/faulty
# shellcheck disable=SC2086 # words
runs "the program is compiled with op2-c++" compiled stored wrong_texts $alone
on alone "$tmp/wrong_texts"
all_noticed "a wrong text that was stored"
# shellcheck disable=SC2086 # words
runs "the program is compiled" compiled plain wrong_texts $alone
OP_COMPAT_CXX=$real OP_COMPAT_CXXFLAGS=-DFAULTS on alone "$tmp/wrong_texts"
all_noticed "a wrong text that was read"
OP_COMPAT_CXX=$real on alone "$tmp/wrong_texts"
results "right texts" $?
clean "right texts are used" turned
done_testing
