#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# PETSc with the library, on 1 to 4 ranks: matrices and dats as PETSc objects, PETSc's solvers, and
# initialisation and finalisation by the program or by the library. PETSc's options work, and
# Valgrind reports no error of this library.
set -u
. "$(dirname "$0")/../support/tap.sh"
. "$(dirname "$0")/../support/mpi.sh"

needs_program t941-petsc-ranks PETSc
ranks 60 1 never
runs "PETSc is the library's affair" test $status -eq 0
for n in 1 2 3 4; do
  on_ranks 600 $n
done

# ---- initialisation and finalisation ----

says() { # WHAT PATTERN
  runs "$1" grep -q -e "$2" "$tmp/out"
  grep -q -e "$2" "$tmp/out" || diag "$(tail -n 12 "$tmp/out" "$tmp/err")"
}
for who in before after never; do
  for n in 1 2; do
    ranks 60 $n $who
    runs "$who, $n ranks" test $? -eq 0
  done
done
ranks 60 2 before
says "options of the program's PetscInitialize: the solver is viewed" 'KSP Object: once (once_) 2 MPI processes'
says "with the matrix by its name" 'Mat Object: H 2 MPI processes'
PETSC_OPTIONS='-once_ksp_view -once_ksp_type bcgs -log_view' ranks 60 2 after
says "options of the environment: the solver is viewed" 'KSP Object: once (once_) 2 MPI processes'
says "and is of the type that they name" 'type: bcgs'
says "and PETSc's log has the solve" '^KSPSolve  *[1-9]'
# Leaks are not checked, since MPI has some.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 "$program" alone -ksp_view >"$tmp/out" 2>"$tmp/err"
runs "without MPI" test $? -eq 0
says "options that the library was given" 'KSP Object: s 1 MPI process'

# ---- Valgrind ----

# Leaks and errors in memory that other libraries allocate are ignored, except those with a frame of
# this library, or of its companions, in their stack.
checked() { # RANKS ARGUMENT...
  n=$1
  shift
  OMPI_MCA_mpi_cuda_support=0 OP2_CC=${OP2_CC:-cc} sh "$src/test/mpirun.sh" "${OP2_TEST_MPI:-none}" 600 "$n" \
    valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    --num-callers=40 --log-file="$tmp/valgrind.%p" "$program" "$@" >"$tmp/out" 2>"$tmp/err"
}
ours() { # prints reports with a frame of op2's own functions, except from MPI's initialisation
  cat "$tmp"/valgrind.* | awk '
    { sub(/^==[0-9]+== ?/, "") }
    /^$/ { if (own && !begins) print text; text = ""; own = begins = 0; next }
    { text = text $0 "\n" }
    /(at|by) 0x.*: (op2_|op2i_|.*\((petsc|mpi)_[a-z]*\.c:)/ { own = 1 }
    /: PMPI_Init/ { begins = 1 }
    END { if (own && !begins) print text }'
}
sanitized() { nm -D --undefined-only "$program" | grep -q -E '__(asan|tsan|ubsan)_'; }
if ! command -v valgrind >/dev/null 2>&1; then
  skip "no Valgrind"
elif sanitized; then
  skip "Valgrind and sanitizers are not for one program"
else
  for who in before after never alone; do
    for n in 1 2; do
      [ $who$n != alone2 ] || continue
      # One of them is usual, since each takes long; OP2_TEST_FULL=1 tries all.
      case ${OP2_TEST_FULL:-0}$who$n in 1* | 0alone1) ;; *) continue ;; esac
      rm -f "$tmp"/valgrind.*
      checked $n $who
      runs "Valgrind: $who, $n ranks" test $? -eq 0
      ours >"$tmp/ours"
      runs "Valgrind: $who, $n ranks: nothing of ours" test ! -s "$tmp/ours"
      [ ! -s "$tmp/ours" ] || diag "$(head -n 60 "$tmp/ours")"
    done
  done
fi
done_testing
