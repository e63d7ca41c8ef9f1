#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tables of doc/scaling.md: what airfoil's ranks have and send, what the model says of it, and their ratio.
#   bench/scaling.sh [--tables "tiles parts"] [--ranks "2 8 16 64"] [--meshes "100x150 200x300"]
#                   [--mpi openmpi|mpich] [--build DIR]
#   bench/scaling.sh --times [--rounds N] [--meshes M] [--mpi M] [--build DIR]
#   bench/scaling.sh --far NANOSECONDS
# tiles: a rectangle of 128x128 nodes cut by coordinates, counts by formula; ranks are powers of two up to 64.
# parts: airfoil's meshes cut k-way, where sizes of halos are fitted, and what travels follows from them.
# --times measures time steps on 1 to 4 ranks of one worker each, N rounds in turn (default 5), of which the least count,
# and fits the model to them; the machine has to be quiet. --far prints the model's time of a step on more ranks than
# there are here, with so many nanoseconds for what a core does of a cell in a step while all cores are busy.
# Counts that are off by more than 5 %, and times by more than 20 %, make the exit status 1. The build folder (default
# build) has to be there. The status is 77, with a reason, where there is no MPI.
set -eu

say() { echo "scaling: $*" >&2; }
die() { say "$*"; exit 2; }
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
edge=0.28 # the cost of an edge in units of the cost of a cell with two edges and all loops
tables="tiles parts" ranks="2 8 16 64" meshes="100x150 200x300" rounds=5 mpi=openmpi far=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --times) tables=times; shift; continue ;;
    --tables | --ranks | --meshes | --rounds | --mpi | --build | --far) ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  [ $# -gt 1 ] && [ -n "$2" ] || die "a value is missing after $1"
  case $1 in
    --tables) tables=$2 ;;
    --ranks) ranks=$2 ;;
    --meshes) meshes=$2 ;;
    --rounds) rounds=$2 ;;
    --mpi) mpi=$2 ;;
    --build) build=$2 ;;
    --far) tables=far far=$2 ;;
  esac
  shift 2
done
for number in $ranks "$rounds"; do
  case $number in
    '' | 0 | *[!0-9]*) die "not a positive number: $number" ;;
  esac
done
airfoil=$build/bench/airfoil/airfoil
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# run RANKS OPTION...: writes airfoil's output to $work/out
run() {
  n=$1
  shift
  status=0
  OMP_WAIT_POLICY=passive sh "$root/test/mpirun.sh" "$mpi" 300 "$n" "$airfoil" --every 0 "$@" \
    >"$work/out" 2>"$work/why" || status=$?
  [ $status -eq 0 ] && return
  cat "$work/why" >&2
  [ $status -eq 77 ] && exit 77
  die "airfoil on $n ranks: status $status"
}

# ---- counts ----

# rectangle NX NY: prints a mesh of NX x NY nodes in the format of new_grid.dat; edges are in the
# order of the cells whose upper or right sides they are
rectangle() {
  awk -v nx="$1" -v ny="$2" 'BEGIN {
    mx = nx - 1; my = ny - 1
    print nx * ny, mx * my, mx * (my - 1) + (mx - 1) * my, 2 * (mx + my)
    for (j = 0; j < ny; j++) for (i = 0; i < nx; i++) print i, j
    for (j = 0; j < my; j++)
      for (i = 0; i < mx; i++) { n = i + j * nx; print n, n + 1, n + 1 + nx, n + nx }
    for (j = 0; j < my; j++)
      for (i = 0; i < mx; i++) {
        n = i + j * nx; c = i + j * mx
        if (j < my - 1) print n + nx, n + nx + 1, c, c + mx
        if (i < mx - 1) print n + 1, n + 1 + nx, c + 1, c
      }
    for (i = 0; i < mx; i++) print i + 1, i, i, 2
    for (j = 0; j < my; j++) print mx + (j + 1) * nx, mx + j * nx, mx - 1 + j * mx, 2
    for (i = 0; i < mx; i++) print i + my * nx, i + 1 + my * nx, i + (my - 1) * mx, 2
    for (j = 0; j < my; j++) print j * nx, (j + 1) * nx, j * mx, 2
  }'
}

# These are the models of doc/scaling.md, which explains the letters. Figures are sums over all
# ranks, except those of the rank that has most.
models='
  function tiles(N, p,   px, py, S, K, X, V) {
    for (px = py = 1; px * py < p;) if (px <= py) px *= 2; else py *= 2
    K = (px - 1) * (py - 1)
    S = (px + py - 2) * (N - 1) - 2 * K
    X = (px + py - 2) * (N - 2)
    model("nodes_nonexec", 2 * N * (px + py - 2) + 4 * K, "exact")
    model("cells_exec", S + 3 * K, "exact")
    model("cells_nonexec", S + 2 * K, "exact")
    model("edges_exec", S + X + 2 * K, "exact")
    model("bedges_exec", 2 * (px + py - 2), "exact")
    V = (px - 1) * (N - 2) * 0.926 + (py - 1) * (N - 2) * 0.749
    model("rows_cut", (S + K) + X + 2 * (px + py - 2) + S + V, "mean")
    model("elements_most", 4 * N * N / p, "nearly")
    model("neighbours", 2 * (px * (py - 1) + py * (px - 1)) + 1.75 * K, "mean")
    travels(2 * S + 5 * K, 2 * (px * (py - 1) + py * (px - 1)) + 1.75 * K, "exact", "mean")
  }
  function parts(n, p,   H) {
    H = sum["cells_exec"] + sum["cells_nonexec"]
    sum["cells_halo"] = H
    if (p >= 8) {
      model("cells_halo", 4.48 * sqrt(n) * (sqrt(p) - 1), "fitted")
      model("edges_exec", 0.99 * H, "fitted")
      model("nodes_nonexec", 1.42 * H, "fitted")
      model("rows_cut", 1.98 * H, "fitted")
      if (p >= 16) model("neighbours", 6 * p - 6.3 * sqrt(p), "fitted")
    }
    travels(H, sum["neighbours"], "exact", "exact")
  }
  # There are two stages; before each of them all halo cells get q and adt, in one message per
  # neighbour.
  function travels(H, neighbours, how, how_many) {
    model("exchanges", p > 1 ? 2 * p : 0, "exact")
    model("messages", 2 * neighbours, how_many)
    model("bytes", 2 * (4 + 1) * 8 * H, how)
  }'

# compare TITLE CALL: prints the counts in $work/out beside those of the model CALL
bad=0
compare() {
  echo
  echo "$1"
  awk -v p="$3" "$models"'
    function model(name, value, how,   ratio, off) {
      ratio = sum[name] == value ? 1 : value > 0 ? sum[name] / value : 2
      off = ratio < 0.95 || ratio > 1.05
      bad = bad || off
      printf "  %-16s %10d %12.1f %8.3f  %s%s\n", name, sum[name], value, ratio, how,
        off ? "  more than 5 % off" : ""
    }
    $1 == "count" { sum[$2] = $3; sum[$2 "_most"] = $4; any = 1 }
    END {
      printf "  %-16s %10s %12s %8s\n", "", "measured", "model", "ratio"
      if (any) '"$2"'
      exit bad || !any
    }' "$work/out" || bad=1
}

counted="--iterations 3 --warmup 2 --backend sequential --counts"

table_tiles() {
  nodes=128
  for p in $ranks; do
    case $p in
      1 | 2 | 4 | 8 | 16 | 32 | 64) ;;
      *) die "tiles are for 1, 2, 4, 8, 16, 32 or 64 ranks, not $p" ;;
    esac
  done
  rectangle $nodes $nodes >"$work/rectangle.dat"
  for p in $ranks; do
    run "$p" --mesh "$work/rectangle.dat" --partition coordinates $counted
    compare "tiles: $nodes x $nodes nodes, $p ranks" "tiles($nodes, p)" "$p"
  done
}

table_parts() {
  for mesh in $meshes; do
    for p in $ranks; do
      run "$p" --mesh $mesh --partition kway $counted
      compare "parts: mesh $mesh, k-way, $p ranks" 'parts(sum["cells_owned"], p)' "$p"
    done
  done
}

# ---- times ----

# measure MESH RANKS ITERATIONS: prints a line per run: mesh, ranks, cells, edges of exec halos,
# milliseconds
measure() {
  run "$2" --mesh "$1" --partition coordinates --iterations "$3" --warmup 20 --backend starpu --threads 1 --counts
  awk -v mesh="$1" -v p="$2" '
    $1 == "count" { sum[$2] = $3 }
    $1 == "time_per_iteration_ms" { print mesh, p, sum["cells_owned"], sum["edges_exec"], $2 }' "$work/out"
}

# Fit the milliseconds of a step: `load` is the number of cells on a core, with the cost of its exec
# halos, and `shared` the number of ranks on a core. A single rank has a core at its full speed and
# does not wait.
table_times() {
  cores=$(nproc)
  : >"$work/times"
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    say "round $round of $rounds"
    for p in 1 2 3 4; do
      for mesh in $meshes; do measure "$mesh" $p 100 >>"$work/times"; done
    done
  done
  grep -m 1 'model name' /proc/cpuinfo 2>/dev/null || true
  awk -v cores="$cores" -v edge=$edge '
    !(($1, $2) in least) { order[n++] = $1 SUBSEP $2 }
    !(($1, $2) in least) || $5 < least[$1, $2] { least[$1, $2] = $5 }
    { cells[$1, $2] = $3 + edge * $4 }
    END {
      for (i = 0; i < n; i++) {
        split(order[i], of, SUBSEP)
        p = of[2]
        shared = int((p + cores - 1) / cores)
        load = cells[order[i]] / p * shared
        if (!(of[1] in number)) { number[of[1]] = nmeshes + 0; mesh[nmeshes++] = of[1] }
        load_of[i] = load
        column[i] = number[of[1]]
        busy_of[i] = p > 1 && cores > 1 ? load : 0
        call_of[i] = p > 1 ? shared : 0
        y[i] = least[order[i]]
      }
      m = nmeshes + 2
      for (i = 0; i < n; i++) { # least squares of relative errors
        x[i, column[i]] = load_of[i]
        x[i, nmeshes] = busy_of[i]
        x[i, nmeshes + 1] = call_of[i]
        for (a = 0; a < m; a++) {
          for (b = 0; b < m; b++) A[a, b] += x[i, a] * x[i, b] / y[i] ^ 2
          A[a, m] += x[i, a] / y[i]
        }
      }
      for (a = 0; a < m; a++)
        for (b = 0; b < m; b++) {
          if (b == a || !A[a, a]) continue
          f = A[b, a] / A[a, a]
          for (k = 0; k <= m; k++) A[b, k] -= f * A[a, k]
        }
      for (a = 0; a < m; a++) t[a] = A[a, a] ? A[a, m] / A[a, a] : 0
      printf "\ntimes: %d cores; ns for a cell on one:", cores
      for (a = 0; a < nmeshes; a++) printf " %.1f (%s)", 1e6 * t[a], mesh[a]
      printf "; %.1f more with more busy; %.0f us for each rank on a core\n", 1e6 * t[nmeshes], 1e3 * t[m - 1]
      printf "  %-10s %6s %12s %12s %8s\n", "mesh", "ranks", "measured ms", "model ms", "ratio"
      for (i = 0; i < n; i++) {
        split(order[i], of, SUBSEP)
        model = 0
        for (a = 0; a < m; a++) model += t[a] * x[i, a]
        off = y[i] < 0.8 * model || y[i] > 1.2 * model
        bad = bad || off
        printf "  %-10s %6d %12.3f %12.3f %8.3f%s\n", of[1], of[2], y[i], model, y[i] / model,
          off ? "  more than 20 % off" : ""
      }
      exit bad
    }' "$work/times" || bad=1
}

# Predict times for a link of 2 us and 10 GB/s; 0.5 us to start or receive a message; packing and
# unpacking at 5 GB/s. The rank is one in the middle of the domain: parts are k-way, the largest of
# them 1.05 times the mean, with 1.3 times the mean halo.
table_far() {
  awk -v cell="$far" -v edge=$edge 'BEGIN {
    printf "far: %s ns for a cell\n", cell
    printf "%12s %7s %10s %9s %9s %9s %9s %9s %9s %6s\n", "cells", "ranks", "per rank", "cells us", "again us", "sent KB",
      "handle us", "exposed", "trees us", "eff %"
    for (n = 1e6; n <= 1e9; n *= 10)
      for (p = 100; p <= 10000; p *= 10) {
        own = n / p
        if (own < 100 || own > 1e6) continue
        halo = 1.3 * 4.48 * sqrt(own)
        work = 1.05 * own * cell * 1e-3
        again = edge * 0.99 * halo * cell * 1e-3
        bytes = 80 * halo
        handle = 2 * 6 * 2 * 0.5 + 2 * bytes / 5e3
        travel = 2 * (2 + bytes / 2 / 1e4)
        core = work * (own > halo ? 1 - halo / own : 0)
        exposed = travel > core ? travel - core : 0
        for (hops = 0; 2 ^ hops < p;) hops++
        trees = 4 / 17 * 2 * hops * (2 + 2 * 0.5) # 17 steps have 34 results, 16 in a message; one tree is for failures
        printf "%12d %7d %10d %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %6.1f\n", n, p, own, work, again, bytes / 1e3, handle,
          exposed, trees, 100 * own * cell * 1e-3 / (work + again + handle + exposed + trees)
      }
  }'
}

for table in $tables; do
  case $table in
    tiles | parts | times | far) table_"$table" ;;
    *) die "there is no table $table (tiles, parts)" ;;
  esac
done
exit $bad
