#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# OP2's potential flow by finite elements is compared with OP2's own output, step by step: with the
# assembled matrix and cell by cell, on every backend, on 1 to 4 ranks, and by the hand-written
# programs; also the files of its mesh. Quick runs leave out the first steps on the classic mesh,
# which run on all backends with OP2_TEST_FULL=1, and larger meshes in the checked mode.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/app.sh"
application aero "--mesh 2x2" 2
none="--newton 0"
mpi=${OP2_TEST_MPI:-none}
OP2_CACHE_DIR=${OP2_TEST_CACHE:-$tmp/cache}
OMP_WAIT_POLICY=passive
export OP2_CACHE_DIR OMP_WAIT_POLICY

# Steps, iterations and rms are those of OP2's own sequential build, from its master b9e7a58d.
of_20x30='1 14 6.400535958569418e-04
2 32 2.234468834257728e-04
3 14 6.866729572408062e-06
4 33 5.483293901836780e-06
5 12 4.187798429575692e-08
6 20 9.789803647719916e-09'
of_40x60='1 28 6.232445641841720e-04
2 64 2.218765114669259e-04
3 31 7.435874825464586e-06
4 64 5.598333318196564e-06
5 26 5.485611142801017e-08
6 62 1.627775750287396e-08
7 60 1.270438450603362e-09
8 66 1.785663225692959e-10'
of_classic='1 200 5.493619914177341e-04
2 200 1.822765882310757e-04
3 200 5.446274961422403e-05'

# as_op2 WHAT FIGURES: checks that $tmp/out has these steps with as many iterations; the rms agrees
# to 1e-10 in the first three steps, whose rounding errors are not amplified yet, and to 1e-5 in
# later ones
as_op2() {
  grep -E '^[0-9]+ [0-9]+ [0-9]\.[0-9]{15}e[-+][0-9]+$' "$tmp/out" >"$tmp/steps"
  printf '%s\n' "$2" >"$tmp/published"
  paste -d ' ' "$tmp/steps" "$tmp/published" | awk '
    { off = NF == 6 && $6 > 0 ? $3 / $6 - 1 : 1; if (off < 0) off = -off }
    NF != 6 || $1 != $4 || $2 != $5 || !(off <= (NR <= 3 ? 1e-10 : 1e-5)) { print "# not so: " $0; bad = 1 }
    END { exit bad || !NR }'
  result $? "$1: the steps of OP2"
}

# flow WHAT COUNT FIGURES PROGRAM OPTION...: runs the program and checks its steps by as_op2()
flow() {
  what=$1 figures=$2
  shift 2
  steps=$(printf '%s\n' "$figures" | wc -l)
  try "$@" --newton "$steps" && as_op2 "$what" "$figures"
}

usable_backends

# ---- small meshes ----

both() { # WHAT OPTION...
  what_runs=$1
  shift
  flow "$what_runs, 20x30" "$of_20x30" "$app" --mesh 20x30 "$@"
  case ${OP2_TEST_FULL:-0}$what_runs in 0check*) return ;; esac
  flow "$what_runs, 40x60" "$of_40x60" "$app" --mesh 40x60 "$@"
}
for backend in $backends; do
  for form in "" --matrix-free; do
    both "$backend $form" --backend "$backend" --threads 2 $form
  done
done
both "eager" --backend sequential --eager
for form in op2 csr slices cells; do
  flow "by hand, $form, 20x30" "$of_20x30" "$programs/aero_seq" --mesh 20x30 --form $form
  flow "by hand, $form, 40x60" "$of_40x60" "$programs/aero_seq" --mesh 40x60 --form $form
  if [ -x "$programs/aero_omp" ]; then
    for size in 61 4096; do
      flow "by hand with OpenMP, $form, blocks of $size" "$of_40x60" \
        "$programs/aero_omp" --mesh 40x60 --form $form --threads 2 --block-size $size
    done
  else
    skip "no OpenMP: no aero_omp"
  fi
done
same_bits 1 4 --mesh 20x30 --newton 2 --dump-phi
rm -f "$tmp/first"
same_bits 1 4 --mesh 20x30 --newton 2 --matrix-free --dump-phi

# ---- ranks ----

# ranks N OPTION...: runs on N ranks with output in $tmp/out
ranks() {
  n=$1
  shift
  sh "$src/test/mpirun.sh" "$mpi" 300 "$n" "$app" --newton 8 --mesh 40x60 "$@" \
    >"$tmp/out" 2>"$tmp/why"
}
ranks 1 --newton 0 --backend sequential
case $? in
  77) skip "$(cat "$tmp/why")"; numbers= ;;
  *) numbers='1 2 3 4' ;;
esac
for n in $numbers; do
  for form in "" --matrix-free; do
    for backend in sequential openmp starpu; do
      case " $backends " in *" $backend "*) ;; *) continue ;; esac
      [ "$backend" = sequential ] || [ "$n" -eq 2 ] || [ "${OP2_TEST_FULL:-0}" != 0 ] || continue
      ranks "$n" $form --backend $backend --threads 1
      status=$?
      if grep -q OP2_ERR_UNAVAILABLE "$tmp/why"; then
        skip "$n ranks, $backend: $(grep -m 1 OP2_ERR_UNAVAILABLE "$tmp/why")"
        continue
      fi
      [ $status -eq 0 ] || result 1 "$n ranks, $backend $form: status $status"
      said "$tmp/why"
      as_op2 "$n ranks, $backend $form" "$of_40x60"
    done
  done
done

# ---- the mesh and its files ----

# The grid is that of the airfoil program, with its wake merged as in OP2's generator for finite
# elements.
airfoil=$build/bench/airfoil/airfoil
"$airfoil" --mesh 5x4 --iterations 0 --backend sequential --write-mesh "$tmp/grid" >/dev/null
awk -v I=5 -v J=4 '
  function number(i, j,   k) {
    k = i + 1 + j * (3 * I + 1) - (I + 1)
    return (k <= 0 ? 2 * I + 1 - (i + 1) : k) - 1
  }
  NR == 1 { print (3 * I + 1) * (J + 1) - (I + 1), 3 * I * J, 3 * I + 2 * J; next }
  NR <= 1 + (3 * I + 1) * (J + 1) { if (NR > 1 + I + 1) print; next }
  { exit }
  END {
    for (j = 0; j < J; j++)
      for (i = 0; i < 3 * I; i++)
        print number(i, j), number(i + 1, j), number(i, j + 1), number(i + 1, j + 1)
    for (j = 0; j <= J; j++)
      for (i = 0; i <= 3 * I; i++)
        if ((i == 0 || i == 3 * I || j == J) && !seen[number(i, j)]++) far[number(i, j)] = 1
    for (k = 0; k < (3 * I + 1) * (J + 1) - (I + 1); k++) if (k in far) print k
  }' "$tmp/grid" >"$tmp/FE_grid.dat"
"$app" --mesh 5x4 --newton 0 --backend sequential --write-mesh "$tmp/written" >/dev/null
cmp "$tmp/FE_grid.dat" "$tmp/written"
result $? "the mesh is airfoil's with its wake merged, and is written as OP2 has it"
"$app" --mesh "$tmp/FE_grid.dat" --newton 0 --backend sequential --write-mesh "$tmp/again" >/dev/null
cmp "$tmp/FE_grid.dat" "$tmp/again"
result $? "a mesh that is read is written as it was"
for program in "$app --backend sequential" "$programs/aero_seq"; do
  try $program --mesh 5x4 --newton 3 --dump-phi "$tmp/a"
  try $program --mesh "$tmp/FE_grid.dat" --newton 3 --dump-phi "$tmp/b"
  cmp "$tmp/a" "$tmp/b"
  result $? "${program##*/}: the same flow on a mesh from a file"
done
"$app" --mesh 20x30 --newton 0 --backend sequential --write-mesh "$tmp/file" >/dev/null
flow "a file, 20x30" "$of_20x30" "$app" --mesh "$tmp/file" --backend sequential

damaged() { # PATTERN: checks that $tmp/bad is refused with a matching message
  refuses 1 "$1" --mesh "$tmp/bad" --backend sequential
}
good=$tmp/FE_grid.dat
refuses 1 'absent: No such file' --mesh "$tmp/absent"
: >"$tmp/bad"
damaged 'bad:1: the file ends before the number of nodes'
sed '1s/^[0-9]*/many/' "$good" >"$tmp/bad"
damaged 'bad:1: the number of nodes must be an integer, not "many"'
sed '1s/ [0-9]* / 0 /' "$good" >"$tmp/bad"
damaged 'bad:1: the number of cells must be in \[1, 2147483647\], not "0"'
sed '1s/^[0-9]*/2000000000/' "$good" >"$tmp/bad"
damaged 'bad:1: these counts need .* the file is too short'
sed '2s/ .*/ nan/' "$good" >"$tmp/bad"
damaged 'bad:2: coordinate 1 of node 0 must be a finite number, not "nan"'
sed '76s/ [0-9]*/ 74/' "$good" >"$tmp/bad"
damaged 'bad:76: node 1 of cell 0 must be in \[0, 73\], not "74"'
sed '$s/.*/-1/' "$good" >"$tmp/bad"
damaged 'bad:158: the far-field node of row 22 must be in \[0, 73\], not "-1"'
sed '$d' "$good" >"$tmp/bad"
damaged 'the file ends before the far-field node of row 22'
{ cat "$good"; echo 3; } >"$tmp/bad"
damaged 'bad:159: text after the last far-field node'
sed '2,75s/.*/0 0/' "$good" >"$tmp/bad"
damaged "no number comes out of Newton's step 1"

# ---- options ----

run() { "$app" --backend sequential "$@" 2>&1; }
run --mesh 20x30 --newton 3 --graph "$tmp/step.dot" >"$tmp/out"
grep -Eq '^time_per_iteration_ms [0-9.]+$' "$tmp/out"
result $? "the time per iteration is printed"
table_has assemble mult dot axpy aypx begin update
[ "$(grep -c 'over .*queued' "$tmp/step.dot")" -eq 7 ]
result $? "the graph has the loops of an iteration, and the one that waited for it"
run --mesh 20x30 --newton 3 --matrix-free >"$tmp/out"
table_has element product take
if usable openmp; then
  "$app" --backend openmp --threads 2 --mesh 20x30 --newton 3 --explain "$tmp/explained" >/dev/null
  grep -q 'mult+dot: one loop' "$tmp/explained" && grep -q 'axpy+aypx: one loop' "$tmp/explained" &&
    grep -q 'axpy+dot: one loop' "$tmp/explained" &&
    grep -q ' 6 loops in 3 steps, run' "$tmp/explained"
  result $? "assembled, an iteration is three passes"
  "$app" --backend openmp --threads 2 --mesh 20x30 --newton 3 --matrix-free \
    --explain "$tmp/explained" >/dev/null
  grep -q ' 5 loops in 3 steps, run' "$tmp/explained" &&
    ! grep -q 'scalar code' "$tmp/explained"
  result $? "cell by cell it is three, too, all of them vector code"
fi
refuses 2 'unknown option --form' --form csr
refuses 2 'not a value for --newton' --newton -1
refuses 2 'unknown option --shuffle' --shuffle 1
refuses 1 'No such file or directory' --mesh 2x2 --newton 1 --dump-phi "$tmp/absent/phi"
refuses 1 'at least 2x2' --mesh 1x4
app=$programs/aero_seq
refuses 2 'not a value for --form' --form best
refuses 2 'unknown option --matrix-free' --matrix-free
app=$programs/aero

# ---- the classic mesh ----

if [ "${OP2_TEST_QUICK:-}" = 1 ]; then
  skip "the classic mesh: a quick run"
  done_testing
fi
export OP2_VERIFY=0 # verifying 720,000 cells would take longer than all loops
steps_on="openmp"
[ "${OP2_TEST_FULL:-}" != 1 ] || steps_on="sequential openmp starpu"
for backend in $steps_on; do
  usable $backend || continue
  for form in "" --matrix-free; do
    flow "classic, $backend $form" "$of_classic" "$app" --backend $backend $form
  done
done
if [ -x "$programs/aero_omp" ]; then
  for form in op2 csr slices cells; do
    flow "classic, by hand, $form" "$of_classic" "$programs/aero_omp" --form $form
  done
fi
done_testing
