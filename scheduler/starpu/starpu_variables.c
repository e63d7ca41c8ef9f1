/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables with which StarPU would end the process, or never run a task. */
#define _GNU_SOURCE
#include "config.h"

#if OP2_HAVE_STARPU

#include <errno.h>
#include <limits.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "error.h"
#include "starpu_start.h"

/* Variables that StarPU 1.3 reads as numbers from 0 on, some of them only with certain
 * schedulers. */
static const char *const numbers[] = {"BACKOFF_MAX",
                                      "BACKOFF_MIN",
                                      "BUS_CALIBRATE",
                                      "CALIBRATE",
                                      "CALIBRATE_MINIMUM",
                                      "CATCH_SIGNALS",
                                      "DISABLE_ASYNCHRONOUS_COPY",
                                      "DISABLE_PINNING",
                                      "DISK_SWAP_SIZE",
                                      "DISPLAY_BINDINGS",
                                      "GLOBAL_ARBITER",
                                      "HISTORY_MAX_ERROR",
                                      "LIMIT_BANDWIDTH",
                                      "LIMIT_CPU_MEM",
                                      "LIMIT_CPU_NUMA_MEM",
                                      "LIMIT_MAX_SUBMITTED_TASKS",
                                      "LIMIT_MIN_SUBMITTED_TASKS",
                                      "MAX_MEMORY_USE",
                                      "MAX_WORKERSIZE",
                                      "MEMORY_STATS",
                                      "MINIMUM_AVAILABLE_MEM",
                                      "MINIMUM_CLEAN_BUFFERS",
                                      "MIN_WORKERSIZE",
                                      "NTASKS_THRESHOLD",
                                      "OPENCL_ONLY_ON_CPUS",
                                      "OPENCL_ON_CPUS",
                                      "PERF_MODEL_HOMOGENEOUS_CPU",
                                      "PREFETCH",
                                      "SCHED_GRAPH_TEST_DESCENDANTS",
                                      "SCHED_READY",
                                      "SCHED_SORTED_ABOVE",
                                      "SCHED_SORTED_BELOW",
                                      "SILENT",
                                      "SIMGRID",
                                      "SINGLE_COMBINED_WORKER",
                                      "STATS",
                                      "SYNTHESIZE_ARITY_COMBINED_WORKER",
                                      "TARGET_AVAILABLE_MEM",
                                      "TARGET_CLEAN_BUFFERS",
                                      "TASK_BREAK_ON_EXEC",
                                      "TASK_BREAK_ON_POP",
                                      "TASK_BREAK_ON_PUSH",
                                      "TASK_BREAK_ON_SCHED",
                                      "TASK_PROGRESS",
                                      "TRACE_BUFFER_SIZE",
                                      "USE_NUMA",
                                      "WATCHDOG_CRASH",
                                      "WATCHDOG_DELAY",
                                      "WORKERS_GETBIND",
                                      "WORKERS_NOBIND",
                                      "WORKER_TREE"};
/* Variables that StarPU 1.3 reads as numbers that may have a fraction. */
static const char *const fractions[] = {"EXP_LEN_THRESHOLD", "IDLE_POWER",  "SCHED_ALPHA",
                                        "SCHED_BETA",        "SCHED_GAMMA", "WATCHDOG_TIMEOUT",
                                        "WINDOW_TIME_SIZE"};
enum {
  NUMBERS = sizeof numbers / sizeof *numbers,
  FRACTIONS = sizeof fractions / sizeof *fractions
};

static op2_status check_number(const char *name, bool fraction) {
  char variable[64], *end = NULL;
  snprintf(variable, sizeof variable, "STARPU_%s", name);
  const char *text = op2i_env_raw(variable);
  if (!text) return OP2_SUCCESS;
  errno = 0;
  const double value = fraction ? (double)strtof(text, &end) : (double)strtol(text, &end, 10);
  if (!errno && !*end && value >= 0 && (fraction || value <= INT_MAX)) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_UNAVAILABLE,
                    "StarPU would end the process, since the variable %s is '%s': it takes a "
                    "number from 0 %s",
                    variable, text, fraction ? "on" : "to 2147483647");
}

/* StarPU makes the machine's name a part of file names. */
static op2_status check_machine(void) {
  char name[256] = "";
  const char *given = op2i_env_system("STARPU_HOSTNAME");
  if (!given && gethostname(name, sizeof name - 1) == 0) name[strcspn(name, ".")] = '\0';
  if (!strchr(given ? given : name, '/')) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_UNAVAILABLE,
                    "StarPU would end the process: it puts the machine's name into names of files, "
                    "and '%s' has a slash (STARPU_HOSTNAME %s)",
                    given ? given : name, given ? "says so" : "gives it another one");
}

/* The scheduler graph_test starts tasks only when the program calls starpu_do_schedule(),
 * which op2 never does. */
static op2_status check_scheduler(void) {
  static const char waits[] = "graph_test";
  const char *name = op2i_env_system("STARPU_SCHED");
  if (!name || strcmp(name, waits) != 0) return OP2_SUCCESS;
  return op2i_error(OP2_ERR_UNAVAILABLE,
                    "StarPU would run no tasks, since STARPU_SCHED is %s: that scheduler waits for "
                    "calls of starpu_do_schedule()",
                    waits);
}

op2_status op2i_starpu_check_variables(void) {
  op2_status status;
  if (starpu_is_initialized()) return OP2_SUCCESS; /* it has read them already */
  OP2I_TRY(check_machine());
  OP2I_TRY(check_scheduler());
  for (int n = 0; n < NUMBERS; n++) OP2I_TRY(check_number(numbers[n], false));
  for (int f = 0; f < FRACTIONS; f++) OP2I_TRY(check_number(fractions[f], true));
fail:
  return status;
}

#endif
