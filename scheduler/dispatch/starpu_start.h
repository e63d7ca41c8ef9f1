/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_STARPU_START_H
#define OP2I_STARPU_START_H

#include <stdbool.h>

#include "op2/status.h"
#include "op2/types.h"

/* How StarPU is started: in which environment, and where it keeps its files. */

/* Fails where a variable that is not set aside has a value for which StarPU would end the process,
 * or with which it would run no tasks. */
op2_status op2i_starpu_check_variables(void);

/* Where StarPU's folder goes. */
struct op2i_starpu_home {
  char path[4096];
  bool given;       /* there, and not where StarPU would put it */
  bool models_here; /* as well as what STARPU_PERF_MODEL_DIR has elsewhere, which does not serve */
};

/* Find a folder in which StarPU can make its files: it ends the process where it cannot. */
op2_status op2i_starpu_find_home(op2_context ctx, struct op2i_starpu_home *home);

/* Put an environment in place in which StarPU starts with nothing loaded that nobody has asked for, and
 * without the variables that decide what op2 decides, as the number of workers. StarPU reads it from
 * starpu_conf_init() on. One start at a time. */
op2_status op2i_starpu_set_aside(op2_context ctx, const struct op2i_starpu_home *home);
void op2i_starpu_put_back(void);

/* starpu_init() in that environment. `before_workers` is called when StarPU takes hooks and has no
 * workers yet, unless StarPU ran before. */
struct starpu_conf;
int op2i_starpu_start(struct starpu_conf *conf, void (*before_workers)(void));

#endif
