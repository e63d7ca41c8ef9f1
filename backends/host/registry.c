/* SPDX-License-Identifier: BSD-3-Clause */
/* The backends by name. A backend that is not built is listed, too, and reports why it cannot be
 * used. */
#include "registry.h"
#include "fpenv.h"

#include <string.h>

#include "op2/context.h"

/* In order of preference; sequential is always usable. */
static const struct op2i_backend *const preferred[] = {&op2i_backend_starpu, &op2i_backend_openmp,
                                                       &op2i_backend_sequential, NULL};

#define BACKEND(name_) &op2i_backend_##name_,
static const struct op2i_backend *const all[] = {
#include "backends.def"
    NULL,
};
#undef BACKEND

#define BACKEND(name_) #name_ ", "
static const char unknown[] = "there is no backend of that name: there are "
#include "backends.def"
                              "and no others";
#undef BACKEND

const struct op2i_backend *const *op2i_backends(void) { return all; }

const struct op2i_backend *op2i_backend_find(const char *name) {
  if (!name) return NULL;
  for (int i = 0; all[i]; i++)
    if (!strcmp(all[i]->name, name)) return all[i];
  return NULL;
}

static int workers_of(const struct op2i_backend *backend, int wanted) {
  int most = backend->most_workers ? backend->most_workers() : wanted;
  return most < wanted ? most : wanted;
}

const struct op2i_backend *op2i_backend_default(int workers,
                                                const struct op2i_backend **passed_over) {
  const struct op2i_backend *first = NULL, *best = NULL;
  for (int i = 0; preferred[i]; i++) {
    if (preferred[i]->unavailable()) continue;
    if (!first) first = preferred[i];
    if (!best || workers_of(preferred[i], workers) > workers_of(best, workers)) best = preferred[i];
  }
  *passed_over = best == first ? NULL : first;
  return best;
}

const struct op2i_backend *op2i_backend_after(const struct op2i_backend *backend) {
  int i = 0;
  while (preferred[i] && preferred[i] != backend) i++;
  if (preferred[i]) i++;
  while (preferred[i] && preferred[i]->unavailable()) i++;
  return preferred[i];
}

const char *op2_backend_unavailable(const char *name) {
  OP2I_FP_DEFAULT;
  if (!name) return "no backend was named";
  const struct op2i_backend *backend = op2i_backend_find(name);
  return backend ? backend->unavailable() : unknown;
}
