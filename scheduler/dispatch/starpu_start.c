/* SPDX-License-Identifier: BSD-3-Clause */
/* StarPU's start without what nobody has asked for. StarPU has hwloc look for devices on all buses,
 * by way of every library for them, and asks the OpenCL loader itself for platforms, whatever
 * number of devices it is told to use (1.3: when it reads its measurements of buses). The loader
 * then loads all that is installed: with PoCL that is LLVM, which takes longer than all the rest of
 * the start and gives the calling thread a signal stack of its own. The workers here are cores. So
 * some variables of the environment are others while StarPU starts. */
#define _GNU_SOURCE
#include "config.h"

#if OP2_HAVE_STARPU

#include <dlfcn.h>
#include <link.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "log.h"
#include "mem.h"
#include "process.h"
#include "starpu_start.h"

/* ---- the environment ------------------------------------------------------------------------- */

struct setting {
  const char *name;
  char *before; /* null: it was not set */
  bool changed;
};

/* Null: to no value. Without memory to remember it by, a variable stays as it is. */
static void change(struct setting *setting, const char *value) {
  const char *before = op2i_env_raw(setting->name);
  if (before && !(setting->before = op2i_strdup(before))) return;
  setting->changed = value ? !setenv(setting->name, value, 1) : !unsetenv(setting->name);
}

static void restore(struct setting *setting) {
  if (setting->changed && setting->before) setenv(setting->name, setting->before, 1);
  if (setting->changed && !setting->before) unsetenv(setting->name);
  op2i_free(setting->before);
  setting->before = NULL;
  setting->changed = false;
}

/* op2 decides how many workers there are and on which cores, and leaves the calling thread where it
 * is. The first three take a worker away, or end the process on a core that is not there; without its
 * kernels no program would ever end; what is no number ends the process. */
static struct setting own[] = {
    {.name = "STARPU_MAIN_THREAD_BIND"},
    {.name = "STARPU_MAIN_THREAD_CPUID"},
    {.name = "STARPU_MAIN_THREAD_COREID"},
    {.name = "STARPU_RESERVE_NCPU"},
    {.name = "STARPU_DISABLE_KERNELS"},
    {.name = "STARPU_NCPU"},
    {.name = "STARPU_NCPUS"},
    {.name = "STARPU_NTHREADS_PER_CORE"},
    {.name = "STARPU_WORKERS_CPUID"},
    {.name = "STARPU_WORKERS_COREID"},
    {.name = "STARPU_NCUDA"},
    {.name = "STARPU_NOPENCL"},
    {.name = "STARPU_MIN_PRIO"},
    {.name = "STARPU_MAX_PRIO"},
};
enum { OWN = sizeof own / sizeof *own };

void op2i_starpu_set_aside(op2_context ctx) {
  for (int s = 0; s < OWN; s++) {
    if (!op2i_env_raw(own[s].name)) continue;
    op2i_log(
        ctx, OP2I_LOG_INFO,
        "%s does not hold for the StarPU that op2 starts: OP2_THREADS says how many workers there "
        "are, and each gets a core that the process may use",
        own[s].name);
    change(&own[s], NULL);
  }
}

void op2i_starpu_put_back(void) {
  for (int s = 0; s < OWN; s++) restore(&own[s]);
}

/* ---- who uses OpenCL ------------------------------------------------------------------------- */

static const void *dynamic(const struct link_map *object, ElfW(Sxword) tag) {
  for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag) {
      ElfW(Addr) at = entry->d_un.d_ptr;
      return (const void *)(at < object->l_addr ? at + object->l_addr : at);
    }
  return NULL;
}

static bool needs_opencl(const struct link_map *object) {
  const char *strings = dynamic(object, DT_STRTAB);
  for (const ElfW(Dyn) *entry = object->l_ld; strings && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_NEEDED && !strncmp(strings + entry->d_un.d_val, "libOpenCL.", 10))
      return true;
  return false;
}

/* Whether anything in the process but StarPU and hwloc is linked with OpenCL. The loader looks for
 * platforms once in a process, and whoever comes after StarPU gets the answer that StarPU got. */
static bool opencl_is_used(void) {
  const struct link_map *object = NULL;
  void *program = op2i_process_load(NULL, RTLD_LAZY);
  bool used = !program || dlinfo(program, RTLD_DI_LINKMAP, &object);
  for (; object && !used; object = object->l_next)
    used = !strstr(object->l_name, "libstarpu") && !strstr(object->l_name, "hwloc") &&
           needs_opencl(object);
  if (program) op2i_process_unload(program);
  return used;
}

/* ---- the scheduler --------------------------------------------------------------------------- */

/* StarPU calls nothing of ours between the moment at which it takes hooks and the start of its
 * workers, except the scheduling policy: so it gets a copy of one of its own, with another beginning. */
static struct starpu_sched_policy policy;
static void (*init_policy)(unsigned);
static void (*prepare)(void);

static void init_sched(unsigned sched_ctx) {
  void (*call)(void) = prepare;
  prepare = NULL;
  init_policy(sched_ctx);
  if (call) call();
}

/* False where StarPU knows no policy of that name: then it may be one of the program's own. */
static bool copy_policy(const char *name) {
  struct starpu_sched_policy *const *at = starpu_sched_get_predefined_policies();
  while (*at && strcmp((*at)->policy_name, name)) at++;
  if (!*at) return false;
  policy = **at;
  init_policy = policy.init_sched;
  policy.init_sched = init_sched;
  return true;
}

/* ---- the start ------------------------------------------------------------------------------- */

int op2i_starpu_start(struct starpu_conf *conf, const struct op2i_starpu_home *home,
                      void (*before_workers)(void)) {
  struct setting components = {"HWLOC_COMPONENTS", NULL, false},
                 vendors = {"OCL_ICD_VENDORS", NULL, false},
                 folder = {"XDG_CACHE_HOME", NULL, false}, /* what StarPU asks for first */
      models = {"STARPU_PERF_MODEL_DIR", NULL, false}, scheduler = {"STARPU_SCHED", NULL, false};
  const char *name = op2i_env_system(scheduler.name);
  if (!name) name = "lws"; /* workers steal from each other */
  prepare = before_workers;
  if (copy_policy(name)) {
    conf->sched_policy_name = NULL;
    conf->sched_policy = &policy;
    change(&scheduler, NULL); /* it comes before what the program asks for */
  }
  /* Told which components to use, hwloc no longer heeds the variables that put another machine in
   * place of this one; StarPU must see the one that its workers' places were chosen on, and that
   * one has no buses to look at. */
  if (!op2i_env_system("HWLOC_COMPONENTS") && !op2i_env_system("HWLOC_SYNTHETIC") &&
      !op2i_env_system("HWLOC_XMLFILE"))
    change(&components, "-linuxio,-pci,-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero");
  if (!opencl_is_used()) change(&vendors, "/dev/null/none");
  if (home->given) change(&folder, home->path);
  if (home->models_here) change(&models, NULL);
  int failed = starpu_init(conf);
  prepare = NULL;
  restore(&scheduler);
  restore(&models);
  restore(&folder);
  restore(&vendors);
  restore(&components);
  return failed;
}

#endif
