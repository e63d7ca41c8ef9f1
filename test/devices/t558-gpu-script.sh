#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What test/gpu.sh makes of results and of the time that is left, with programs that only pretend to use a
# device.
set -u
. "$(dirname "$0")/../support/tap.sh"

# ---- a node ----

node=$tmp/node
fake=$tmp/build
mkdir -p "$node" "$fake/test" "$fake/bench/device"
program_of() { # FILE: the program is what stdin holds
  { echo '#!/bin/sh'; cat; } >"$1"
  chmod +x "$1"
}
echo 'echo "NVIDIA Pretence 1, 580.1"' | program_of "$node/nvidia-smi"
# No other driver is asked.
echo 'exit 1' | program_of "$node/python3"
echo 'echo "NVIDIA Pretence 1 100.0"' | program_of "$fake/bench/device/device_copy"
for name in airfoil tsunami cg; do
  mkdir "$fake/bench/$name"
  program_of "$fake/bench/$name/$name" <<'END'
figure=1.06011e-04
[ "${OP2_DEVICE_STRATEGY:-}" != "${FAKE_WRONG:-none}" ] || figure=1.06012e-04
[ "${OP2_DEVICE_STRATEGY:-}" != "${FAKE_LOST:-none}" ] || exit 3
cat <<TEXT
100 5.021860000001e-04
200 3.41746e-04
300 2.63430e-04
400 2.16288e-04
500 1.84659e-04
600 1.60866e-04
700 1.42253e-04
800 1.27627e-04
900 1.15810e-04
1000 $figure
time_per_iteration_ms 0.25
TEXT
END
done
"$src/test/gpu.sh" --plan | awk '$4 == "tests" { sub(",$", "", $5); print $5 }' >"$tmp/tests"
for name in t600-random t160-reduce t161-where $(cat "$tmp/tests"); do
  program_of "$fake/test/$name" <<'END'
echo "ok 1 - one"
echo "ok 2 # SKIP two"
case ${0##*/} in
  "${FAKE_FAILS:-none}") echo "not ok 3 - three"; echo "words of three" >&2 ;;
  "${FAKE_STOPS:-none}") exit 4 ;;
  *) echo "ok 3 - three" ;;
esac
echo "1..3"
END
done

results=$tmp/results
gpu() { # OPTION...: runs the script there
  rm -rf "$results"
  env PATH="$node:$PATH" CUDA_HOME="$tmp/none" "$src/test/gpu.sh" --build "$fake" --results "$results" "$@" \
    >"$tmp/said" 2>&1
}
printed() { # PATTERN: checks what was printed
  grep -q -e "$1" "$tmp/said" || { tail -n 30 "$tmp/said"; return 1; }
}
kept() { # FILE PATTERN: checks what the results have
  grep -q -e "$2" "$results/$1" || { ls "$results"; cat "$results/$1"; return 1; }
}

# ---- the plan ----

"$src/test/gpu.sh" --plan >"$tmp/plan"
result $? "the plan needs no device"
in_order() { # STEP...: the plan has these in this order
  wanted=$*
  got=$(awk '$1 ~ /^[12]$/ { print $1 "-" $4 "-" $5 }' "$tmp/plan" | sed 's/,$//' |
    grep -x -F "$(printf '%s\n' "$@")" | tr '\n' ' ')
  [ "$got" = "$wanted " ] || { echo "$got"; return 1; }
}
runs "what matters most comes first" in_order 1-build-job-1 1-figures-repeat 1-figures-owner \
  1-figures-gather 1-figures-staged 1-figures-unstaged 1-figures-atomics 1-sanitizer-memcheck-owner \
  1-sanitizer-racecheck-staged 1-sanitizer-synccheck-reductions 1-random-t600-random 2-build-job-2 \
  2-speed-airfoil 2-speed-strategies 2-speed-airfoil-largest 2-tests-t540-devices 2-tests-t130-direct
runs "tests of loops are in it" test "$(grep -c ' tests t' "$tmp/plan")" -gt 60
every_time() { awk '$1 ~ /^[12]$/ && $3 !~ /^[0-9]+$/ { print; bad = 1 } END { exit bad || NR < 60 }' "$tmp/plan"; }
runs "each step has a time" every_time

# A build that has come ready-made has no file of Ninja's.
mkdir -p "$tmp/tree/test" "$tmp/tree/bench"
cp "$src/test/gpu.sh" "$tmp/tree/test"
cp "$src/bench/gpu.sh" "$tmp/tree/bench"
mv "$fake" "$tmp/tree/build-gpu"
builds() { "$tmp/tree/test/gpu.sh" --plan 2>/dev/null | grep -c ' build '; }
runs "a build that is ready-made is taken" test "$(builds)" = 0
: >"$tmp/tree/build-gpu/build.ninja"
runs "one that is not is built" test "$(builds)" = 2
rm "$tmp/tree/build-gpu/build.ninja"
mv "$tmp/tree/build-gpu" "$fake"

# ---- what counts ----

without_device() {
  mv "$node/nvidia-smi" "$tmp/away"
  gpu --job 1
  status=$?
  mv "$tmp/away" "$node/nvidia-smi"
  [ $status -eq 77 ] && printed 'no NVIDIA device'
}
runs "without a device the status is 77" without_device
without_amd() {
  gpu --amd --job 1
  [ $? -eq 77 ] && printed 'no AMD device'
}
runs "and without an AMD device" without_amd

gpu --job 1
result $? "job 1"
runs "each strategy has the right figures" \
  test "$(grep -c 'airfoil by [a-z]*: the right figures, 0.25 ms' "$tmp/said")" = 6
runs "what the sanitizer would do is skipped, for a reason" printed 'skipped: sanitizer: there is no'
# Six figures and two checks of the random programs; the sanitizer and one check are skipped.
runs "all is counted" printed '^8 passed, 0 failed, 2 skipped, 0 left out$'
runs "what was printed is kept" kept job-1.txt '^8 passed'
runs "figures are kept" kept airfoil-staged.txt '^1000 1.06011e-04'

FAKE_WRONG=owner FAKE_LOST=gather FAKE_STOPS=t600-random
export FAKE_WRONG FAKE_LOST FAKE_STOPS
planted() { ! gpu --job 1 && printed '^5 passed, 3 failed'; }
runs "planted: wrong figures, none, and a program that ends early" planted
runs "which figures are wrong is kept" kept failures.txt '== airfoil by owner, .*1.06012e-04'
runs "which are missing is kept" kept failures.txt '== airfoil by gather, status 3'
runs "which program has ended early is kept" kept failures.txt '== t600-random, status 4'
unset FAKE_WRONG FAKE_LOST FAKE_STOPS

program_of "$node/compute-sanitizer" <<'END'
[ "$2/${OP2_DEVICE_STRATEGY:-}" != "${FAKE_RACE:-none}" ] || { echo "a race"; exit 9; }
[ "$2" != memcheck ] || [ "${FAKE_REDUCTIONS:-no}" = no ] || [ -n "${OP2_DEVICE_STRATEGY:-}" ] || exit 9
shift 4
exec "$@"
END
gpu sanitizer
result $? "the sanitizer alone"
runs "it is run with three tools on seven things" printed '^21 passed, 0 failed, 0 skipped, 0 left out$'
FAKE_RACE=racecheck/staged FAKE_REDUCTIONS=yes
export FAKE_RACE FAKE_REDUCTIONS
planted() { ! gpu sanitizer && printed '^19 passed, 2 failed'; }
runs "planted: a race, and an error in reductions" planted
runs "where the race is is kept" kept failures.txt '^== racecheck-staged'
unset FAKE_RACE FAKE_REDUCTIONS

# ---- time ----

gpu --job 2 speed tests
result $? "job 2"
runs "times are kept" kept "$(cd "$results" && ls ./*-pretence-1.txt)" 'airfoil --backend cuda --mesh 800x1200'
runs "they have one heading" test "$(grep -c '^copy:' "$results"/*-pretence-1.txt)" = 1
count=$(grep -c . "$tmp/tests")
runs "all is counted" printed "^$((7 + 2 * count)) passed, 0 failed, $count skipped, 0 left out\$"

FAKE_FAILS=t130-direct
export FAKE_FAILS
planted() { ! gpu tests && printed "^$((2 * count - 1)) passed, 1 failed"; }
runs "planted: a test that fails" planted
runs "what it said is kept" kept failures.txt '^words of three'
unset FAKE_FAILS

# In a minute less one second nothing is begun that takes a minute.
echo 'sleep 1; echo "NVIDIA Pretence 1 100.0"' | program_of "$fake/bench/device/device_copy"
gpu --minutes 1 speed
result $? "a job of one minute"
runs "what does not fit is left out and does not count" \
  printed '^4 passed, 0 failed, 0 skipped, 3 left out$'
runs "and is named" printed 'left for: speed strategies, speed host, speed airfoil-largest$'

done_testing
