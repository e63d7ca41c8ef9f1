# SPDX-License-Identifier: BSD-3-Clause
# Blank the comments of C text, and the contents of string and character literals except in #include
# lines. Lines and columns stay where they were.
function blanks(count) {
  while (length(room) < count) room = room room "        "
  return substr(room, 1, count)
}
# Move the first `count` characters of the line to the output, as blanks if `blank`.
function pass(count, blank) {
  out = out (blank ? blanks(count) : substr(line, 1, count))
  line = substr(line, count + 1)
}
FNR == 1 { in_comment = 0; quote = "" }
{
  line = $0
  out = ""
  include = !in_comment && line ~ /^[ \t]*#[ \t]*include/
  continued = line ~ /\\$/
  while (line != "") {
    if (in_comment) {
      at = index(line, "*/")
      in_comment = !at
      pass(at ? at + 1 : length(line), 1)
    } else if (quote != "") {
      at = match(line, quote == "\"" ? "[\\\\\"]" : "[\\\\']")
      pass(at ? at - 1 : length(line), 1)
      if (!at) break
      if (substr(line, 1, 1) != quote) { pass(2, 1); continue }
      pass(1, 0)
      quote = ""
    } else {
      at = match(line, "/[*/]|[\"']")
      pass(at ? at - 1 : length(line), 0)
      if (!at || substr(line, 1, 2) == "//") break
      in_comment = substr(line, 1, 2) == "/*"
      if (!in_comment && !include) quote = substr(line, 1, 1)
      pass(in_comment ? 2 : 1, in_comment)
    }
  }
  if (!continued) quote = ""
  print (names ? FILENAME ":" FNR ":" : "") out
}
