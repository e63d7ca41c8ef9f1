#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A wheel with the library in it runs programs where there are Python, NumPy, cffi and a compiler, and
# nothing of the library's own. In a bare Debian this is tried as well, and so is the installation by
# the lines of doc/python.md; that needs root, debootstrap and the network, and runs only if
# OP2_TEST_BARE=1, as in test/run.sh --long.
set -u
. "$(dirname "$0")/../support/tap.sh"

# lines PAGE: prints the first indented block of a page
lines() { awk '/^    / { print substr($0, 5); shown = 1; next } shown { exit }' "$src/doc/$1"; }
awk '/^```python$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$src/doc/python.md" \
  >"$tmp/page.py"
runs "doc/python.md has a program" grep -q op2.par_loop "$tmp/page.py"
lines python.md >"$tmp/lines"
runs "doc/python.md installs" grep -q -x "env/bin/pip install .* ./python" "$tmp/lines"

python=${OP2_TEST_PYTHON:-}
if [ -z "$python" ] || ! "$python" -c 'import wheel' 2>/dev/null || ! command -v meson >/dev/null 2>&1; then
  skip "no Python with cffi, NumPy, setuptools and wheel was found, or no meson (test/deps.sh test)"
  done_testing
fi
made() { sh "$src/python/wheel.sh" --python "$python" "$tmp/made" >"$tmp/name" 2>"$tmp/log"; }
runs "a wheel is built" made
[ "$tap_failed" -eq 0 ] || { diag "$(tail -n 20 "$tmp/log")" && done_testing; }
wheel=$(cat "$tmp/name")
unpacked() {
  "$python" -m pip install -q --no-deps --no-index --root-user-action=ignore --target "$tmp/site" "$wheel"
}
runs "it can be installed" unpacked

# The libraries of the system and of the C compiler are there wherever programs are compiled.
foreign() {
  for file in "$tmp"/site/op2/*.so*; do
    readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
  done | sort -u | grep -v -x -E 'lib(c|m|dl|pthread|gomp|op2)\.so\.[0-9]|ld-linux.*' || true
}
clean "it needs libraries of the system, of the compiler and its own" foreign
runs "it has the library" test -f "$tmp"/site/op2/libop2.so.1

# Nothing of the build is to be found: no variable names it, and the folder is another one.
cat >"$tmp/loops.py" <<'END'
import op2
print(op2.unavailable("openmp"), op2.unavailable("starpu") is not None)
try:
    op2.File
    with op2.Context("sequential") as context:
        op2.dump(context, "nowhere.h5")
except op2.UnavailableError:
    print("no files")
for absent in (op2.read_mesh, op2.Checkpoint):
    try:
        with op2.Context("sequential") as context:
            absent(context, "nowhere")
    except op2.UnavailableError as error:
        print(str(error).split(":")[0].split()[-1])
exec(open("page.py").read())
END
answer() {
  (cd "$tmp" && env -i PATH=/usr/bin:/bin HOME="$tmp" PYTHONPATH="$tmp/site" OP2_BACKEND=openmp \
    "$python" loops.py)
}
answer >"$tmp/out" 2>&1
runs "its program runs by itself" test "$(tr '\n' ' ' <"$tmp/out")" = "None True no files libop2-meshfile libop2-hdf5 [101.  11. 110.] "
diag "$(cat "$tmp/out")"

if [ "${OP2_TEST_BARE:-0}" != 1 ]; then
  skip "not tried in a bare Debian: OP2_TEST_BARE=1 is not set (test/run.sh --long sets it)"
  done_testing
fi
if ! git -C "$src" rev-parse --git-dir >/dev/null 2>&1; then
  skip "not tried in a bare Debian: this is no clone, or git is missing"
  done_testing
fi
{
  echo "set -ex"
  echo "cat >page.py <<'END OF PROGRAM'"
  cat "$tmp/page.py"
  echo "END OF PROGRAM"
  echo "apt-get update -q"
  echo "apt-get install -q -y --no-install-recommends gcc libc6-dev python3-venv python3-numpy python3-cffi"
  echo "python3 -m venv --system-site-packages /srv/wheel"
  echo "/srv/wheel/bin/pip install --no-index op2-*.whl"
  echo 'echo "wheel: $(OP2_BACKEND=openmp /srv/wheel/bin/python page.py)"'
  cat "$tmp/lines"
  echo 'echo "sources: $(env/bin/python page.py)"'
} >"$tmp/script"
sh "$src/test/chroot.sh" --tree --add "$wheel" sh -c "$(cat "$tmp/script")" </dev/null \
  >"$tmp/out" 2>"$tmp/log"
status=$?
if [ $status -eq 77 ]; then
  skip "not tried in a bare Debian: $(grep '^chroot: ' "$tmp/log" | tail -n 1)"
else
  result $status "the lines work in a bare Debian"
  [ $status -eq 0 ] || diag "$(tail -n 40 "$tmp/log")"
  for way in wheel sources; do
    runs "the program runs there, from $way" grep -q -x "$way: \[101.  11. 110.\]" "$tmp/out"
  done
fi
done_testing
