#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# op2-precompile fills a folder with a program's compiled loops, and the program runs with it on a
# system without a compiler.
set -u
. "$(dirname "$0")/../support/tap.sh"

fill=$src/tools/op2-precompile
airfoil=$build/bench/airfoil/airfoil
folder=$tmp/folder
run() { # runs the program with the folder and without any compiler
  (
    . "$folder/settings.sh"
    PATH=$tmp/nothing OP2_CACHE_DIR=$folder OP2_LOG=3 "$airfoil" --mesh 16x24 --iterations 4 \
      --backend sequential
  ) >"$tmp/out" 2>&1
}
march=$(if [ "$(uname -m)" = x86_64 ]; then echo x86-64; else echo native; fi)

refused() { # WHAT COMMAND...: checks that the command fails
  what=$1
  shift
  ! "$@" >"$tmp/said" 2>&1
  result $? "$what is refused" "$tmp/said"
}

mkdir "$tmp/nothing"
runs "a folder is filled" "$fill" --folder "$folder" --march "$march" --simd 16 "$airfoil" \
  --mesh 16x24 --iterations 4 --backend sequential
runs "the program runs without a compiler" run
runs "the log says that there is none" grep -q 'no C compiler' "$tmp/out"
runs "and compiled nothing" sh -c "! grep -q 'loops to compile' '$tmp/out'"
refused "another processor in the same folder" "$fill" --folder "$folder" --march other true
refused "a program without loops" "$fill" --folder "$tmp/other" --march "$march" true
refused "no folder" "$fill" true
rm "$folder"/*/*.any
refused "a run without what the folder was filled with" run
done_testing
