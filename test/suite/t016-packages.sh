#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian packages, without building them: each file that is installed belongs to exactly one of them,
# their lists of symbols are those of the libraries, and their descriptions are complete. t017 builds
# and installs them.
set -u
. "$(dirname "$0")/../support/tap.sh"

debian=$src/packaging/debian
LC_ALL=C
export LC_ALL

# ---- files ----

# owners DIR LIST: for each installed file of a list, prints how many lists of packages in DIR have it,
# if that is not one; for each pattern of the lists, if there is no such file
owners() {
  cat "$1"/*.install >"$tmp/patterns"
  awk -v list="$2" '
    function pattern(glob) { # as an expression
      gsub(/[.+]/, "\\\\&", glob)
      gsub(/\*/, "[^/]*", glob)
      return "^" glob "(/.*)?$"
    }
    $1 ~ /^usr\// { want[++n] = pattern($1); text[n] = $1 }
    END {
      while ((getline file < list) > 0) {
        owned = 0
        for (i = 1; i <= n; i++) if (file ~ want[i]) { owned++; used[i] = 1 }
        if (owned != 1) print file ": in " owned " packages"
      }
      for (i = 1; i <= n; i++) if (!used[i]) print text[i] ": no such file"
    }' "$tmp/patterns"
}

packaged=no
if [ -z "$build" ] || [ ! -e "$build/libop2.so" ]; then
  skip "no shared library was built: files are not compared"
else
  for part in libop2-mpi.so libop2-hdf5.so libop2-petsc.so fortran/libop2-mpi-fortran.so \
    compat/libop2-compat-mpi.so; do
    [ -e "$build/$part" ] || { skip "$part was not built: files are not compared"; packaged=part; }
  done
  [ $packaged = part ] || packaged=yes
fi
if [ $packaged = yes ]; then
  stage=$tmp/stage
  runs "meson install" meson install -C "$build" --no-rebuild --quiet --destdir "$stage"
  # Debian's libraries are one folder further down.
  (cd "$stage" && find . ! -type d) |
    sed 's|^\./||; s|^usr/local/|usr/|; s|^usr/lib/|usr/lib/x/|' >"$tmp/files"
  runs "files are installed ($(wc -l <"$tmp/files" | tr -d ' '))" test -s "$tmp/files"
  clean "each belongs to one package" owners "$debian" "$tmp/files"
  { cat "$tmp/files"; echo usr/bin/op2-planted; } >"$tmp/more"
  catches "a file of no package" 'usr/bin/op2-planted: in 0 packages' owners "$debian" "$tmp/more"
  grep -v 'op2-info$' "$tmp/files" >"$tmp/less"
  catches "a file that is gone" 'usr/bin/op2-info: no such file' owners "$debian" "$tmp/less"
  cp -R "$debian" "$tmp/debian"
  echo 'usr/include/op2/*.h' >>"$tmp/debian/op2-tools.install"
  catches "a file of two packages" 'usr/include/op2/loop.h: in 2 packages' owners "$tmp/debian" "$tmp/files"
fi

# ---- symbols ----

runs "lists of symbols are made" sh "$src/packaging/deb.sh" --symbols "$tmp/symbols"
runs "each library package has one" test "$(ls "$tmp/symbols" | wc -l)" = "$(ls "$debian" | grep -c '^lib.*1\.install')"
# listed LIBRARY PACKAGE: compares a library's symbols with its package's list
listed() {
  nm -D --with-symbol-versions --defined-only "$1" | sed 's/@@/@/' |
    awk '$2 == "A" { print $3 "@" $3 } $2 != "A" { print $3 }' | sort >"$tmp/has"
  awk -v library="$(basename "$1" .so).so." '/^[^ *]/ { here = index($0, library) == 1 } /^ / && here { print $1 }' \
    "$tmp/symbols/$2.symbols" | sort >"$tmp/list"
  comm -13 "$tmp/has" "$tmp/list" | sed "s/^/not in the library: /"
  [ -s "$tmp/list" ]
}
if [ $packaged = yes ] && command -v nm >/dev/null; then
  for pair in libop2:libop2-1 libop2-mpi:libop2-mpi1 libop2-hdf5:libop2-hdf5-1 \
    libop2-petsc:libop2-petsc1 libop2-meshfile:libop2-meshfile1; do
    clean "${pair#*:}'s list is of ${pair%:*}.so" listed "$build/${pair%:*}.so" "${pair#*:}"
  done
  echo ' op2_planted@OP2_1.0 1.0.0' >>"$tmp/symbols/libop2-petsc1.symbols"
  catches "a symbol that is gone" 'not in the library: op2_planted' \
    listed "$build/libop2-petsc.so" libop2-petsc1
else
  skip "not all libraries were built: symbols are not compared"
fi

# ---- descriptions ----

version=$(awk '/define OP2_VERSION_M|define OP2_VERSION_P/ { printf "%s%s", dot, $3; dot = "." }' \
  "$src/include/op2/version.h")
runs "the changelog begins with version $version" sh -c "head -n 1 '$debian/changelog' | grep -q '^op2 ($version-[0-9]*) '"
runs "its last line has a date" sh -c "grep -q '^ -- .* <.*>  [A-Z][a-z][a-z], [0-9]* [A-Z][a-z][a-z] 20[0-9]* [0-9:]* +0000\$' '$debian/changelog'"
if command -v dpkg-parsechangelog >/dev/null; then
  runs "dpkg reads it" test "$(dpkg-parsechangelog -l "$debian/changelog" -S Source)" = op2
else
  skip "dpkg-dev is not installed: the changelog is not parsed"
fi
# control FILE: prints what is wrong with the description of packages
control() {
  awk '
    function ended() {
      if (paragraph == "") return
      if (paragraph == "source") split("Source Maintainer Build-Depends Standards-Version", must, " ")
      else split("Package Architecture Depends Description", must, " ")
      for (i in must) if (!(must[i] in has)) print paragraph ": no " must[i]
      delete has
      paragraph = ""
    }
    /^$/ { ended(); next }
    /^[A-Za-z-]+:( |$)/ {
      field = substr($1, 1, length($1) - 1)
      has[field] = 1
      if (field == "Source") paragraph = "source"
      if (field == "Package") { paragraph = $2; packages[$2] = 1 }
    }
    !/^[A-Za-z-]+:( |$)|^ [^ ]| +[^ ]/ { print FILENAME ": line " FNR ": " $0 }
    /[ \t]$/ { print FILENAME ": line " FNR " ends in a blank" }
    length($0) > 80 { print FILENAME ": line " FNR " is long" }
    {
      line = $0
      while (match(line, /[a-z0-9+-]*op2[a-z0-9-]* \(= \$\{binary:Version\}\)/)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/ .*/, "", name)
        needed[name] = 1
        line = substr(line, RSTART + RLENGTH)
      }
    }
    END {
      ended()
      for (name in needed) if (!(name in packages)) print "no package " name
    }' "$1"
}
clean "the packages are described" control "$debian/control"
sed '/^Package: libop2-petsc1/,/^$/d' "$debian/control" >"$tmp/control"
catches "a package that others need is gone" 'no package libop2-petsc1' control "$tmp/control"
sed '/^Standards-Version/d' "$debian/control" >"$tmp/control"
catches "a field is gone" 'source: no Standards-Version' control "$tmp/control"
lists() { # prints lists of packages that are not described
  for list in "$debian"/*.install; do
    grep -q -x "Package: $(basename "$list" .install)" "$debian/control" || echo "$list"
  done
}
clean "each list is of one of them" lists
deps() { # prints what the build needs that tests do not install
  sh "$src/test/deps.sh" --list build mpi hdf5 petsc opencl fortran python >"$tmp/deps"
  sed -n '/^Build-Depends:/,/^[A-Z]/p' "$debian/control" | sed 's/^Build-Depends://' | grep '^ ' |
    sed 's/[ ,]*\([a-z0-9.+-]*\).*/\1/' | grep -v -x -F -f "$tmp/deps" |
    sed '/^debhelper-compat$/d; /^chrpath$/d; /^dh-python$/d'
}
clean "what the build needs is what the tests build with, and Debian's tools" deps
runs "the copyright is in Debian's format" grep -q '^Format: .*copyright-format/1.0/$' "$debian/copyright"
runs "with the words of LICENSE" sh -c "sed -n '/^Redistribution/,\$p' '$src/LICENSE' | sed 's/^\$/./; s/^/ /' >'$tmp/words'
  sed -n '/^ Redistribution/,\$p' '$debian/copyright' | cmp - '$tmp/words'"

done_testing
