/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STARPU_START_H
#define OP2I_STARPU_START_H

#include <stdbool.h>

#include "op2/status.h"
#include "op2/types.h"

/* StarPU's start: its environment, and the folder where it keeps its files. */

/* Fail if a variable that is not set aside has a value for which StarPU would end the process, or
 * with which it would run no tasks. */
op2_status op2i_starpu_check_variables(void);

/* The place of StarPU's folder. */
struct op2i_starpu_home {
  char path[4096];
  bool given; /* true if `path` is used, since StarPU's usual place does not serve */
  /* true if models are kept there too, since the folder that STARPU_PERF_MODEL_DIR names,
   * if any, cannot be used */
  bool models_here;
};

/* Find a folder in which StarPU can make its files, since it ends the process if it cannot. */
op2_status op2i_starpu_find_home(op2_context ctx, struct op2i_starpu_home *home);

/* Set up an environment in which StarPU loads nothing that is not needed, without the variables for
 * what op2 itself decides, such as the number of workers. StarPU reads it from starpu_conf_init()
 * on. Starts must be serialised. */
op2_status op2i_starpu_set_aside(op2_context ctx, const struct op2i_starpu_home *home);
void op2i_starpu_put_back(void);

/* Call starpu_init() in that environment. `before_workers` is called when StarPU accepts hooks and
 * has no workers yet, unless StarPU ran before. */
struct starpu_conf;
int op2i_starpu_start(struct starpu_conf *conf, void (*before_workers)(void));

#endif
