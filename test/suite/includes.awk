# SPDX-License-Identifier: BSD-3-Clause
# Which files include what they may not. Reads lines "room FOLDER" from the lowest layer to the
# highest, "file PATH" for each source, and "include FILE LINE KIND HEADER", where the kind is < or ".
# LIBRARY has the names of the library's folders.
BEGIN {
  n = split(ENVIRON["LIBRARY"], names, " ")
  for (i = 1; i <= n; i++) library[names[i]] = 1
  may["stdbool.h"] = may["stddef.h"] = may["stdint.h"] = may["stdio.h"] = 1
}

# Return the part of a path before its last slash, or after it.
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function name_of(path) { sub(/.*\//, "", path); return path }

# Return the part before the first slash.
function top(path) { sub(/\/.*/, "", path); return path }

$1 == "room" { height[$2] = ++rooms; room[rooms] = $2 }

$1 == "file" {
  file[$2] = 1
  if (!(top($2) in library)) next
  if (!(folder_of($2) in height)) print $2 ": in no room of meson.build"
  # Quoted names are looked up in all library folders, so two headers of the same name would be
  # ambiguous.
  if ($2 ~ /\.h$/ && ++headers[name_of($2)] == 2) print name_of($2) ": two headers of this name"
}

# Return what is wrong with a header in angle brackets.
function outside(from, header, base) {
  base = name_of(from)
  if (top(from) != "include" || header in may) return ""
  # OP2's headers include these, and its programs rely on that
  if (folder_of(from) == "include/op2-compat") return ""
  # each of these has the header that it is for
  if (base == "mpi.h" && header == "mpi.h" || base == "petsc.h" && header == "petscksp.h") return ""
  return "a public header may not need <" header ">"
}

# Return what is wrong with a quoted header.
function quoted(from, header, i) {
  if (header ~ /\.\./) return "\"" header "\" climbs out of its folder"
  if (folder_of(from) == "include/op2-compat" && (folder_of(from) "/" header) in file) return ""
  if (top(from) == "compat") {
    if (("compat/" header) in file || ("include/op2-compat/" header) in file) return ""
    if (("lib/base/" header) in file || ("codegen/c/" header) in file) return ""
    return "compat/ may not include \"" header "\""
  }
  if (top(from) == "bench") {
    if ((folder_of(from) "/" header) in file || ("bench/" header) in file) return ""
    return "bench/ may not include \"" header "\""
  }
  for (i = 1; i <= rooms; i++) {
    if ((room[i] "/" header) in file) return ""
    if (room[i] == folder_of(from)) break
  }
  return folder_of(from) "/ may not include \"" header "\""
}

$1 == "include" {
  from = $2
  header = $5
  why = ""
  if (header == "op2.h" || header ~ /^op2\//) {
    if (!(("include/" header) in file)) why = "no such header: " header
  } else if ($4 == "\"" && header == "config.h") {
    if (!(top(from) in library)) why = "config.h is the library's own"
  } else
    why = $4 == "<" ? outside(from, header) : quoted(from, header)
  if (why) print from ":" $3 ": " why
}
