# SPDX-License-Identifier: BSD-3-Clause
# Blank the comments of C text, and the contents of string and character literals except in #include
# lines. Lines and columns stay where they were.
FNR == 1 { in_comment = 0; quote = "" }
{
  line = $0
  out = ""
  include = !in_comment && line ~ /^[ \t]*#[ \t]*include/
  n = length(line)
  for (i = 1; i <= n; i++) {
    c = substr(line, i, 1)
    two = substr(line, i, 2)
    if (in_comment) {
      out = out " "
      if (two == "*/") { in_comment = 0; out = out " "; i++ }
    } else if (quote != "") {
      if (c == "\\") { out = out "  "; i++ }
      else if (c == quote) { quote = ""; out = out c }
      else out = out " "
    } else if (two == "/*") {
      in_comment = 1; out = out "  "; i++
    } else if (two == "//") {
      break
    } else {
      if (!include && (c == "\"" || c == "'")) quote = c
      out = out c
    }
  }
  if (quote != "" && substr(line, n, 1) != "\\") quote = ""
  print (names ? FILENAME ":" FNR ":" : "") out
}
