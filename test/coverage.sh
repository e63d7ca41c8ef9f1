#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Name the functions of the library that no test enters, by gcc's coverage. Builds with gcov's
# counters and runs the tests at quick sizes, long ones included: half an hour on two cores.
#   test/coverage.sh               all tests; then a line for each function that none enters
#   test/coverage.sh NAME...       only these tests
#   test/coverage.sh --build DIR   build in DIR (else build-coverage), on top of what is there; with
#                                  its counters, that is, tests of several runs add up
# Counters of a process that is killed or ends by _exit() are lost.
set -eu

say() { echo "coverage: $*" >&2; }
die() { say "$*"; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-coverage
tests=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --build)
      [ $# -gt 1 ] || die "a folder is missing after --build"
      build=$2
      shift
      ;;
    -*) die "unknown argument '$1' (--build DIR, --help)" ;;
    *) tests="$tests $1" ;;
  esac
  shift
done
command -v gcov >/dev/null || die "gcov is not installed (it comes with gcc)"
command -v python3 >/dev/null || die "python3 is not installed"

# ccache would give objects whose counters belong to another folder.
CCACHE_DISABLE=1
export CCACHE_DISABLE
[ -e "$build/build.ninja" ] || meson setup "$build" "$root" --buildtype=debug -Db_coverage=true \
  -Dbench=true >"$build.log" 2>&1 || die "meson setup failed, see $build.log"
ninja -C "$build" >"$build.log" 2>&1 || die "the build failed, see $build.log"
OP2_TEST_QUICK=1
export OP2_TEST_QUICK
# shellcheck disable=SC2086 # names
meson test -C "$build" --no-rebuild --timeout-multiplier 10 $tests >"$build.log" 2>&1 ||
  say "some tests failed, see $build.log"

# gcov prints a JSON document in a line for each object, and functions of headers once for each.
find "$build" -path '*op2*-internal.a.p*' -name '*.gcno' | sort >"$build/objects"
[ -s "$build/objects" ] || die "no object of the library has counters in $build"
(cd "$build" && xargs gcov --json-format --stdout <"$build/objects" 2>/dev/null) |
  python3 -c '
import json, os, sys

root, build = os.path.realpath(sys.argv[1]), sys.argv[2]
entered = {}
for line in sys.stdin:
    for file in json.loads(line)["files"]:
        path = os.path.realpath(os.path.join(build, file["file"]))
        if not path.startswith(root + os.sep):
            continue
        for function in file["functions"]:
            key = (os.path.relpath(path, root), function["start_line"], function["name"])
            entered[key] = entered.get(key, 0) + function["execution_count"]
if not entered:
    sys.exit("coverage: gcov counted no function")
missed = sorted(key for key, count in entered.items() if not count)
for path, line, name in missed:
    print(f"{path}:{line}: {name}")
print(f"{len(missed)} of {len(entered)} functions are entered by no test")
' "$root" "$build"
