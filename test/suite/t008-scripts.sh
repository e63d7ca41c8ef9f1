#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every script answers --help with its purpose and its usage, and does nothing else.
set -u
. "$(dirname "$0")/../support/tap.sh"

# scripts ROOT: prints files that begin with #!, except in build and hidden folders other than .ci, and
# but for debian/rules, which is a makefile
scripts() {
  (cd "$1" &&
    find . -type d \( -name 'build*' -o -name subprojects -o -name '.?*' ! -name .ci \) -prune -o \
      -type f ! -path '*/debian/rules' -exec awk 'FNR == 1 && /^#!/ { print substr(FILENAME, 3) } { nextfile }' {} +) | sort
}

# helps ROOT SCRIPT: prints what is wrong with the script's answer. A script that does not know the
# option might do its work instead of answering, so it is not started.
helps() {
  if ! grep -q -e '--help' "$1/$2" && ! grep -q '^\. .*/tap\.sh"$' "$1/$2"; then
    echo "$2 does not know --help"
    return
  fi
  rm -rf "$tmp/empty" && mkdir "$tmp/empty"
  (cd "$tmp/empty" && timeout 60 "$(interpreter "$1/$2")" "$1/$2" --help) </dev/null \
    >"$tmp/answer" 2>"$tmp/complaint" || echo "$2 --help fails with status $?"
  [ ! -s "$tmp/complaint" ] || echo "$2 --help complains: $(head -n 1 "$tmp/complaint")"
  [ -z "$(ls -A "$tmp/empty")" ] || echo "$2 --help makes files"
  grep -q -e '[a-z][a-z][a-z] [a-z]' "$tmp/answer" || echo "$2 --help says nothing"
  case $2 in
    test/*/t[0-9]*) ;; # the runner calls these
    *) grep -q -F -e "  $2" "$tmp/answer" || echo "$2 --help does not show how it is called" ;;
  esac
}
interpreter() { sed -n '1s/^#! *\([^ ]*env \)\{0,1\}\([^ ]*\).*/\2/p' "$1"; }

scripts "$src" >"$tmp/scripts"
for known in .ci/run bench/compare.sh test/run.sh test/tap-summary test/suite/t008-scripts.sh; do
  runs "$known is among the scripts" grep -q -x -F -e "$known" "$tmp/scripts"
done
while read -r script; do
  clean "$script --help" helps "$src" "$script"
  runs "$script can be started" test -x "$src/$script" -o "${script#test/*/t[0-9]}" != "$script"
done <"$tmp/scripts"

copy=$tmp/copy
mkdir -p "$copy/build/x" "$copy/test"
plant() { # NAME: adds a script, whose text is on stdin
  cat >"$copy/$1"
}
printf '#!/bin/sh\n' | plant build/x/made.sh
printf 'not a script\n#!/bin/sh\n' | plant text
clean "neither what was built nor what is no script counts" scripts "$copy"
printf '#!/bin/sh\ntouch here\n' | plant mute
catches "a new script" '^mute$' scripts "$copy"
catches "a script without --help" 'mute does not know --help' helps "$copy" mute
printf '#!/bin/sh\n# --help\ntouch here\n' | plant works
catches "a script that does its work" 'works --help makes files' helps "$copy" works
catches "a script that says nothing" 'works --help says nothing' helps "$copy" works
printf '#!/bin/sh\n# --help\necho no such option >&2\nexit 2\n' | plant refuses
catches "a script that refuses" 'fails with status 2' helps "$copy" refuses
catches "a script that complains" 'complains: no such option' helps "$copy" refuses
printf '#!/bin/sh\n# --help\necho this is of use\n' | plant vague
catches "a script that does not show a call" 'does not show how' helps "$copy" vague

# t012 builds with these patches, which takes long.
additions_apply() {
  for patch in "$src"/test/additions/*.patch; do
    git -C "$src" apply --check "$patch" || return 1
  done
}
if git -C "$src" rev-parse --git-dir >/dev/null 2>&1; then
  runs "each fault of mutants.txt can be planted" sh "$src/test/mutants.sh" --check
  runs "each patch of test/additions applies" additions_apply
else
  skip "faults and patches are for a clone: this is none, or git is missing"
fi

done_testing
