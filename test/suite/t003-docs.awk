# SPDX-License-Identifier: BSD-3-Clause
# Print each public function of a header whose documentation lacks a tag, as "file:line: name: lacks
# @tag".

function lacks(tag) { print FILENAME ":" start ": " name ": lacks " tag }

# True if a parameter, or a result's type, is an array: it has an extent, is untyped memory, or
# points to constant numbers, arguments or handles. A pointer to one number or handle that may be
# written is an output.
function is_array(text) {
  if (text ~ /\[/ || text ~ /void *\*/) return 1
  return text ~ /const +(int|float|double|size_t|u?int[0-9]+_t|op2_(arg|set|map|dat|gbl|mat)) *\*/
}

function check(text, doc,    head, tail, n, i, part, arrays) {
  head = text
  sub(/\(.*/, "", head)
  tail = substr(text, length(head) + 2)
  name = head
  sub(/[ \t]+$/, "", name)
  sub(/.*[ *]/, "", name)
  total++
  if (doc == "") { lacks("a documentation comment"); return }
  n = split("@brief @memory @sync @mpi @errors @source", part, " ")
  for (i = 1; i <= n; i++) if (index(doc, part[i] " ") == 0) lacks(part[i])
  # Closing a scope takes the pointer that opening it returned, and which is documented there.
  if (name ~ /_end$/) return
  arrays = is_array(substr(head, 1, length(head) - length(name)))
  n = split(tail, part, ",")
  for (i = 1; i <= n; i++) if (is_array(part[i])) arrays = 1
  if (arrays && index(doc, "@shape ") == 0) lacks("@shape")
  if (arrays && index(doc, "@units ") == 0) lacks("@units")
}

FNR == 1 { doc = ""; in_doc = 0; declaration = "" }
!in_doc && declaration == "" && /^[ \t]*\/\*\*/ { in_doc = 1; doc = "" }
in_doc {
  doc = doc " " $0 " "
  if ($0 ~ /\*\//) in_doc = 0
  next
}
declaration == "" && /^OP2_API/ { start = FNR; declaration = " " }
declaration != "" {
  declaration = declaration " " $0
  if ($0 ~ /;/) { check(declaration, doc); declaration = ""; doc = "" }
  next
}
{ doc = "" }
END { if (total == 0) print "no public function found" }
