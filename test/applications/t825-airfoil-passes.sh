#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The effect of the passes on the applications: the boxes in the graph and the text of op2_explain()
# name the loops that were fused, for steady time steps of airfoil and iterations of the conjugate
# gradient method; and all code is vector code.
. "${OP2_TEST_SOURCE:-$(dirname "$0")/../..}/test/support/tap.sh"
programs=${build:-.}/bench
work=$tmp

# This test is about the switches, so none may be set by the environment.
unset OP2_EAGER OP2_QUEUE_MAX OP2_REPLAY
export OP2_SIMD=32

# boxes DOT: prints the kernels of each box, joined by plus signs
boxes() {
  awk '
    /^  subgraph cluster_fused/ { box = ""; inside = 1; next }
    /^  }/ && inside { print box; inside = 0 }
    inside && match($0, /^  loop[0-9]+ \[label="[0-9]+: [a-z_]+/) {
      name = substr($0, RSTART, RLENGTH); sub(/.*: /, "", name); box = box (box == "" ? "" : "+") name
    }' "$1"
}

# same NAME FILE LINE...: checks that the file has these lines and no others
same() {
  name=$1 file=$2
  shift 2
  printf '%s\n' "$@" >"$work/expected"
  diff "$work/expected" "$file" >"$work/diff"
  result "$?" "$name"
  sed 's/^/# /' "$work/diff"
}

# launch FUSE PROGRAM OPTION...: runs three steps in one flush, on a small mesh
launch() {
  fuse=$1
  shift
  rm -f "$work"/*.dot
  OP2_FUSE=$fuse OP2_GRAPH="$work/%d.dot" "$@" --backend "$backend" --mesh 20x30 --iterations 3 --warmup 0 \
    --explain "$work/text" >"$work/out" 2>&1
}

# last_graph: prints the name of the graph with most loops, which is that of the three steps
last_graph() { wc -l "$work"/*.dot | grep -v ' total$' | sort -n | tail -n 1 | awk '{ print $2 }'; }

# fused: prints the loops that were fused according to the explanation, in alphabetical order
fused() { sed -n "s/^  \([a-z_+]*\): one loop over '[a-z]*', vectorised.*/\1/p" "$work/text" | LC_ALL=C sort -u; }

# scalar: prints the loops that are not vector code, with the reason
scalar() {
  awk '/^  [a-z_+]+ over / { name = $1 " over " $3 } /^    scalar code/ { print name $0 }' "$work/text" | sort -u
}

check_airfoil() {
  launch 2 "$programs/airfoil/airfoil" --every 0
  result "$?" "$backend: airfoil runs three time steps"
  boxes "$(last_graph)" >"$work/boxes"
  same "$backend: airfoil: boxes, across time steps too" "$work/boxes" save_soln+adt_calc update+adt_calc \
    update+save_soln+adt_calc update+adt_calc update+save_soln+adt_calc update+adt_calc
  fused >"$work/fused"
  same "$backend: airfoil: the explanation names them" "$work/fused" save_soln+adt_calc update+adt_calc \
    update+save_soln+adt_calc
  scalar >"$work/scalar"
  result "$([ ! -s "$work/scalar" ] && echo 0 || echo 1)" "$backend: airfoil: all loops that ran are vector code"
  sed 's/^/# /' "$work/scalar"
  launch 1 "$programs/airfoil/airfoil" --every 0
  boxes "$(last_graph)" >"$work/boxes"
  same "$backend: airfoil: boxes of what comes twice in the queue" "$work/boxes" update+adt_calc \
    update+save_soln+adt_calc update+adt_calc update+save_soln+adt_calc update+adt_calc
  grep -q '^  save_soln+adt_calc: kept apart until it comes again$' "$work/text"
  result "$?" "$backend: airfoil: the explanation says what is kept apart"
  launch 0 "$programs/airfoil/airfoil" --every 0
  [ -z "$(boxes "$(last_graph)")" ] && grep -q 'fusion is switched off (OP2_FUSE=0)' "$work/text" && [ -z "$(fused)" ]
  result "$?" "$backend: airfoil: nothing is fused with OP2_FUSE=0, and the explanation says so"
}

check_tsunami() {
  launch 1 "$programs/tsunami/tsunami" --every 0
  result "$?" "$backend: tsunami runs three time steps"
  scalar >"$work/scalar"
  result "$([ ! -s "$work/scalar" ] && echo 0 || echo 1)" "$backend: tsunami: all loops are vector code"
  sed 's/^/# /' "$work/scalar"
  OP2_SIMD=0 launch 1 "$programs/tsunami/tsunami" --every 0
  scalar >"$work/scalar"
  grep -q '^flux over edges: *scalar code: vectors are switched off' "$work/scalar"
  result "$?" "$backend: tsunami: scalar code with OP2_SIMD=0, and the explanation says so"
}

check_cg() {
  launch 2 "$programs/cg/cg" --check 0
  result "$?" "$backend: cg runs three iterations"
  boxes "$(last_graph)" >"$work/boxes"
  same "$backend: cg: vector updates, scalar products and zeroing share loops" "$work/boxes" axpy+aypx axpy+dot+fill \
    axpy+aypx axpy+dot+fill axpy+aypx axpy+dot
  fused >"$work/fused"
  same "$backend: cg: the explanation names them" "$work/fused" axpy+aypx axpy+dot axpy+dot+fill copy+dot \
    stiffness+load+spmv
  grep -q "aypx was not fused with the earlier dot: 'rr_odd' is reduced into and used otherwise" "$work/text"
  result "$?" "$backend: cg: and says why the two boxes of an iteration are not one"
  scalar >"$work/scalar"
  result "$([ ! -s "$work/scalar" ] && echo 0 || echo 1)" \
    "$backend: cg: all loops are vector code, also that which writes through a map"
  sed 's/^/# /' "$work/scalar"
}

if [ ! -x "$programs/airfoil/airfoil" ] || [ ! -x "$programs/tsunami/tsunami" ] || [ ! -x "$programs/cg/cg" ]; then
  skip "the applications are not built"
  done_testing
fi
for backend in openmp starpu; do
  "$programs/airfoil/airfoil" --mesh 2x2 --iterations 0 --backend $backend >"$work/out" 2>&1
  status=$?
  if [ $status -ne 0 ] && grep -q OP2_ERR_UNAVAILABLE "$work/out"; then
    skip "$backend: $(head -n 1 "$work/out")"
  else
    check_airfoil
    check_tsunami
    check_cg
  fi
done
done_testing
