#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The reference of the public headers is made without a warning and lacks nothing; its manual pages
# and those of the tools are clean; every public function occurs in it, and is used by the tests or
# the examples; doc/environment.md says what the library's table of options says.
set -u
. "$(dirname "$0")/../support/tap.sh"

# ---- the page of environment variables ----

fresh() { python3 "$1/doc/site/environment.py" | diff "$1/doc/environment.md" - | head -n 20; }
clean "doc/environment.md is what the table of options makes it" fresh "$src"
copy=$tmp/copy
mkdir -p "$copy/doc/site" "$copy/lib/context"
cp "$src/doc/environment.md" "$copy/doc/"
cp "$src/doc/site/environment.py" "$copy/doc/site/"
sed 's/"CPU workers"/"more workers"/' "$src/lib/context/options.def" >"$copy/lib/context/options.def"
catches "an option with another meaning" 'more workers' fresh "$copy"
sed 's/^FLAG(EAGER,/FLAG(PLANTED,/' "$src/lib/context/options.def" >"$copy/lib/context/options.def"
catches "an option that the page does not know" "EAGER" fresh "$copy"

# printed VARIABLES: prints names that are only on the page, or only printed by the library
printed() {
  grep -o '^| `OP2_[A-Z0-9_]*' "$src/doc/environment.md" | tr -d '|` ' | sort >"$tmp/page"
  sed -n 's/^\(OP2_[A-Z0-9_]*\) .*/\1/p' "$1" | sort | diff "$tmp/page" -
}
if [ -n "$build" ] && [ -x "$build/tools/op2-info" ]; then
  "$build/tools/op2-info" --environment >"$tmp/variables"
  clean "the page has the variables that op2_environment_write() prints" printed "$tmp/variables"
  sed 1,2d "$tmp/variables" >"$tmp/fewer"
  catches "variables that the library does not print" '^< OP2_' printed "$tmp/fewer"
else
  skip "there is no op2-info to compare the variables with"
fi

# ---- every public function ----

public() { # prints the public functions
  awk '/^OP2_API/ { text = ""; open = 1 }
    open { text = text " " $0 }
    open && /;/ { open = 0; if (match(text, /op2_[a-z0-9_]+\(/)) print substr(text, RSTART, RLENGTH - 1) }' \
    "$src"/include/op2/*.h | sort -u
}
public >"$tmp/public"
runs "there are more than 200 public functions" test "$(wc -l <"$tmp/public")" -gt 200

# A macro fills in the place for functions that end in _at.
uses() { # FILE...: prints the public functions that these files do not use
  cat "$@" | grep -oE '\bop2_[a-z0-9_]+' | sort -u >"$tmp/names"
  while read -r name; do
    grep -q -x -e "$name" -e "${name%_at}" "$tmp/names" || echo "$name is not used"
  done <"$tmp/public"
}
users() {
  find "$src/examples" "$src/test" "$src/bench" "$src/fortran/op2_mpi.f90" -name '*.[ch]' -o -name '*.cc' \
    -o -name '*.py' -o -name '*.f90'
}
# shellcheck disable=SC2046 # names without blanks
clean "examples and tests use each of them" uses $(users)
users | xargs sed 's/op2_dat_wrap\b/op2_dat_other/g' >"$tmp/planted"
catches "a function that nothing uses" '^op2_dat_wrap is not used' uses "$tmp/planted"

# ---- claims of pages that can be looked up ----

# unknown PAGE: prints names in a page's code that neither headers nor the table of options have
unknown() {
  {
    cat "$src"/include/op2.h* "$src"/include/op2/*.h "$src"/include/op2-compat/*.h "$src"/python/src/op2/*.py \
      "$src"/fortran/*.f90 "$src"/fortran/*.in
    sed -n 's/^[A-Z]*(\([A-Z0-9_]*\),.*/OP2_\1/p' "$src/lib/context/options.def"
    ls "$src/tools" "$src/compat" "$src/bench"
    # Names in generated code, placeholders, a target of CMake's, and modules of OP2 for Fortran.
    echo op2_loop_res_calc_k op2_entry_k op2_element op2_dat0 op2_map0 op2_body op2_consts op2_live \
      op2_mask1 op2_vec_upwind op2_x op2_x_at op2_x_destroy op2_static OP2_FORTRAN_DECLARATIONS \
      OP2_FORTRAN_HDF5_DECLARATIONS OP2_FORTRAN_REFERENCE OP2_FORTRAN_RT_SUPPORT OP2_1 OP2_PRIVATE
    cat "$src"/test/*.sh "$src"/test/*/*.[ch] "$src"/test/*/*.sh | grep -oE 'OP2_TEST_[A-Z_]*'
    sed -n '/makefiles_of_op2\[\]/,/;/p' "$src/lib/context/env.c"
  } | grep -oE '\b(op2|OP2)_[A-Za-z0-9_]+' | sort -u >"$tmp/known"
  grep -oE '`[^`]*`' "$1" | grep -oE '\b(op2_[a-z0-9_]+|OP2_[A-Z0-9_]+)' | sort -u | comm -23 - "$tmp/known" |
    sed "s|^|$(basename "$1"): |"
}
known_names() { for page in "$src"/README.md "$src"/doc/*.md; do unknown "$page"; done; }
clean "names on the pages are those of the interface or of options" known_names
printf 'Call `op2_dat_fetch`, or set `OP2_BACKENDS=check`.\n' >"$tmp/planted.md"
catches "a function that there is not" 'op2_dat_fetch' unknown "$tmp/planted.md"
catches "a variable that there is not" 'OP2_BACKENDS' unknown "$tmp/planted.md"

# Words in bold at the beginning of a line are questions.
questions() { grep -c '^\*\*.*[?.]\*\*' "$src/doc/faq.md"; }
runs "the FAQ has at least 40 questions" test "$(questions)" -ge 40

# unexplained GLOSSARY: prints words of explanations, reports and drawings that it lacks
unexplained() {
  awk -F'|' '/^\| / { gsub(/[ \t]*$/, "", $2); gsub(/^[ \t]*(to )?/, "", $2); gsub(/, /, "\n", $2); print $2 }' "$1" |
    sort -u >"$tmp/glossary"
  # These are what the texts of op2_explain(), op2_report() and messages say of loops and meshes.
  for word in access arity block cache cancelled colour combination dat dim exchange flush fused global halo kernel \
    loop map owned partition plan poisoned prefetch program queue rank reduction replay section set slot sparsity \
    step subset task team trial worker 'vector code'; do
    grep -r -q -i -w -e "$word" "$src/scheduler" "$src/lib" --include='*.c' || echo "$word is not said"
    grep -q -x -e "$word" "$tmp/glossary" || echo "$word is not explained"
  done
}
clean "the glossary has the words that the library says" unexplained "$src/doc/glossary.md"
grep -v '^| poisoned' "$src/doc/glossary.md" >"$tmp/planted.md"
catches "a word without a meaning" 'poisoned is not explained' unexplained "$tmp/planted.md"

# ---- manual pages of the tools ----

# mandoc asks for a page of each reference, which are not installed here.
linted() { # FILE...: prints what mandoc and groff complain of
  mandoc -T lint -W style "$@" 2>&1 | grep -v 'referenced manual not found'
  for page; do
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null
  done
}
if command -v mandoc >/dev/null 2>&1 && command -v man >/dev/null 2>&1; then
  clean "manual pages of the tools are clean" linted "$src"/tools/man/*.1
  printf '.TH A 1 "2026-11-30"\n.SH NAME\na \\- b\n.SH SEE\n.PP\n.XX\n' >"$tmp/planted.1"
  catches "a page with an unknown macro" 'XX' linted "$tmp/planted.1"
else
  skip "there is no mandoc or man to check manual pages"
fi
titled() { # prints pages of which the tool has not the name
  for page in "$src"/tools/man/*.1; do
    name=$(basename "$page" .1)
    grep -q "^\.TH $(echo "$name" | tr a-z A-Z) 1 " "$page" || echo "$page"
  done
}
clean "they have their tools' names" titled

# ---- the reference ----

if ! command -v doxygen >/dev/null 2>&1; then
  skip "there is no doxygen: no reference"
  done_testing
fi
clean "the reference is made without a warning" sh "$src/doc/build.sh" --reference "$tmp/made"
unlisted() { # prints public functions without a page
  while read -r name; do
    [ -f "$1/$name.3" ] || echo "$name"
  done <"$tmp/public"
}
clean "each public function has a manual page" unlisted "$tmp/made/man3"
missing() { # prints public functions that the pages for browsers lack
  cat "$1"/*.html | grep -oE '\bop2_[a-z0-9_]+' | sort -u >"$tmp/names"
  sort "$tmp/public" | comm -23 - "$tmp/names"
}
clean "and is in the pages for browsers" missing "$tmp/made/reference"
rm "$tmp/made/man3/op2_dat_create.3"
catches "a function without a page" '^op2_dat_create$' unlisted "$tmp/made/man3"
foreign() { ls "$1" | grep -v -i '^op2' | head; }
clean "no page has a name that could be another's" foreign "$tmp/made/man3"
if command -v mandoc >/dev/null 2>&1; then
  pages=$(grep -L '^\.so' "$tmp"/made/man3/*)
  # shellcheck disable=SC2086 # names without blanks
  all() { mandoc -T lint -W style $pages 2>&1 | grep -v 'referenced manual not found' | head -n 20; }
  clean "manual pages of the reference are clean" all
  if command -v man >/dev/null 2>&1; then
    # shellcheck disable=SC2046 # names without blanks
    clean "by groff as well" linted $(echo "$pages" | tr ' ' '\n' | grep -e /op2- -e create)
  fi
fi
parts() { # prints which of a function's tags its page lacks
  for title in NAME SYNOPSIS DESCRIPTION SHAPE UNITS MEMORY '"WHEN IT RUNS"' '"AMONG RANKS"' ERRORS '"AS IN"'; do
    grep -q -x ".SH $title" "$1" || echo "$title"
  done
}
clean "a page has the tags of its function" parts "$tmp/made/man3/op2_map_create.3"

# An undocumented member is an error.
mkdir "$tmp/tree"
cp -R "$src/include" "$src/doc" "$tmp/tree/"
sed 's|/\*\* Take all slots of a map: the kernel gets an array.*||' \
  "$src/include/op2/loop.h" >"$tmp/tree/include/op2/loop.h"
catches "a macro without a comment" 'OP2_ALL.*is not documented' \
  sh "$tmp/tree/doc/build.sh" --reference "$tmp/made2"
undocumented() { # XML folder: prints values of enumerations, of which Doxygen does not warn
  python3 - "$1" <<'END'
import pathlib, sys, xml.etree.ElementTree as E
for path in pathlib.Path(sys.argv[1]).glob("*_8h.xml"):
    for value in E.parse(path).iter("enumvalue"):
        text = "".join(value.find("briefdescription").itertext()).strip()
        text += "".join(value.find("detaileddescription").itertext()).strip()
        if not text:
            print(value.findtext("name"), "is not documented")
END
}
values() { # SOURCE
  rm -rf "$tmp/xml" && mkdir "$tmp/xml"
  sed -e "s|@version@|0|; s|@source@|$1|g; s|@output@|$tmp/xml|g" "$src/doc/site/Doxyfile.in" >"$tmp/Doxyfile"
  doxygen "$tmp/Doxyfile" >/dev/null 2>&1
  undocumented "$tmp/xml/xml"
}
clean "each value of an enumeration is documented" values "$src"
sed -i 's|OP2_WRITE,.*|OP2_WRITE,|' "$tmp/tree/include/op2/types.h"
catches "a value without a comment" 'OP2_WRITE is not' values "$tmp/tree"

done_testing
