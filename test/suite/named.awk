# SPDX-License-Identifier: BSD-3-Clause
# Which sources no list of the build names. Reads the paths of sources below FOLDER. LISTS has the
# paths of the files meson.build there. A source is named, with or without its suffix, by its path in
# the meson.build of FOLDER or by its name in that of its own folder.
BEGIN {
  folder = ENVIRON["FOLDER"]
  n = split(ENVIRON["LISTS"], lists, "\n")
  for (i = 1; i <= n; i++)
    while ((getline line < lists[i]) > 0) collect(lists[i], line)
}

function collect(list, line) {
  while (match(line, /'[^']*'/)) {
    named[list, substr(line, RSTART + 1, RLENGTH - 2)] = 1
    line = substr(line, RSTART + RLENGTH)
  }
}

function known(list, name, stem) {
  stem = name
  sub(/\.[^.\/]*$/, "", stem)
  return (list, name) in named || (list, stem) in named
}

{
  name = base = list = $0
  name = substr(name, length(folder) + 2)
  sub(/.*\//, "", base)
  sub(/[^\/]*$/, "meson.build", list)
  if (folder != "test") list = folder "/meson.build"
  if (!known(folder "/meson.build", name) && !known(list, base)) print $0 ": not in " list
}
