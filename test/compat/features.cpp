/* SPDX-License-Identifier: BSD-3-Clause */
/* Values in place, some of the values, clocks and sections, modes that OP2 takes otherwise, a template
 * as a kernel, and calls by the size of a type.
 *   features [VALUES.txt] */
#include "op_profile.h"
#include "op_seq.h"

#include <string>

#include "compat_check.h"

void read_only(const double *x, double *y) { *y = *x; }
void corners(const double **x, double **r) {
  for (int k = 0; k < 2; k++) *r[k] += x[0][0] - x[1][0];
}
void flags(const bool *f, int *n) {
  if (*f) *n += 1;
}
template <class T> void halve(T *x) { *x /= 2; }

void count_up(const int *step, int *n) { *n += *step; }

/* The file has this text. */
static bool contains(const char *name, const char *text) {
  char found[4000] = "";
  FILE *f = fopen(name, "r");
  size_t n = f ? fread(found, 1, sizeof found - 1, f) : 0;
  if (f) fclose(f);
  found[n] = '\0';
  return strstr(found, text) != NULL;
}

static void by_size(op_set set) {
  int step = 3, total = 0;
  op_dat n = op_decl_dat_temp_char(set, 1, "int", sizeof(int), "n");
  op_par_loop(count_up, "count_up", set,
              op_arg_gbl_char((char *)&step, 1, "int", sizeof(int), OP_READ),
              op_arg_dat(n, -1, OP_ID, 1, "int", OP_INC));
  std::vector<int> got(set->declared + 1);
  op_fetch_data_char(n, (char *)got.data());
  for (int i = 0; i < set->declared; i++) total += got[i];
  check(total == 3 * set->declared, "a dat and a variable by the size of their type");
  check(search_dat(set, 1, "int", 4, "n") == n && !search_dat(set, 2, "int", 4, "n"),
        "dats by their names");
  check(op_size_of_set("nodes") == op_get_size(set) && op_size_of_set("other") == -1,
        "sizes of sets by their names");
  check(compare_sets(set, n->set) == 1 && compare_sets(set, NULL) == 0, "sets are compared");
  op_free_dat_temp_char(n);
}

/* Sections: outer has been entered once, and inner twice in it. */
static void sections(op_set set, op_dat d, const char *file) {
  op_profile_start("features");
  op_profile_enter("outer");
  for (int k = 0; k < 2; k++) {
    op_profile_enter("inner \"loop\"");
    op_par_loop((halve<double>), "halve", set, op_arg_dat(d, -1, OP_ID, 1, "double", OP_RW));
    op_profile_exit();
  }
  op_profile_next("last");
  op_profile_end();
  op_profile_output();
  op_profile_output_json(file);
  op_mpi_barrier();
  bool good = contains(file, "{\"name\": \"features\", \"calls\": 1") &&
              contains(file, "{\"name\": \"outer\", \"calls\": 1") &&
              contains(file, "\"children\": [{\"name\": \"inner \\\"loop\\\"\", \"calls\": 2") &&
              contains(file, "{\"name\": \"last\", \"calls\": 1");
  check(good, "sections of the program");
  op_timing_output_2_file(file);
  op_mpi_barrier();
  check(contains(file, "loops ran at once"), "times in a file");
  op_timings_to_csv(file);
  op_mpi_barrier();
  check(contains(file, "kernel,set,calls,seconds,GB/s\n") && contains(file, "halve"),
        "times that commas separate");
  remove(file);
}

int main(int argc, char **argv) {
  const int n = 100;
  std::vector<double> x(n), y(n, 0.0);
  std::vector<int> ends;
  for (double &v : x) v = 1 + random_number();
  for (int i = 0; i < n; i++) ends.push_back(i), ends.push_back((7 * i + 3) % n);
  op_init(argc, argv, 0);
  op_set nodes = set_of(n, "nodes"), edges = set_of(n, "edges");
  op_map pedge = map_of(edges, nodes, 2, ends, "pedge");
  op_dat p_x = dat_of(nodes, 1, "double", x, "x");
  op_dat p_y = dat_of(nodes, 1, "double", y, "y");
  check(pedge->to == nodes && op_get_size(pedge->from) == n &&
            pedge->map[3] == ends[(size_t)(2 * edges->first + 3)],
        "members of maps and sets");
  op_par_loop(read_only, "read_only", nodes, op_arg_dat(p_x, -1, OP_ID, 1, "double", OP_RW),
              op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_WRITE));
  check(holds(p_y, x), "OP_RW for what is const");
  op_par_loop(corners, "corners", edges, op_arg_dat(p_x, -2, pedge, 1, "double", OP_READ),
              op_arg_dat(p_y, OP_ALL, pedge, 1, "double", OP_INC));
  y = x;
  for (int e = 0; e < n; e++) {
    const double *in[] = {&x[ends[2 * e]], &x[ends[2 * e + 1]]};
    double *out[] = {&y[ends[2 * e]], &y[ends[2 * e + 1]]};
    corners(in, out);
  }
  check(holds(p_y, y, 1e-11), "all slots of a map");

  double *values = (double *)p_y->data;
  check(close_to(values, y.data() + nodes->first, nodes->size, 1e-11), "values in place");
  for (int i = 0; i < nodes->size; i++) values[i] = (double)(nodes->first + i);
  for (int i = 0; i < n; i++) y[i] = i;
  if (n) /* without braces */
    op_par_loop((halve<double>), "halve", nodes, op_arg_dat(p_y, -1, OP_ID, 1, "double", OP_RW));
  else
    return 1;
  for (double &v : y) v /= 2;
  check(holds(p_y, y), "values that were written in place, and a template as a kernel");
  double some[3];
  op_fetch_data_idx(p_y, some, 4, 6);
  check(some[0] == 2 && some[1] == 2.5 && some[2] == 3, "some values");

  bool on[n];
  int count = 0;
  for (int i = 0; i < n; i++) on[i] = i % 3 == 0;
  op_dat p_on = op_decl_dat(nodes, 1, "bool", on + nodes->first, "on");
  op_par_loop(flags, "flags", nodes, op_arg_dat(p_on, -1, OP_ID, 1, "bool", OP_READ),
              op_arg_gbl(&count, 1, "int", OP_INC));
  check(count == 34, "bool");
  by_size(nodes);
  if (argc > 1) op_print_dat_to_txtfile(p_y, argv[1]);
  if (argc > 1) sections(nodes, p_y, (std::string(argv[1]) + ".sections").c_str());
  double cpu, start, stop;
  op_timers(&cpu, &start);
  op_timers(&cpu, &stop);
  check(stop >= start, "clocks");
  op_printf("# %s\n", p_y->name);
  op_exit();
  return checked();
}
