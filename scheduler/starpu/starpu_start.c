/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting StarPU without loading what is not needed. StarPU has hwloc look for devices on all
 * buses, by way of every library for them, and asks the OpenCL loader itself for platforms,
 * whatever number of devices it is told to use (1.3: when it reads its measurements of buses). The
 * loader then loads all that is installed: with PoCL that includes LLVM, which takes longer than
 * all other parts of the start and gives the calling thread a signal stack of its own. The workers
 * here are cores. So StarPU starts in an environment of its own. */
#define _GNU_SOURCE
#include "config.h"

#if OP2_HAVE_STARPU

#include <link.h>
#include <starpu.h>
#include <string.h>

#include "context.h"
#include "error.h"
#include "log.h"
#include "process.h"
#include "starpu_start.h"

/* ---- users of OpenCL in the process ---------------------------------------------------------- */

enum { NAME = 4096 };

/* The dynamic loader synchronises by its own locks, which thread sanitizers do not know. */
__attribute__((no_sanitize("thread"))) static const char *copy(char to[NAME], const char *from) {
  size_t length = 0;
  for (; length < NAME - 1 && from[length]; length++) to[length] = from[length];
  to[length] = '\0';
  return to;
}

static const void *dynamic(const struct dl_phdr_info *object, const ElfW(Dyn) * entry,
                           ElfW(Sxword) tag) {
  for (; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag) {
      ElfW(Addr) at = entry->d_un.d_ptr;
      return (const void *)(at < object->dlpi_addr ? at + object->dlpi_addr : at);
    }
  return NULL;
}

static bool needs_opencl(const struct dl_phdr_info *object, const ElfW(Dyn) * entry) {
  char name[NAME];
  const char *strings = dynamic(object, entry, DT_STRTAB);
  for (; strings && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_NEEDED &&
        !strncmp(copy(name, strings + entry->d_un.d_val), "libOpenCL.", 10))
      return true;
  return false;
}

static int uses_opencl(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  char name[NAME];
  copy(name, object->dlpi_name);
  if (strstr(name, "libstarpu") || strstr(name, "hwloc")) return false;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return needs_opencl(object, (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr));
  return false;
}

/* True if anything in the process but StarPU and hwloc is linked with OpenCL. The loader
 * looks for platforms once in a process, so code that asks after StarPU would get the
 * answer that StarPU got. */
static bool opencl_is_used(void) { return op2i_process_objects(uses_opencl, NULL); }

/* ---- the scheduler --------------------------------------------------------------------------- */

/* Between the moment at which StarPU accepts hooks and the start of its workers it calls no
 * function of ours except the scheduling policy's. So it gets a copy of one of its own policies
 * with another initialisation. */
static struct starpu_sched_policy policy;
static void (*init_policy)(unsigned);
static void (*prepare)(void);

static void init_sched(unsigned sched_ctx) {
  void (*call)(void) = prepare;
  prepare = NULL;
  init_policy(sched_ctx);
  if (call) call();
}

/* Copy the policy that STARPU_SCHED names. By default it is the one in which workers steal
 * from each other. False if StarPU has no policy of that name: then it may be one of the
 * program's own. */
static bool copy_policy(void) {
  const char *name = op2i_env_system("STARPU_SCHED");
  struct starpu_sched_policy *const *at = starpu_sched_get_predefined_policies();
  while (*at && strcmp((*at)->policy_name, name ? name : "lws")) at++;
  init_policy = NULL;
  if (!*at) return false;
  policy = **at;
  init_policy = policy.init_sched;
  policy.init_sched = init_sched;
  return true;
}

/* ---- the environment ------------------------------------------------------------------------- */

/* Variables that StarPU must not see. op2 decides how many workers there are and on which cores,
 * and leaves the calling thread where it is. The first three take a worker away, or end the process
 * if they name a core that does not exist; STARPU_DISABLE_KERNELS would keep programs from ever
 * ending; and a value that is not a number ends the process. */
static const char *const own[] = {
    "STARPU_MAIN_THREAD_BIND",
    "STARPU_MAIN_THREAD_CPUID",
    "STARPU_MAIN_THREAD_COREID",
    "STARPU_RESERVE_NCPU",
    "STARPU_DISABLE_KERNELS",
    "STARPU_NCPU",
    "STARPU_NCPUS",
    "STARPU_NTHREADS_PER_CORE",
    "STARPU_WORKERS_CPUID",
    "STARPU_WORKERS_COREID",
    "STARPU_NCUDA",
    "STARPU_NOPENCL",
    "STARPU_NMIC",
    "STARPU_NMPI_MS",
    "STARPU_WORKERS_CUDAID",
    "STARPU_WORKERS_OPENCLID",
    "STARPU_MIN_PRIO",
    "STARPU_MAX_PRIO",
};
enum { OWN = sizeof own / sizeof *own, OTHERS = 6 };
_Static_assert(OWN + OTHERS <= OP2I_ENV_CHANGES, "there is room for all changes");

static int set_aside_own(op2_context ctx, struct op2i_env_change *changes) {
  int n = 0;
  for (int s = 0; s < OWN; s++) {
    if (!op2i_env_raw(own[s])) continue;
    op2i_log(
        ctx, OP2I_LOG_INFO,
        "%s does not hold for the StarPU that op2 starts: OP2_THREADS says how many workers there "
        "are, and each gets a core that the process may use",
        own[s]);
    changes[n++] = (struct op2i_env_change){own[s], NULL};
  }
  return n;
}

/* True if a variable puts another machine in place of this one, which hwloc ignores if
 * HWLOC_COMPONENTS is set. StarPU must see the machine on which its workers' cores were chosen; a
 * machine from such a variable has no buses to search. */
static bool another_machine(void) {
  return op2i_env_system("HWLOC_COMPONENTS") || op2i_env_system("HWLOC_SYNTHETIC") ||
         op2i_env_system("HWLOC_XMLFILE");
}

op2_status op2i_starpu_set_aside(op2_context ctx, const struct op2i_starpu_home *home) {
  struct op2i_env_change changes[OWN + OTHERS];
  int n = set_aside_own(ctx, changes);
  if (copy_policy()) /* the variable takes precedence over the program's choice */
    changes[n++] = (struct op2i_env_change){"STARPU_SCHED", NULL};
  /* StarPU's messages on calibration and binding are meant for people who tune it. */
  if (ctx->config.log_level < OP2I_LOG_INFO && !op2i_env_system("STARPU_SILENT"))
    changes[n++] = (struct op2i_env_change){"STARPU_SILENT", "1"};
  if (!another_machine())
    changes[n++] = (struct op2i_env_change){
        "HWLOC_COMPONENTS", "-linuxio,-pci,-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero"};
  if (!opencl_is_used())
    changes[n++] = (struct op2i_env_change){"OCL_ICD_VENDORS", "/dev/null/none"};
  if (home->given) /* the variable that StarPU reads first */
    changes[n++] = (struct op2i_env_change){"XDG_CACHE_HOME", home->path};
  if (home->models_here) changes[n++] = (struct op2i_env_change){"STARPU_PERF_MODEL_DIR", NULL};
  if (op2i_env_replace(changes, n)) return OP2_SUCCESS;
  return op2i_error_nomem("the environment of StarPU");
}

void op2i_starpu_put_back(void) { op2i_env_put_back(); }

/* ---- the start ------------------------------------------------------------------------------- */

int op2i_starpu_start(struct starpu_conf *conf, void (*before_workers)(void)) {
  prepare = before_workers;
  if (init_policy) {
    conf->sched_policy_name = NULL;
    conf->sched_policy = &policy;
  }
  int failed = starpu_init(conf);
  prepare = NULL;
  return failed;
}

#endif
