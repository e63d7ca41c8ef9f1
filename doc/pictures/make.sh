#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The pictures of doc/laziness.md; prints the explanations that belong to them.
#   doc/pictures/make.sh [BUILD [FOLDER]]
# takes the applications of the build folder (default build) and writes into FOLDER (default that of this file). Each
# application queues three time steps or iterations and flushes once; drawn are the loops of one, taken from the middle,
# once without fusion and once with it. Call sites and states are left out. Needs Graphviz.
set -eu

usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) echo "make.sh: unknown option $1 (--help says what there is)" >&2; exit 1 ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
out=$(cd "${2:-$here}" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# part FIRST LAST <DOT: prints the loops of these numbers, with their boxes, the edges among them,
# and the legend
part() {
  awk -v first="$1" -v last="$2" '
    function kept(name) { sub(/^loop/, "", name); return name + 0 >= first && name + 0 <= last }
    /^  subgraph cluster_legend/ { legend = 1 }
    legend { print; if (/^  }/) legend = 0; next }
    / -> / { if (kept($1) && kept($3)) print; next }
    /^  subgraph/ { box = $0; next }
    box != "" && /^    label/ { box = box "\n" $0; next }
    /^  loop/ {
      if (!kept($1)) next
      if (box != "") { print box; box = ""; open = 1 }
      sub(/\\n[a-z_]*\.c:[0-9]*\\n[a-z]*"/, "\"")
    }
    /^  }/ { box = ""; if (!open) next; open = 0 }
    { print }'
}

# draw NAME FIRST LAST COMMAND...: makes NAME-before.svg and NAME-after.svg, and prints what was
# done
draw() {
  name=$1 first=$2 last=$3
  shift 3
  for fuse in 0 2; do
    when=before
    [ $fuse = 0 ] || when=after
    OP2_FUSE=$fuse OP2_GRAPH="$tmp/%d.dot" "$@" --explain "$tmp/text" >"$tmp/log" 2>&1 || {
      cat "$tmp/log" >&2
      exit 1
    }
    grep -l "loop$last " "$tmp"/*.dot | head -n 1 >"$tmp/file"
    part "$first" "$last" <"$(cat "$tmp/file")" |
      dot -Tsvg | sed '/^<!-- Generated/,/-->$/d' >"$out/$name-$when.svg"
    rm -f "$tmp"/*.dot
  done
  echo "$name"
  sed -n '/^programs:/,/^$/p' "$tmp/text"
}

draw airfoil-step 9 17 "$build/bench/airfoil/airfoil" --mesh 20x30 --iterations 3 --warmup 0 --every 0
draw cg-step 13 20 "$build/bench/cg/cg" --mesh 20x30 --iterations 3 --warmup 0 --check 0
