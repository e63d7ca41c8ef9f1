/* SPDX-License-Identifier: BSD-3-Clause */
#include "application.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "ranks.h"

static int main_of_rank(int argc, char **argv, options *o, mesh *m, application_run *run) {
  const int status = options_parse(argc, argv, PROGRAM_OP2, o);
  if (status >= 0) return status;
  bench_error error;
  run_times times = {0};
  const double begin = clock_now();
  if (options_mesh(o, m, &error)) {
    fprintf(stderr, "%s: %s\n", report_name, error.text);
    return EXIT_FAILURE;
  }
  times.mesh = clock_now() - begin;
  const bool good = run(o, m, &times);
  mesh_free(m);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int application_main(int argc, char **argv, options *o, mesh *m, application_run *run) {
  if (!ranks_begin(&argc, &argv)) return EXIT_FAILURE;
  return ranks_end(main_of_rank(argc, argv, o, m, run));
}
