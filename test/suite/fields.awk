# SPDX-License-Identifier: BSD-3-Clause
# Count the fields of structures in C text without comments (test/support/code.awk, names=1: lines
# "file:line:code"). Prints "file:line: structure has N fields" for those with more than `most`.
# Pointers to functions do not count: a table of functions has as many as it needs.
{
  match($0, /^[^:]*:[0-9]*:/)
  where = substr($0, 1, RLENGTH)
  line = substr($0, RLENGTH + 1)
}
line ~ /^(typedef )?struct [A-Za-z0-9_]* *\{ *$/ {
  sub(/^typedef /, "", line)
  split(line, word, " ")
  name = word[2]
  begin = where
  fields = nested = 0
  function_pointer = 0
  inside = 1
  next
}
inside && line ~ /^\}/ {
  if (fields > most) print begin " " name " has " fields " fields"
  inside = 0
}
inside {
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (substr(line, i, 2) == "(*") function_pointer = 1
    if (c ~ /[([{]/) nested++
    else if (c ~ /[])}]/) nested--
    else if (!nested && c ~ /[,;]/) {
      if (!function_pointer) fields++
      if (c == ";") function_pointer = 0
    }
  }
}
