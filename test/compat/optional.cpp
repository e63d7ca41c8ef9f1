/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that are off in some calls: dats, directly and through a map, that are read, added to or
 * written, all slots of a map, and a variable. */
#include "op_seq.h"

#include "compat_check.h"

void react(const double *x, const double *source, const double **around, const double *rate,
           double *y, double *log) {
  double sum = *x;
  if (source) sum += *source;
  if (around != NULL) sum += 0.5 * (around[0][0] + around[1][0]);
  if (rate) sum *= *rate;
  *y = sum;
  if (log) *log = sum - *x;
}
void spread(const double *w, double *a, double *b, double *total) {
  *a += *w;
  if (b) *b -= 2 * *w;
  if (total) *total += *w;
}

static const int n = 120;
static std::vector<double> x(n), source(n), y(n, 0.0), z(n, 0.0), logs(n, 0.0);
static std::vector<int> ends;

/* The bits of `on` say which arguments are there. */
static void plain(int on, double rate, double *total) {
  for (int i = 0; i < n; i++) {
    const double *around[] = {&x[ends[2 * i]], &x[ends[2 * i + 1]]};
    react(&x[i], on & 1 ? &source[i] : NULL, on & 2 ? around : NULL, on & 4 ? &rate : NULL, &y[i],
          on & 8 ? &logs[i] : NULL);
  }
  for (int i = 0; i < n; i++)
    spread(&y[i], &z[ends[2 * i]], on & 1 ? &z[ends[2 * i + 1]] : NULL, on & 2 ? total : NULL);
}

int main(int argc, char **argv) {
  for (double &v : x) v = random_number();
  for (double &v : source) v = random_number();
  for (int i = 0; i < n; i++) ends.push_back((i + 1) % n), ends.push_back((7 * i + 3) % n);
  op_init(argc, argv, 1);
  op_set set = set_of(n, "set");
  op_map near = map_of(set, set, 2, ends, "near");
  op_dat p_x = dat_of(set, 1, "double", x, "x"), p_source = dat_of(set, 1, "double", source, "s");
  op_dat p_y = dat_of(set, 1, "double", y, "y"), p_z = dat_of(set, 1, "double", z, "z");
  op_dat p_log = dat_of(set, 1, "double", logs, "log");
  op_partition("PTSCOTCH", "KWAY", set, near, NULL);
  double total = 1, expected = 1;
  for (int on = 0; on < 16; on += on == 3 ? 4 : 1) {
    double rate = 0.5 + 0.01 * on;
    plain(on, rate, &expected);
    op_par_loop(react, "react", set, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_READ),
                op_opt_arg_dat(on & 1, p_source, -1, OP_ID, 1, "double", OP_READ),
                op_opt_arg_dat(on & 2, p_x, -2, near, 1, "double", OP_READ),
                op_opt_arg_gbl(on & 4, &rate, 1, "double", OP_READ),
                op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE),
                op_opt_arg_dat(on & 8, p_log, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(spread, "spread", set, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(p_z, 0, near, 1, "double", OP_INC),
                op_opt_arg_dat(on & 1, p_z, 1, near, 1, "double", OP_INC),
                op_opt_arg_gbl(on & 2, &total, 1, "double", OP_INC));
    char name[40];
    snprintf(name, sizeof name, "arguments %s%s%s%s", on & 1 ? "1" : "0", on & 2 ? "1" : "0",
             on & 4 ? "1" : "0", on & 8 ? "1" : "0");
    check(holds(p_y, y) && holds(p_log, logs), name);
  }
  check(holds(p_z, z), "sums with and without the second end");
  check(close_to(&total, &expected, 1, 1e-12), "a variable that is there at times");
  op_exit();
  return checked();
}
