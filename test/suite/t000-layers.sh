#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks which files may include and call which others, that the build knows every file, and that
# the pages of doc/dev are right about files and folders. The folders of the library are listed in
# meson.build, from the lowest layer to the highest: headers and functions of higher ones are out of
# reach, except for the tables below. Each check is also run on a copy of the tree with a planted
# violation and has to find it.
set -u
. "$(dirname "$0")/../support/tap.sh"

library="lib codegen backends scheduler"
folders="include $library compat bench"

# sources ROOT FOLDER...: prints the C files and headers, relative to ROOT
sources() {
  (cd "$1" && shift && find "$@" -name '*.[ch]' | sort)
}

# text ROOT FOLDER...: prints their code as "file:line:code", without comments and contents of
# strings. For the tree itself this is made once, for all folders.
text() {
  if [ "$1" = "$src" ]; then
    [ -e "$tmp/text" ] || made "$src" $folders >"$tmp/text"
    shift
    grep -E "^($(echo "$@" | tr ' ' '|'))/" "$tmp/text"
  else
    made "$@"
  fi
}
made() {
  (cd "$1" && shift && awk -v names=1 -f "$src/test/support/code.awk" $(find "$@" -name '*.[ch]' | sort))
}

# Lower folders reach higher ones through these constant tables, which are declared where they are
# used.
tables='^op2i_(scheduler|codegen|interned_(loops|calls|kernels|rows|solves)|backend_[a-z]+|device_[a-z]+|driver_[a-z]+|format_[a-z0-9]+)$'

# Each line has two patterns: that of a foreign header, and that of the names of files that may
# include it.
fences='^starpu.*\.h$ starpu
^hwloc.*\.h$ hwloc
^omp\.h$ omp|openmp
^png\.h$ png|picture
^(zlib|libdeflate)\.h$ zlib
^expat\.h$ xml
^mpi\.h$ mpi
^petsc.*\.h$ petsc
^hdf5.*\.h$ hdf5
^(cuda|nvrtc).*\.h$ cuda|hip
^hip.*\.h$ hip
^CL/.*\.h$ opencl
^(ptscotch|scotch)\.h$ scotch'

# includes ROOT: prints "file line kind header" for every #include; kind is < or "
includes() {
  text "$1" $folders | sed -n -e 's/[>"][^>"]*$//' \
    -e 's/^\([^:]*\):\([0-9]*\):[ \t]*#[ \t]*include[ \t]*\([<"]\)/\1 \2 \3 /p'
}

layers() { # ROOT
  {
    rooms "$1" | sed 's/^/room /'
    (cd "$1" && find $folders -name '*.[ch]' -o -name '*.def' | sort | sed 's/^/file /')
    includes "$1" | sed 's/^/include /'
  } | LIBRARY=$library awk -f "$src/test/suite/includes.awk"
}

fenced() { # ROOT
  includes "$1" | FENCES=$fences awk '
    BEGIN { n = split(ENVIRON["FENCES"], fence, /[ \n]/) }
    {
      base = $1
      sub(/.*\//, "", base)
      for (i = 1; i < n; i += 2)
        if ($4 ~ fence[i] && base !~ fence[i + 1])
          print $1 ":" $2 ": <" $4 "> belongs to files named " fence[i + 1]
    }'
}

# linked ROOT OBJECTS: prints "room file kind name" for each symbol that the library's objects
# define or need; the room is a number, and the kind is that of nm
linked() {
  number=0
  for room in $(rooms "$1"); do
    number=$((number + 1))
    (cd "$1" && for file in "$room"/*.c; do [ ! -e "$file" ] || echo "$number $file"; done)
  done >"$tmp/places"
  # An object is named after its file, with _ for /.
  (cd "$2" 2>/dev/null && find . -name '*.c.o' | sed 's|^./||' | xargs -r nm -A) |
    awk 'NR == FNR { object = $2; gsub("/", "_", object); at[object ".o"] = $0; next }
      { object = $1; sub(/:.*/, "", object) }
      object in at { print at[object], $(NF - 1), $NF }' "$tmp/places" -
}

upward() { # ROOT OBJECTS
  linked "$1" "$2" | TABLES=$tables awk '
    $3 ~ /[A-TV-Z]/ { room[$4] = $1; file[$4] = $2; kind[$4] = $3; functions += $3 == "T" }
    $3 == "U" { from[++n] = $1; by[n] = $2; name[n] = $4 }
    END {
      for (i = 1; i <= n; i++) {
        what = name[i]
        if (!(what in room) || room[what] <= from[i]) continue
        if (kind[what] != "T" && what ~ ENVIRON["TABLES"]) continue
        print by[i] ": " what " is of " file[what]
      }
      if (!functions) print "there is no object with a function in it"
    }'
}

# calls ROOT EXCEPT NAMES FOLDER...: prints calls of these functions as "file:line:code", except in
# the file EXCEPT
calls() {
  root=$1
  except=$2
  names=$3
  shift 3
  text "$root" "$@" | grep -E "(^|[^A-Za-z0-9_.>])($names)[ ]*\\(" | grep -v "^$except:"
  :
}

# Only one file may read, change or replace the environment.
environment() {
  readers='(getenv|secure_getenv|setenv|unsetenv|putenv)[ ]*\(|environ([^A-Za-z0-9_]|$)'
  text "$1" include $library | grep -E "(^|[^A-Za-z0-9_.>])($readers)" |
    grep -v '^lib/context/env_replace.c:'
  :
}
memory() {
  allocators='malloc|calloc|realloc|reallocarray|free|aligned_alloc|posix_memalign'
  calls "$1" lib/base/mem.c "$allocators|strdup|strndup|asprintf|vasprintf" $library compat
}
manners() {
  ends='exit|_exit|_Exit|quick_exit|abort|assert'
  calls "$1" - "$ends|printf|vprintf|puts|putchar|system|popen" $library
  text "$1" $library | grep -w stdout
  :
}

licensed() { # ROOT
  (cd "$1" && find $folders test | grep -E '\.([ch]|sh|awk)$|meson\.build$' | sort | tr '\n' '\0' |
    xargs -0 awk '
      function tell() { if (file && !found) print file ": no licence line" }
      FNR == 1 { tell(); file = FILENAME; found = 0 }
      /SPDX-License-Identifier: BSD-3-Clause/ { found = 1 }
      FNR == 2 { nextfile }
      END { tell() }')
}

introduced() { # ROOT: every file says what it is for, before its first declaration
  (cd "$1" && sources . $library compat | tr '\n' '\0' | xargs -0 awk '
    FNR == 1 || /^#/ || /^$/ { next }
    { if (!/^\/\*/) print FILENAME ": does not open with what it is for"; nextfile }')
}

# built ROOT: prints sources that are not named in their folder's meson.build, and those of tests
# that are named neither there nor in that of test; additions are built where they are applied, and
# frames by t022
built() {
  (cd "$1" && for folder in $library compat test; do
    find "$folder" \( -path test/additions -o -path test/frames \) -prune -o \( -name '*.c' -o -path 'test/*/t[0-9]*.sh' \) -print |
      sort | LISTS="$(find "$folder" -name meson.build)" FOLDER=$folder awk -f "$src/test/suite/named.awk"
  done)
}

# targets PAGE: prints the files that the page links to, as it names them
targets() {
  grep -oE '\]\([^)]*\)' "$1" | sed -e 's/^](//' -e 's/)$//' -e 's/#.*//' | grep -v -e '://' -e '^$' | sort -u
}

# named PAGE: prints the sources, tests and benchmarks that the page names, relative to the root
named() {
  grep -oE '`(lib|codegen|backends|scheduler|include|test|bench)/[a-z_0-9/.-]*\.(c|h|sh|awk|txt)`' "$1" |
    tr -d '\140' | sort -u
}

# words PAGE: prints the number of words; bars of tables and rulers do not count
words() { awk '{ for (i = 1; i <= NF; i++) n += $i ~ /[A-Za-z0-9]/ } END { print n + 0 }' "$1"; }

# page ROOT PAGE: checks that a page of doc/dev is short, is reached from the index, and names and
# links only files that exist
page() {
  [ "$(words "$2")" -le 1200 ] || echo "doc/dev/$2: $(words "$2") words, and 1,200 are the most"
  [ "$2" = index.md ] || targets index.md | grep -qxF "$2" || echo "doc/dev/$2: not reached from index.md"
  targets "$2" | while read -r file; do
    [ -e "$file" ] || echo "doc/dev/$2: there is no $file"
  done
  named "$2" | while read -r file; do
    [ -e "$1/$file" ] || echo "doc/dev/$2: there is no $file"
  done
}

# mapped ROOT: checks all pages of doc/dev, that the table of their index has each folder of the
# library, and that the page on one argument names no file twice
mapped() {
  for room in $(rooms "$1"); do
    grep -qF "| [\`$room\`](../../$room) |" "$1/doc/dev/index.md" ||
      echo "doc/dev/index.md: $room is not in the table of folders"
  done
  (root=$(cd "$1" && pwd) && cd "$1/doc/dev" && for name in *.md; do page "$root" "$name"; done)
  grep -oE '`[a-z]+/[a-z_0-9/]*\.[ch]`' "$1/doc/dev/one-argument.md" | sort | uniq -d |
    sed 's|^|doc/dev/one-argument.md: on the way twice: |'
}

# ---- the tree as it is ----

clean "rooms include only lower rooms" layers "$src"
objects=$build/libop2-internal.a.p
if [ -n "$build" ]; then
  clean "rooms call only lower rooms" upward "$src" "$objects"
else
  skip "no build to look at: who calls whom"
fi
clean "foreign headers stay in files named for them" fenced "$src"
clean "only lib/context/env_replace.c reads and changes the environment" environment "$src"
clean "only lib/base/mem.c allocates" memory "$src"
clean "the library neither exits, nor writes to stdout, nor starts a shell" manners "$src"
# wide ROOT: prints structures of the scheduler, of loops and of steps with more than 25 fields
wide() {
  text "$1" scheduler lib/op lib/step | awk -v most=25 -f "$src/test/suite/fields.awk"
}

clean "no structure of loops, steps or the scheduler has more than 25 fields" wide "$src"
# shared ROOT: prints headers that declare the functions of more than three files
shared() {
  text "$1" $library | awk -v most=3 -f "$src/test/suite/headers.awk"
}

clean "no header declares the functions of more than three files" shared "$src"
clean "every file names its licence" licensed "$src"
clean "every file opens with what it is for" introduced "$src"
clean "the build knows every source and every test" built "$src"
clean "the pages of doc/dev are right about files and folders" mapped "$src"

# ---- planted violations ----

# The tree with the first lines of each C file: what is planted is found as fast as the rest is read.
mkdir "$tmp/short"
(cd "$src" && cp -R $folders test doc meson.build "$tmp/short/" &&
  awk -v to="$tmp/short" 'FNR == 1 { close(file); file = to "/" FILENAME }
    FNR <= 8 { print > file } FNR == 8 { nextfile }' \
    $(find $folders test -name '*.[ch]'))

copy=$tmp/tree
cp -R "$tmp/short" "$copy"
planted=meson.build
# plant FILE TEXT: undoes what was planted before in that tree, and adds the text to a new or
# existing file
plant() {
  find "$copy" -name '*planted*' -exec rm -f {} +
  rm -f "$copy/$planted"
  [ ! -e "$tmp/short/$planted" ] || cp "$tmp/short/$planted" "$copy/$planted"
  planted=$1
  mkdir -p "$copy/$(dirname "$1")"
  printf '%s\n' "$2" >>"$copy/$1"
}

plant codegen/c/planted.h '/* */'
plant lib/op/planted.c '#include "planted.h"'
touch "$copy/codegen/c/planted.h"
catches "lib includes codegen" 'lib/op/planted.c:1: lib/op/ may not include' layers "$copy"
plant lib/base/planted.c '#include "mesh.h"'
catches "a room includes a higher one of its floor" 'lib/base/planted.c:1:' layers "$copy"
plant codegen/c/planted.c '#include "../../scheduler/queue/planted.h"'
touch "$copy/scheduler/queue/planted.h"
catches "codegen includes the scheduler by path" 'codegen/c/planted.c:1:' layers "$copy"
plant lib/planted.c '#include "error.h"'
catches "a file in no room" 'lib/planted.c: in no room' layers "$copy"
plant bench/planted.c '#include "mesh.h"'
catches "bench includes an internal header" 'bench/planted.c:1:' layers "$copy"
plant compat/planted.c '#include "mesh.h"'
catches "compat includes a header of the mesh" 'compat/planted.c:1:' layers "$copy"
plant include/op2/planted.h '#include <pthread.h>'
catches "a public header includes more than plain libc" 'include/op2/planted.h:1:' layers "$copy"
plant backends/jit/mesh.h '/* */'
catches "two internal headers of one name" 'mesh.h: two headers' layers "$copy"
# object ROOM TEXT: plants a file and compiles it
object() {
  printf '%s\n' "$2" >"$copy/$1/planted.c"
  ${CC:-cc} -fPIC -c "$copy/$1/planted.c" -o "$copy/$(printf %s "$1/planted.c" | tr / _).o"
}
plant lib/base/planted.c ''
object lib/op 'void op2i_planted(void); void op2i_planted(void) { }'
object lib/mesh 'void op2i_planted(void); void f(void); void f(void) { op2i_planted(); }'
catches "mesh calls op" 'lib/mesh/planted.c: op2i_planted is of lib/op/planted.c' upward "$copy" "$copy"
object lib/mesh 'extern int op2i_codegen; int f(void); int f(void) { return op2i_codegen; }'
object lib/op 'int op2i_codegen = 1; void op2i_planted(void); void op2i_planted(void) { }'
clean "tables are no violation" upward "$copy" "$copy"
object lib/mesh 'extern int op2i_planted; int f(void); int f(void) { return op2i_planted; }'
object lib/op 'int op2i_planted = 1; void f(void); void f(void) { }'
catches "mesh reads a variable of op" 'lib/mesh/planted.c: op2i_planted' upward "$copy" "$copy"
catches "no objects" 'no object' upward "$copy" "$copy/bench"
plant scheduler/queue/planted.c '  #  include <starpu.h>'
catches "starpu.h outside its fence" 'scheduler/queue/planted.c:1:' fenced "$copy"
plant backends/jit/planted.c '/* getenv("A") */ char *a = getenv("A");'
catches "getenv elsewhere" 'backends/jit/planted.c:1:' environment "$copy"
plant backends/jit/planted.c 'char **all = environ;'
catches "environ elsewhere" 'backends/jit/planted.c:1:' environment "$copy"
plant lib/base/planted.c 'void f(void *p) { free(p); }'
catches "free outside lib/base/mem.c" 'lib/base/planted.c:1:' memory "$copy"
plant lib/planted.c 'void f(void) { abort(); }'
catches "abort in the library" 'lib/planted.c:1:' manners "$copy"
plant lib/planted.c 'void f(void) { fprintf(stdout, ""); }'
catches "stdout in the library" 'lib/planted.c:1:' manners "$copy"
plant lib/planted.c '/* exit(1) */ const char *s = "abort() // exit(1)"; int my_exit(int a);'
clean "comments, strings and longer names are no violation" manners "$copy"
plant lib/op/planted.c "$(awk 'BEGIN {
  print "struct planted {\n  int first[2][3], *second;\n  void (*function)(int a, int b);"
  for (i = 3; i <= 26; i++) print "  struct { int x; } f" i ";"
  print "};" }')"
catches "a structure with 26 fields" 'lib/op/planted.c:[0-9]*: planted has 26 fields' wide "$copy"
plant lib/base/planted.h "$(awk 'BEGIN { for (i = 1; i <= 4; i++) print "void op2i_planted" i "(void);" }')"
for i in 1 2 3 4; do
  printf 'void op2i_planted%s(void) {}\n' "$i" >"$copy/lib/base/planted$i.c"
done
catches "a header of four files" 'lib/base/planted.h: functions of 4 files' shared "$copy"
rm "$copy"/lib/base/planted[0-9].c
plant lib/planted.c 'int x;'
catches "a file without licence" 'lib/planted.c: no licence' licensed "$copy"
printf '/* licence */\n#include "mesh.h"\n\nint x; /* what */\n' >"$copy/lib/planted.c"
catches "a file that does not say what it is for" 'lib/planted.c: does not' introduced "$copy"
rm "$copy/lib/planted.c"
printf 'int x;\n' >"$copy/lib/planted.c"
catches "a source the build does not know" 'lib/planted.c: not in' built "$copy"
plant test/mesh/t199-planted.c 'int x;'
catches "a test the build does not know" 'test/mesh/t199-planted.c: not in test/mesh/meson.build' built "$copy"

plant doc/dev/one-argument.md '`lib/op/parloop.c` again, and `lib/base/planted.c`'
catches "a file twice on the way" 'twice: `lib/op/parloop.c`' mapped "$copy"
catches "a page names a file that is not there" 'one-argument.md: there is no lib/base/planted.c' mapped "$copy"
plant doc/dev/queue.md 'See [this](planted.md#there), and [that](https://example.org/planted).'
catches "a page links a page that is not there" 'queue.md: there is no planted.md$' mapped "$copy"
plant doc/dev/planted.md 'A page.'
catches "a page that the index does not link" 'planted.md: not reached' mapped "$copy"
plant doc/dev/queue.md "$(awk 'BEGIN { for (i = 0; i < 1200; i++) print "word" }')"
catches "a page that is too long" 'queue.md: [0-9]* words' mapped "$copy"
plant meson.build ''
sed -i "s|^  'lib/base',|  'lib/base', 'lib/planted',|" "$copy/meson.build"
catches "a folder that is not in the table" 'lib/planted is not in the table' mapped "$copy"

done_testing
