# SPDX-License-Identifier: BSD-3-Clause
# Pairs of runs of two versions, and the ratio of their times. Sourced by scripts that time, not run.

# in_pairs FILE N APPLICATION FORM OTHER: runs `measure APPLICATION FORM` and `measure APPLICATION OTHER`,
# which print milliseconds, N times each in turn. The file gets a row for each pair, FORM's time first.
# The order changes from pair to pair.
in_pairs() {
  times=$1 rows=$2
  shift 2
  : >"$times"
  row=0
  while [ $row -lt "$rows" ]; do
    if [ $((row % 2)) -eq 0 ]; then
      mine=$(measure "$1" "$2")
      theirs=$(measure "$1" "$3")
    else
      theirs=$(measure "$1" "$3")
      mine=$(measure "$1" "$2")
    fi
    echo "$mine $theirs" >>"$times"
    row=$((row + 1))
  done
}

# interval FILE: prints the means of two columns of times, the geometric mean of the ratios of its rows,
# and the 95 % interval of that by Student's t on the logarithms
interval() {
  awk '{ x[NR] = log($1 / $2); sum += x[NR]; mine += $1; other += $2 }
    END {
      n = NR; mean = sum / n
      for (i = 1; i <= n; i++) square += (x[i] - mean) ^ 2
      # This is the quantile of Student`s distribution, expanded around that of the normal
      # distribution.
      z = 1.959964; v = n - 1
      t = z + (z ^ 3 + z) / (4 * v) + (5 * z ^ 5 + 16 * z ^ 3 + 3 * z) / (96 * v ^ 2)
      half = t * sqrt(square / v / n)
      printf "%10.4f %10.4f %8.3f %8.3f %8.3f\n", mine / n, other / n, exp(mean),
        exp(mean - half), exp(mean + half)
    }' "$1"
}
