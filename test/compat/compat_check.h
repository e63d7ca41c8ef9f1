/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the programs of this folder, which compare loops with the same kernels called one
 * element after the other. */
#ifndef COMPAT_CHECK_H
#define COMPAT_CHECK_H

#include <math.h>
#include <stdio.h>
#include <vector>

/* Declared here, since op2.h is not found when the library reads a program without its options. */
extern "C" int op2_ranks(void *context);

static int checks, failures;
static bool root = true;

/* A check of all ranks, which the first one prints. */
static inline void check(bool good, const char *name) {
  good = !op2_compat_any(!good);
  root = op_is_root();
  checks++;
  failures += !good;
  if (root) printf("%sok %d - %s\n", good ? "" : "not ", checks, name);
}

/* Declarations of the whole mesh, of which each rank gives its block. */
static inline op_set set_of(int n, const char *name) {
  int rank, ranks = op2_ranks(op2_compat_context());
  op_rank(&rank);
  return op_decl_set(n * (rank + 1) / ranks - n * rank / ranks, name);
}
static inline op_map map_of(op_set from, op_set to, int dim, std::vector<int> &ends,
                            const char *name) {
  return op_decl_map(from, to, dim, ends.data() + from->first * dim, name);
}
template <class T>
op_dat dat_of(op_set set, int dim, const char *type, std::vector<T> &values, const char *name) {
  return op_decl_dat(set, dim, type, values.data() + set->first * dim, name);
}

/* The largest difference is at most `most` of the largest value. */
template <class T> bool close_to(const T *a, const T *b, size_t n, double most) {
  double scale = 0, worst = 0;
  for (size_t i = 0; i < n; i++) {
    if (a[i] != a[i] || b[i] != b[i]) return false;
    scale = fmax(scale, fabs((double)b[i]));
    worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
  }
  if (worst > most * scale) printf("# %g of %g\n", worst, scale);
  return worst <= most * scale;
}

/* A dat has the values of an array, of which each rank looks at the block that it declared. */
template <class T> bool holds(op_dat dat, const std::vector<T> &values, double most = 1e-12) {
  size_t n = (size_t)dat->set->declared * (size_t)dat->dim;
  std::vector<T> got(n);
  op_fetch_data(dat, got.data());
  return close_to(got.data(), values.data() + dat->set->first * dat->dim, n, most);
}

static inline int checked() {
  if (root) printf("1..%d\n", checks);
  return failures != 0;
}

/* Numbers in [0, 1) that are the same everywhere. */
static inline double random_number() {
  static unsigned long long state = 88172645463325252ull;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

#endif
