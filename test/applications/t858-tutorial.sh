#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each C block that doc/tutorial.md quotes occurs in the program of its step, and each program runs
# and prints what the page says, on several backends and, the last one, on four ranks.
set -u
. "$(dirname "$0")/../support/tap.sh"

examples=$src/examples
page=$src/doc/tutorial.md

# quoted PAGE FOLDER: prints each quoted piece that its program lacks, without regard to blanks. A
# line `...` separates two pieces, and a heading names the program.
quoted() {
  awk -v folder="$2" '
    function tight(s) { gsub(/[ \t\n]/, "", s); return s }
    function ends() { if (piece != "" && !index(text, tight(piece))) print program ": " piece; pieces += piece != ""; piece = "" }
    /^## / {
      program = text = ""
      if (match($0, /[0-9][0-9]-[a-z-]+\.c/)) {
        program = substr($0, RSTART, RLENGTH)
        programs++
        name = substr(program, 1, length(program) - 2)
        while ((getline line < (folder "/" name "/" program)) > 0) text = text line
        text = tight(text)
      }
    }
    /^```c$/ { inside = program != ""; next }
    /^```/ { ends(); inside = 0; next }
    inside && /^ *\.\.\.$/ { ends(); next }
    inside { piece = piece $0 "\n" }
    END { if (programs < 8 || pieces < 16) print "only " programs " programs, " pieces " pieces" }' "$1"
}
clean "the quoted pieces are in the programs" quoted "$page" "$examples"
sed 's/op2_set_create(ctx, 3, "nodes"/op2_set_create(ctx, 4, "nodes"/' "$page" >"$tmp/planted.md"
catches "a piece that the program lacks" '^01-three-edges.c: ' quoted "$tmp/planted.md" "$examples"
listed() { # prints examples that are not installed, or not built, or of another size than examples have
  for file in "$examples"/*/*.c "$examples"/*/*.cc "$examples"/*/*.f90; do
    name=$(basename "$(dirname "$file")")
    grep -q "'$name': '${file##*.}'" "$examples/meson.build" || echo "meson.build lacks $name"
    grep -q -w -e "$name" "$examples/CMakeLists.txt" || echo "CMakeLists.txt lacks $name"
    for own in CMakeLists.txt meson.build; do
      grep -q -w -F -e "$name.${file##*.}" "$examples/$name/$own" || echo "$name/$own does not build it"
    done
    lines=$(wc -l <"$file")
    [ "$lines" -ge 30 ] && [ "$lines" -le 300 ] || echo "$name has $lines lines"
  done
}
clean "all examples are installed and built by CMake" listed

untold() { # PAGE: prints each status that the page has no row for
  grep -o 'OP2_ERR_[A-Z][A-Z]*' "$src/include/op2/status.h" | sort -u | while read -r status; do
    grep -q "^| \`$status\` |" "$1" || echo "$status"
  done
}
clean "doc/errors.md has a remedy for each status" untold "$src/doc/errors.md"
grep -v OP2_ERR_ARITY "$src/doc/errors.md" >"$tmp/errors.md"
catches "a status without a remedy" OP2_ERR_ARITY untold "$tmp/errors.md"

# promised NAME: prints what the page says that this program prints
promised() {
  awk -v name="$1.c" '/^## / { here = index($0, name) } /^```text$/ { inside = here; next }
    /^```/ { inside = 0 } inside' "$page"
}
# prints NAME COMMAND...: the command writes on standard output what the page says
prints() {
  promised "$1" >"$tmp/promised"
  shift
  (cd "$tmp" && "$@") >"$tmp/printed" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
  [ -s "$tmp/promised" ] && diff "$tmp/promised" "$tmp/printed"
}
if [ -z "$build" ] || [ ! -x "$build/examples/01-three-edges" ]; then
  skip "this build has no examples"
  done_testing
fi
mesh=$examples/channel.msh
unset OP2_VERIFY
for file in "$examples"/0[1-7]-*/*.c; do
  step=$(basename "$file" .c)
  case $step in 01-* | 02-* | 06-*) argument= ;; *) argument=$mesh ;; esac
  for backend in sequential openmp check; do
    if [ "$step" = 05-output ] && ! (cd "$tmp" && "$build/examples/05-output" "$mesh") 2>/dev/null | grep -q bits; then
      skip "05-output: this build has no HDF5"
      continue
    fi
    OP2_BACKEND=$backend clean "$step, $backend" prints "$step" "$build/examples/$step" ${argument:+"$argument"}
  done
done

caught() { # ARGUMENT: the program fails, and tells why
  ! "$build/examples/06-seeing" "$1" 2>&1
}
OP2_NAN=1 catches "a NaN" "element 0 of 'nodes' makes argument 1" caught nan
OP2_BACKEND=check catches "a kernel that reads what it should write" "loop 'wrong' over 'nodes' (loop 2)" caught wrong

program=$build/examples/08-ranks
if [ ! -x "$program" ]; then
  skip "this build has no MPI"
else
  kind=openmpi
  ! ldd "$program" | grep -q libmpich || kind=mpich
  export OP2_THREADS=1 OP2_BACKEND=sequential
  for ranks in 1 4; do
    sh "$src/test/mpirun.sh" $kind 120 $ranks true >/dev/null 2>&1
    [ $? -ne 77 ] || { skip "there is no mpirun"; continue; }
    clean "08-ranks on $ranks ranks" prints 08-ranks sh "$src/test/mpirun.sh" $kind 120 $ranks "$program" "$mesh"
  done
fi

done_testing
