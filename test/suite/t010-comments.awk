# SPDX-License-Identifier: BSD-3-Clause
# Print comments outside of functions that begin like a fragment: with a conjunction or a pronoun, or
# with a preposition and no finite verb follows but in a relative clause.
BEGIN {
  split("That Those And Who What", words, " ")
  for (w in words) opens[words[w]] = "never"
  split("Of To With From", words, " ")
  for (w in words) opens[words[w]] = "with a verb"
  split("that which who what whose where", words, " ")
  for (w in words) relative[words[w]] = 1
  split("is are was were has have had does do did can cannot may must will would should could " \
    "begins belongs breaks builds calls carries changes checks comes compares computes contains " \
    "copies costs counts decides depends describes differs ends fails finds follows frees gets " \
    "gives goes holds keeps knows leads lets lies limits lists loads makes marks matters means " \
    "moves names needs owns points prints puts queues reads receives refers removes reports " \
    "returns runs says sees sends sets shares sits skips stands starts stays stops stores takes " \
    "tells tests tries uses waits wins works writes exist exists compare make", words, " ")
  for (w in words) verbs[words[w]] = 1
}

FNR == 1 { inside = depth = body = 0; comment = code = "" }

# Judge a comment that has ended.
function judge(text, line,   n, i, word, parts) {
  gsub(/[*\/ \t-]+/, " ", text)
  n = split(text, parts, " ")
  if (body || !(parts[1] in opens)) return
  for (i = 2; i <= n && opens[parts[1]] != "never"; i++) {
    word = parts[i]
    gsub(/[^A-Za-z]/, "", word)
    if (word in verbs) return
    if (word in relative || parts[i] ~ /[.;:]$/) break
  }
  printf "%s:%d: no sentence: %s\n", FILENAME, line, substr(text, 1, 80)
}

# Braces of structs, unions, enums and initializers contain declarations; any other braces are those
# of a function's body.
function brace(c) {
  if (c == "{") {
    if (!body && code !~ /(struct|union|enum)[^()]*$|=[ \t]*$|extern/) body = depth + 1
    depth++
  } else {
    if (body == depth) body = 0
    depth--
  }
  code = ""
}

{
  rest = $0
  while (rest != "") {
    if (inside) {
      at = index(rest, "*/")
      comment = comment " " (at ? substr(rest, 1, at - 1) : rest)
      rest = at ? substr(rest, at + 2) : ""
      if (at) { inside = 0; judge(comment, began) }
    } else if (match(rest, /\/\*|["'{};]/)) {
      code = code substr(rest, 1, RSTART - 1)
      c = substr(rest, RSTART, 1)
      rest = substr(rest, RSTART + RLENGTH)
      if (c == "/") { inside = 1; comment = ""; began = FNR }
      else if (c == ";") code = ""
      else if (c == "{" || c == "}") brace(c)
      else
        while (rest != "") {
          q = substr(rest, 1, 1)
          rest = substr(rest, q == "\\" ? 3 : 2)
          if (q == c) break
        }
    } else { code = code rest " "; rest = "" }
  }
}
