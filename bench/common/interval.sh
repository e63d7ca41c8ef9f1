# SPDX-License-Identifier: BSD-3-Clause
# The ratio of two versions that ran in pairs. Sourced by scripts that time, not run.

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
