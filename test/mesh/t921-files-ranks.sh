#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files over ranks of MPI: a file written by any number of ranks can be read by any other number,
# and is written again byte for byte; names are OP2's; and a damaged file, or a call that differs on
# one rank, is an error on all.
set -u
. "$(dirname "$0")/../support/tap.sh"

mpi=${OP2_TEST_MPI:-none}
program=$build/test/t921-files-ranks
ranks() { # RANKS ARGUMENT...
  n=$1
  shift
  sh "$src/test/mpirun.sh" "$mpi" 60 "$n" "$program" "$@" >"$tmp/out" 2>"$tmp/err"
}
good() { # WHAT RANKS ARGUMENT...
  what=$1
  shift
  ranks "$@"
  status=$?
  result $status "$what"
  [ $status -eq 0 ] || diag "status $status: $(tail -n 20 "$tmp/out" "$tmp/err")"
}
all_say() { # WHAT RANKS PATTERN
  runs "$1" test "$(grep -c "^rank [0-9]: $3" "$tmp/out")" = "$2"
  [ "$(grep -c "^rank [0-9]: $3" "$tmp/out")" = "$2" ] || diag "$(cat "$tmp/out" "$tmp/err")"
}

if [ -z "$build" ] || [ ! -x "$program" ]; then
  skip "this build has no HDF5 with its MPI"
  done_testing
fi
good "a mesh is written on 3 ranks" 3 write 1 "$tmp/three.h5"
[ $status -ne 77 ] || { skip "$(cat "$tmp/err")"; done_testing; }

for seed in 1 2 3; do
  good "mesh $seed: written without ranks" 1 alone $seed "$tmp/alone.h5"
  for n in 1 2 3 4; do
    good "mesh $seed: written on $n ranks" $n write $seed "$tmp/$n.h5"
    runs "mesh $seed: the file is that without ranks" cmp "$tmp/alone.h5" "$tmp/$n.h5"
  done
  for n in 1 2 4; do
    good "mesh $seed: read on $n ranks" $n copy $seed "$tmp/3.h5" "$tmp/copy.h5"
    runs "mesh $seed: written again from parts, byte for byte" cmp "$tmp/3.h5" "$tmp/copy.h5"
  done
done
runs "another mesh makes another file" sh -c "! cmp -s '$tmp/three.h5' '$tmp/3.h5'"

if command -v h5dump >/dev/null 2>&1; then
  h5dump -A "$tmp/three.h5" >"$tmp/dump"
  for pattern in 'DATASET "nodes"' 'DATASET "edge_nodes"' 'DATASET "p_0"' 'DATASET "gam"' \
    'GROUP "group3"' 'ATTRIBUTE "size"' 'ATTRIBUTE "dim"' 'ATTRIBUTE "type"' '"double"' '"int' \
    'DATATYPE  H5T_STD_I32LE' 'DATATYPE  H5T_IEEE_F64LE'; do
    runs "h5dump shows $pattern" grep -q -e "$pattern" "$tmp/dump"
  done
else
  skip "h5dump is not installed: names not looked at"
fi

size=$(wc -c <"$tmp/three.h5")
head -c $((size / 2)) "$tmp/three.h5" >"$tmp/short.h5"
ranks 3 read 1 "$tmp/short.h5"
all_say "a truncated file: every rank is told" 3 "reading: .*short.h5: cannot be opened"
echo 'no HDF5 here, whatever its name may say' >"$tmp/foreign.h5"
ranks 3 read 1 "$tmp/foreign.h5"
all_say "a foreign file: every rank is told" 3 "reading: .*foreign.h5: cannot be opened"
ranks 3 read 1 "$tmp/none.h5"
all_say "no file: every rank is told" 3 "reading: .*none.h5: cannot be opened"
ranks 3 read 2 "$tmp/three.h5"
all_say "another mesh than expected: every rank is told" 3 "reading: .*three.h5: map '"
ranks 3 read 1 "$tmp/three.h5"
all_say "what is right is read" 3 "reading: good"
ranks 3 name "$tmp/name.h5"
all_say "a rank without a name: every rank is told" 3 "naming: rank 1 of 3: .*the name is empty"

# Rank 1 has a folder of its own, with another file of the same name, or without one.
mkdir "$tmp/here" "$tmp/there"
apart() { (cd "$tmp/here" && ranks 3 apart "$1" "$tmp/there" mesh.h5); }
cp "$tmp/three.h5" "$tmp/here/mesh.h5"
apart read
all_say "a file that one rank does not see" 3 "apart: rank 1 of 3: mesh.h5: cannot be opened"
cp "$tmp/2.h5" "$tmp/there/mesh.h5"
apart read
all_say "a file that is another one for a rank" 3 \
  "apart: rank 1 of 3: mesh.h5: this rank sees a file of [0-9]* bytes, and rank 0 one of"
apart create
all_say "a new file that one rank does not see" 3 \
  "apart: rank 1 of 3: mesh.h5: .*/there/mesh.h5.op2-part cannot be opened"
echo 'of another program' >"$tmp/there/mesh.h5.op2-part"
apart create
all_say "a part that is another one for a rank" 3 "apart: rank 1 of 3: .*another file than on rank 0"
runs "the former file is there" cmp "$tmp/here/mesh.h5" "$tmp/three.h5"
runs "and no part of a new one" test ! -e "$tmp/here/mesh.h5.op2-part"

done_testing
