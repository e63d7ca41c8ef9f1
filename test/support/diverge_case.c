/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of public calls in which one of two ranks differs: how it is run and judged. The calls
 * are listed in diverge_mesh.c, diverge_algebra.c, diverge_files.c and diverge_petsc.c. */
#include "diverge_case.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "support.h"
#include "tap.h"

const char *const diverge_ways[DIVERGE_WAYS] = {"as usual", "left out", "made twice", "changed"};

const struct diverge_step *diverge_step_at(const struct diverge_list *const *lists, int step) {
  while (*lists && step >= (*lists)->n) step -= (*lists++)->n;
  return *lists ? &(*lists)->steps[step] : NULL;
}

int diverge_steps(const struct diverge_list *const *lists) {
  int n = 0;
  while (*lists) n += (*lists++)->n;
  return n;
}

static void destroy(struct diverge_world *w) {
  op2_loop_destroy(&w->loop);
  op2_operator_destroy(&w->op);
  op2_solver_destroy(&w->solver);
  op2_solver_destroy(&w->other);
  op2_mat_destroy(&w->mat);
  op2_sparsity_destroy(&w->sparsity);
  op2_dat *const dats[] = {&w->q, &w->b, &w->x, &w->wrapped, &w->vector[0], &w->vector[1]};
  for (size_t d = 0; d < sizeof dats / sizeof *dats; d++) op2_dat_destroy(dats[d]);
  op2_map *const maps[] = {&w->ends, &w->self, &w->partial};
  for (size_t m = 0; m < sizeof maps / sizeof *maps; m++) op2_map_destroy(maps[m]);
  op2_set *const sets[] = {&w->some,  &w->both,  &w->shared, &w->rest,
                           &w->cells, &w->edges, &w->nodes};
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) op2_set_destroy(sets[s]);
  op2_gbl_destroy(&w->sum);
  op2_gbl_destroy(&w->by);
  op2_gbl_destroy(&w->parts);
  op2_const_destroy(&w->factor);
  op2_kernel_destroy(&w->spread);
  op2_kernel_destroy(&w->scale);
  op2_kernel_destroy(&w->fill);
}

/* A call that fails for another reason is ignored, since a handle that it needs may be missing.
 * `words` is the message that the rank gets in the end, or empty. */
static void make_calls(struct diverge_world *w, const struct diverge_kind *kind,
                       char words[DIVERGE_WORDS]) {
  const struct diverge_step *step;
  words[0] = '\0';
  for (int s = 0; !*words && (step = diverge_step_at(kind->lists, s)); s++) {
    enum diverge_way way = s == kind->step && w->rank == kind->deviant ? kind->way : AS_USUAL;
    if (s == kind->step) w->differs = op2i_seconds();
    int times = way == LEFT_OUT ? 0 : way == TWICE ? 2 : 1;
    for (int t = 0; t < times && !*words; t++)
      if (step->run(w, way == CHANGED) == OP2_ERR_FATAL)
        snprintf(words, DIVERGE_WORDS, "%s", op2_error_message());
  }
  destroy(w);
  if (w->ctx && op2_finalize(&w->ctx) == OP2_ERR_FATAL && !*words)
    snprintf(words, DIVERGE_WORDS, "%s", op2_error_message());
  for (int l = 0; kind->lists[l]; l++)
    if (kind->lists[l]->end) kind->lists[l]->end(w);
}

int diverge_run(struct diverge_world *w, const struct diverge_kind *kind) {
  const struct diverge_step *step = diverge_step_at(kind->lists, kind->step);
  char words[DIVERGE_WORDS];
  make_calls(w, kind, words);
  bool good = kind->way == AS_USUAL
                  ? !*words
                  : strstr(words, "ranks differ from call ") && strstr(words, "rank 0 of 2 has") &&
                        strstr(words, "rank 1 has") && strstr(words, step->says);
  const double took = op2i_seconds() - w->differs;
  if (kind->way != AS_USUAL && took > (thorough() ? 10 : 30)) {
    diag("rank %d, %s %s: told after %.1f s", w->rank, step->name, diverge_ways[kind->way], took);
    return 1;
  }
  if (!good) diag("rank %d, %s %s: \"%s\"", w->rank, step->name, diverge_ways[kind->way], words);
  return !good;
}

bool diverge_tries(const struct diverge_kind *kind) {
  const struct diverge_step *step = diverge_step_at(kind->lists, kind->step);
  if (kind->way == step->never) return false;
  if (thorough()) return true;
  return (kind->step + (int)kind->way) % (quick() ? 23 : 13) == 0;
}

op2_options diverge_options(const struct diverge_kind *kind) {
  static const char *const names[] = {"sequential", "openmp", "starpu"};
  const char *fit[3];
  int n = 0, number = kind->step + (int)kind->way;
  for (int b = 0; b < 3; b++)
    if (!op2_backend_unavailable(names[b])) fit[n++] = names[b];
  return (op2_options){.backend = fit[number % n],
                       .threads = 1,
                       .eager = number / n % 2 ? 1 : -1,
                       .cache_dir = test_cache()};
}
