#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The runner itself: tap-summary counts correctly, run.sh reports its progress and selects the tests
# it is asked for, and programs with tap.h print the right lines.
set -u
. "$(dirname "$0")/../support/tap.sh"

# entry NAME RESULT RETURNCODE TEXT: adds one line as `meson test` logs it; \n in TEXT stays two
# characters, as in JSON
entry() {
  printf '{"name": "op2:unit / %s", "stdout": "%s", ' "$1" "$4" >>"$tmp/testlog.json"
  printf '"result": "%s", "returncode": %s, "stderr": ""}\n' "$2" "$3" >>"$tmp/testlog.json"
}
# counts NAME "N passed, N failed, N skipped" STATUS PATTERN: checks the summary of the entries so
# far
counts() {
  out=$("$src/test/tap-summary" "run=$tmp/testlog.json" 2>&1)
  status=$?
  last=$(printf '%s\n' "$out" | tail -n 1)
  [ "$last" = "$2" ] && [ $status -eq "$3" ] && printf '%s\n' "$out" | grep -q -e "$4"
  result $? "$1"
  [ "$last" = "$2" ] || diag "expected '$2', got: $out"
  rm -f "$tmp/testlog.json"
}

entry t1 OK 0 'ok 1 - a\nok 2 - b\n1..2\n'
counts "passes" "2 passed, 0 failed, 0 skipped" 0 passed
entry t1 FAIL 1 'ok 1 - a\nnot ok 2 - b\n#   at f.c:3\n1..2\n'
counts "a failure is one, though the program returns 1" "1 passed, 1 failed, 0 skipped" 1 \
  'FAILED: run: t1: b'
entry t1 OK 0 'ok 1 # SKIP no device\nok 2 - b\n1..2\n'
counts "a skip is no pass, and its reason is told" "1 passed, 0 failed, 1 skipped" 0 \
  'skipped: run: t1: no device'
entry t1 OK 0 '1..0 # SKIP nothing here\n'
entry t2 OK 0 'ok 1 - a\n1..1\n'
counts "a program skipped as a whole" "1 passed, 0 failed, 1 skipped" 0 \
  'skipped: run: t1: nothing here'
entry t1 ERROR -11 'ok 1 - a\n'
counts "a crash" "1 passed, 1 failed, 0 skipped" 1 'died of SIGSEGV'
entry t1 ERROR -11 'ok 1 - a\n1..1\n'
counts "a crash after the plan" "1 passed, 1 failed, 0 skipped" 1 'died of SIGSEGV'
entry t1 ERROR 0 'ok 1 - a\n'
counts "no plan" "1 passed, 1 failed, 0 skipped" 1 'printed no plan'
entry t1 ERROR 0 ''
counts "silence" "0 passed, 1 failed, 0 skipped" 1 'printed no plan'
entry t1 ERROR 0 'ok 1 - a\n1..3\n'
counts "fewer results than planned" "1 passed, 1 failed, 0 skipped" 1 'planned 3 checks and made 1'
entry t1 ERROR 0 'ok 1 - a\nok 3 - a\n1..2\n'
counts "results out of order" "2 passed, 1 failed, 0 skipped" 1 'result 3 where 2'
entry t1 ERROR 23 'ok 1 - a\n1..1\n'
counts "an exit status without a failed check (leaks, races)" "1 passed, 1 failed, 0 skipped" 1 \
  'exit status 23'
entry t1 TIMEOUT -15 'ok 1 - a\n'
counts "a program that hangs" "1 passed, 1 failed, 0 skipped" 1 'ran out of time'
entry t1 FAIL 0 'ok 1 - a\nBail out! no disk\n1..1\n'
counts "bailing out" "1 passed, 1 failed, 0 skipped" 1 'Bail out'
counts "a missing log" "0 passed, 1 failed, 0 skipped" 1 'No such file'
: >"$tmp/testlog.json"
counts "an empty log" "0 passed, 1 failed, 0 skipped" 1 'no test was run'

cat >"$tmp/uses.c" <<'END'
#include <stddef.h>
#include "tap.h"
const char *op2_status_name(op2_status status) { return status ? "OP2_ERR_ARG" : "OP2_SUCCESS"; }
const char *op2_error_message(void) { return "what was wrong"; }
int main(int argc, char **argv) {
  (void)argv;
  ok(1 + 1 == 2, "sum # of %d", 2);
  is_int(-3, -3, "integers");
  is_str("a", "a", "strings");
  CHECK(OP2_SUCCESS);
  FAILS(OP2_ERR_ARG, OP2_ERR_ARG);
  skip("no %s", "reason");
  diag("two\nlines");
  if (argc > 1) {
    ok(false, "wrong");
    is_int(3, 4, "wrong integer");
    is_str("a", NULL, "wrong string");
    CHECK(OP2_ERR_ARG);
    FAILS(OP2_SUCCESS, OP2_ERR_ARG);
  }
  return done();
}
END
compile="${CC:-cc} -Wall -Wextra -Werror -I $src/include -iquote $src/test/support $src/test/support/tap.c"
runs "a program of checks builds" $compile -o "$tmp/uses" "$tmp/uses.c"
"$tmp/uses" >"$tmp/good.tap"
result $? "it returns 0 when all is well"
cat >"$tmp/expected" <<'END'
ok 1 - sum   of 2
ok 2 - integers
ok 3 - strings
ok 4 - OP2_SUCCESS
ok 5 - OP2_ERR_ARG gives OP2_ERR_ARG
ok 6 # SKIP no reason
# two
# lines
1..6
END
clean "it prints plain TAP" diff "$tmp/expected" "$tmp/good.tap"
"$tmp/uses" bad >"$tmp/bad.tap"
status=$?
runs "it returns 1 when a check failed" test $status -eq 1
runs "five checks failed" test "$(grep -c '^not ok' "$tmp/bad.tap")" -eq 5
runs "what was got is told" grep -q 'got 3, expected 4' "$tmp/bad.tap"
runs "a failed call tells its message" grep -q 'OP2_ERR_ARG: what was wrong' "$tmp/bad.tap"
sed '/^int main/,$d' "$tmp/uses.c" >"$tmp/none.c"
echo 'int main(void) { return done(); }' >>"$tmp/none.c"
runs "a program without checks builds" $compile -o "$tmp/none" "$tmp/none.c"
if "$tmp/none" >"$tmp/none.tap"; then status=0; else status=1; fi
runs "a program without checks fails" test $status -eq 1


# ---- progress ----

progress() { "$src/test/progress" "$@"; }
now=$(date +%s)
cat >"$tmp/builds" <<'END'
i=1
while [ $i -le 40 ]; do echo "[$i/40] Compiling C object $i"; i=$((i + 1)); done
echo "x.c:1: warning: odd" >&2
exit 3
END
progress first "$tmp/kept" "$now" sh "$tmp/builds" >"$tmp/shown"
runs "the command's status is passed on" test $? -eq 3
runs "every tenth of a build is told" test "$(wc -l <"$tmp/shown")" -eq 10
runs "where it is, and whose" grep -q '^ *[0-9]* s  first  20/40 built$' "$tmp/shown"
runs "the log keeps all, errors too" test "$(wc -l <"$tmp/kept")" -eq 41
cat >"$tmp/tests" <<'END'
echo "1/2 op2:unit / t100-init        OK     0.1s"
echo "2/2 a:check / t2    FAIL   1.1s"
kill -9 $$
END
progress second "$tmp/kept" $((now - 100)) sh "$tmp/tests" >"$tmp/shown"
runs "a signal is a failure" test $? -eq 137
runs "every test is told" grep -q '^ *10[0-9] s  second  1/2 t100-init  OK 0.1s$' "$tmp/shown"
runs "with its result" grep -q '2/2 t2  FAIL 1.1s$' "$tmp/shown"
runs "nothing is overwritten" sh -c "! grep -q '$(printf '\r')' '$tmp/shown'"

# The test that is reported is a descendant of the command, though in a group and a session of its
# own.
printf 'sleep 0.7\n' >"$tmp/t9-slow.sh"
OP2_TEST_QUIET=0.2 progress third "$tmp/kept" "$now" sh -c 'setsid --wait sh "$0"; true' \
  "$tmp/t9-slow.sh" >"$tmp/shown"
if [ -e /proc/self ]; then
  runs "who runs is told when nothing ends" grep -q ' third  begun, running: t9-slow$' "$tmp/shown"
else
  skip "/proc is not mounted: tests that run have no names"
fi
OP2_TEST_QUIET=0.2 progress fourth "$tmp/kept" "$now" sleep 0.7 >"$tmp/shown"
runs "something is told where no test runs" grep -q ' fourth  begun, going on$' "$tmp/shown"

# ---- within: tests that do not end in the time of the run ----

# timed SECONDS COMMAND...: runs the test where so many seconds are left
timed() {
  left=$1
  shift
  OP2_TEST_DEADLINE=$(($(date +%s) + left)) "$src/test/within" "$@" >"$tmp/shown"
}
shown() { [ "$(cat "$tmp/shown")" = "$1" ] || { cat "$tmp/shown"; return 1; }; }
timed 100 sh -c 'echo "ok 1 - a"; echo "not ok 2 - b"; echo 1..2; exit 5'
runs "the status of a test is passed on" test $? -eq 5
runs "and so is what it prints" shown "$(printf 'ok 1 - a\nnot ok 2 - b\n1..2')"
timed 100 sh -c 'kill -SEGV $$'
runs "and its signal" test $? -eq 139
"$src/test/within" echo 1..0 >"$tmp/shown"
runs "without a limit a test is run" shown 1..0
timed 0 sh -c 'echo "ok 1 - a"'
runs "a test that has not begun is skipped" test $? -eq 0
runs "as a whole" shown "1..0 # SKIP not begun: the time of this run is up"
cat >"$tmp/t9-hangs.sh" <<END
echo \$\$ >>"$tmp/sleepers"
(trap '' TERM; exec sleep 1003) & echo \$! >>"$tmp/sleepers"
echo "ok 1 - a"
[ \$# -eq 0 ] || echo "not ok 2 - b"
printf 'half a'
wait
END
rest="SKIP the rest: the time of this run was up after N s of this test"
ended() {
  sed 's/after [0-9]* s/after N s/' "$tmp/shown" >"$tmp/same"
  mv "$tmp/same" "$tmp/shown"
  shown "$1"
}
if [ -e /proc/self ]; then
  : >"$tmp/sleepers"
  timed 5 sh "$tmp/t9-hangs.sh"
  runs "a test that runs on is ended, which is no failure" test $? -eq 0
  runs "what it has done counts" ended "$(printf 'ok 1 - a\nhalf a\nok 2 # %s\n1..2' "$rest")"
  timed 5 sh "$tmp/t9-hangs.sh" fails
  runs "a check that had failed is one" test $? -eq 1
  runs "and stays" ended "$(printf 'ok 1 - a\nnot ok 2 - b\nhalf a\nok 3 # %s\n1..3' "$rest")"
  left_over=no
  for sleeper in $(cat "$tmp/sleepers"); do
    case $(sed 's/.*) //' "/proc/$sleeper/stat" 2>/dev/null) in '' | Z*) ;; *) left_over=yes ;; esac
  done
  runs "nothing of them is left" test $left_over = no
else
  skip "/proc is not mounted: the processes of a test are not found"
fi

# ---- run.sh, on a small project of its own ----

small=$tmp/small
mkdir -p "$small/test"
cp "$src/test/run.sh" "$src/test/tap-summary" "$src/test/progress" "$src/test/processes.py" \
  "$src/test/within" "$small/test"
printf '#!/bin/sh\n' >"$small/test/deps.sh"
chmod +x "$small/test/deps.sh"
cat >"$small/meson.build" <<'END'
project('small', 'c')
sh = find_program('sh')
foreach name, say : {'t1-a': 'ok 1 - a', 't2-b': 'ok 1 - $OP2_TEST_QUICK', 't3-c': 'not ok 1 - c'}
  test(name, sh, args: ['-c', 'echo "' + say + '"; echo 1..1'], protocol: 'tap',
    suite: name == 't3-c' ? ['unit'] : ['unit', 'smoke'])
endforeach
test('t5-long', sh, args: ['-c', 'echo ok 1; echo 1..1'], protocol: 'tap', suite: ['unit', 'long'])
test('t7-longest', sh, args: ['-c', 'echo ok 1; echo 1..1'], protocol: 'tap',
  suite: ['unit', 'long', 'longest'])
test('t6-sizes', sh, args: ['-c', 'echo ok 1 - sizes ${OP2_TEST_QUICK:-large}; echo 1..1'],
  protocol: 'tap', suite: 'sizes')
built = executable('built', 'built.c')
executable('unwanted', 'unwanted.c')
foreach name : ['smoke-tests', 'unit-tests', 'tsan-tests', 'mpi-tests']
  alias_target(name, built)
endforeach
END
for name in bench tests starpu hwloc openmp png mpi mpi_of fortran python; do
  echo "option('$name', type: 'string')"
done >"$small/meson_options.txt"
echo 'int main(void) { return 0; }' | tee "$small/built.c" >"$small/unwanted.c"
small_run() { # OPTION...: writes the output to $tmp/shown
  env -u MAKEFLAGS -u OP2_TEST_OUT -u OP2_TEST_QUICK "$small/test/run.sh" "$@" >"$tmp/shown" 2>&1
}
last() { [ "$(tail -n 1 "$tmp/shown")" = "$1" ] || { cat "$tmp/shown"; return 1; }; }
small_run --smoke
runs "a smoke run succeeds" test $? -eq 0
runs "it runs the smoke suite and ends with the count" last "5 passed, 0 failed, 0 skipped"
runs "it builds what that needs, no more" \
  test -e "$small/build-test/release/built" -a ! -e "$small/build-test/release/unwanted"
runs "each test is shown as it ends" grep -q 's  release  [12]/2 t2-b  OK' "$tmp/shown"
runs "and the build is" grep -q 's  release  2/2 built' "$tmp/shown"
small_run --quick
runs "a quick run with a failure fails" test $? -eq 1
runs "it runs all but long tests, builds on what is there" last "5 passed, 1 failed, 1 skipped"
runs "it names those" grep -q 'skipped: .*-k NAME runs them): t5-long t7-longest$' "$tmp/shown"
runs "the failure is named" grep -q '^FAILED: release: t3-c: c' "$tmp/shown"
small_run --quick -k t1
runs "-k picks" last "4 passed, 0 failed, 0 skipped"
small_run --quick -k t5
runs "long tests too" last "4 passed, 0 failed, 0 skipped"
small_run --quick -k nothing
runs "-k without a match fails" last "2 passed, 1 failed, 0 skipped"
small_run --smok
runs "an unknown option is refused" test $? -eq 2
runs "those that there are, are named" \
  grep -q -e '--quick, --smoke, --long, -k NAME, --minutes N' "$tmp/shown"
small_run --quick -k
runs "-k without a name is refused" test $? -eq 2
small_run --quick --minutes 5
runs "with a limit that is not reached, all is run" last "5 passed, 1 failed, 1 skipped"
small_run --quick --minutes 0
runs "without time nothing is run, which is a failure" test $? -eq 1
runs "and is skipped" last "0 passed, 0 failed, 1 skipped"
runs "the reason is told" grep -q 'skipped: .*release: not built: the time of this run is up' \
  "$tmp/shown"
for words in --minutes "--minutes soon"; do
  small_run --quick $words
  runs "$words: a number is asked for" test $? -eq 2
done

# ---- all builds ----

# ran BUILD TEST: tells whether the last run ran this test in this build
ran() { grep -q "  $1  [0-9]*/[0-9]* $2  OK" "$tmp/shown"; }
not() { ! "$@"; }
sizes() { grep -q "sizes $1\$" "$small"/build-test/release/meson-logs/results*.txt; }
# with_asan WHAT COMMAND...: a check that is skipped where no program of the address sanitizer runs
with_asan() {
  if grep -q 'skipped: .*asan: programs' "$tmp/shown"; then
    skip "$1: programs of the address sanitizer do not run here"
  else
    runs "$@"
  fi
}
small_run
runs "a run without options has long tests in the release build" ran release t5-long
runs "and in no other" not ran bare t5-long
runs "but not the longest ones" not ran release t7-longest
for line in 'release: the longest tests .*: t7-longest' 'bare: the long tests .*: t5-long t7-longest'; do
  runs "which is told: $line" grep -q "skipped: .*$line\$" "$tmp/shown"
done
runs "other tests are in all of them" ran bare t1-a
runs "its sizes are reduced" sizes 1
with_asan "sanitizers are without long tests, too" not ran asan t5-long
small_run --long
runs "a long run has them in all builds" ran release t5-long
runs "in the last one, too" ran bare t5-long
runs "and the longest ones" ran release t7-longest
with_asan "and with sanitizers" ran asan t5-long
runs "its sizes are larger" sizes large
small_run --long --quick
runs "it is not quick at the same time" test $? -eq 2

# ---- an interrupted run leaves nothing behind ----

# soon COMMAND...: it succeeds within a minute
soon() {
  tries=600
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.1
  done
}
listed() { [ "$(wc -w <"$tmp/sleepers")" -eq 3 ]; }
gone() { # none of the processes exists, except zombies
  for sleeper in $(cat "$tmp/sleepers"); do
    case $(sed 's/.*) //' "/proc/$sleeper/stat" 2>/dev/null) in '' | Z*) ;; *) return 1 ;; esac
  done
}
# There are three processes: a test, a child of it that ignores SIGTERM, and one in a session of its
# own.
cat >"$small/t4-sleep.sh" <<END
echo \$\$ >>"$tmp/sleepers"
(trap '' TERM; exec sleep 1000) & echo \$! >>"$tmp/sleepers"
setsid sleep 1001 & echo \$! >>"$tmp/sleepers"
wait
END
echo "test('t4-sleep', sh, args: files('t4-sleep.sh'), protocol: 'tap')" >>"$small/meson.build"
if [ -e /proc/self ]; then
  : >"$tmp/sleepers"
  env -u OP2_TEST_OUT "$small/test/run.sh" --quick -k t4 >"$tmp/shown" 2>&1 &
  runner=$!
  runs "a long test has begun" soon listed
  kill -TERM $runner
  wait $runner
  runs "run.sh says that it was ended" test $? -eq 143
  runs "nobody is left" gone
  runs "it tells so" grep -q "release  SIGTERM: what runs is ended" "$tmp/shown"
  kill -KILL $(cat "$tmp/sleepers") 2>/dev/null
else
  skip "/proc is not mounted: what an interrupted run has started is not found"
fi

# chroot.sh is run with a debootstrap that never ends.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  mkdir "$tmp/bin" "$tmp/roots"
  printf '#!/bin/sh\necho $$ >>"%s"\nexec sleep 1002\n' "$tmp/sleepers" >"$tmp/bin/debootstrap"
  printf '#!/bin/sh\necho bookworm http://localhost/\n' >"$tmp/bin/apt-get"
  chmod +x "$tmp/bin/debootstrap" "$tmp/bin/apt-get"
  begun() { [ -s "$tmp/sleepers" ]; }
  empty() { [ -z "$(ls -A "$tmp/roots")" ]; }
  for signal in TERM KILL; do
    : >"$tmp/sleepers"
    TMPDIR=$tmp/roots PATH=$tmp/bin:$PATH sh "$src/test/chroot.sh" true >"$tmp/shown" 2>&1 &
    runner=$!
    runs "chroot.sh has begun" soon begun
    kill -$signal $runner
    wait $runner
    runs "its folder goes, though $signal ends it" soon empty
    [ $signal = KILL ] || runs "and so does what it has started" gone
    kill -KILL $(cat "$tmp/sleepers") 2>/dev/null
  done
else
  skip "chroot.sh is not interrupted: this is not root, or apt-get is missing"
fi

# ---- the smoke suite has tests of every kind ----

if [ -n "$build" ]; then
  meson test -C "$build" --no-rebuild --list --suite smoke 2>/dev/null | sed 's|.* / ||' \
    >"$tmp/smoke"
  for kind in 0 1 2 3 4 5 7 8; do
    runs "it has tests t${kind}xx" grep -q "^t$kind" "$tmp/smoke"
  done
  runs "it has twenty tests or more" test "$(wc -l <"$tmp/smoke")" -ge 20
  runs "it is not all there is" sh -c "! grep -q t600-random '$tmp/smoke'"
else
  skip "no build folder: no list of tests"
fi

done_testing
