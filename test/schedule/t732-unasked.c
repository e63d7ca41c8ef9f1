/* SPDX-License-Identifier: BSD-3-Clause */
/* No library is loaded unless the program needs it, whatever is installed. An OpenCL platform
 * stands in for PoCL: support_icd.c, which leaves a mark when it is loaded. This program runs
 * itself with the loader pointed to it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

OP2_KERNEL(fill, (double *x), { x[0] = 1; });

static char self[4096], mark[4200], variable[4200];

/* ---- in the child process -------------------------------------------------------------------- */

/* Libraries of devices, compilers, MPI and solvers, none of which this program needs. */
static bool nothing_foreign(void) {
  static const char *const foreign[] = {"libLLVM",  "libpocl",  "libclang",  "libmpi",
                                        "libpetsc", "libcuda.", "libnvidia", "libamdhip",
                                        "libhsa",   "libze_",   "libhdf5",   "libGL."};
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[5000];
  bool good = true;
  while (maps && fgets(line, sizeof line, maps))
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
      if (strstr(line, foreign[i]) && strstr(line, "r-xp")) {
        diag("loaded: %s", strrchr(line, '/') ? strrchr(line, '/') + 1 : line);
        good = false;
      }
  if (maps) fclose(maps);
  return good;
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool run_loop(const char *backend) {
  op2_context ctx;
  op2_set set;
  op2_dat x;
  op2_kernel kernel;
  double values[100] = {0};
  op2_options options = {.backend = backend, .cache_dir = test_cache()};
  bool good = !op2_init(&options, &ctx) && !op2_set_create(ctx, 100, "set", &set) &&
              !op2_dat_create(set, 1, OP2_F64, NULL, "x", &x) &&
              !op2_kernel_create(ctx, &fill_kernel, &kernel) &&
              !op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE)) && !op2_dat_get(x, values) &&
              values[99] == 1;
  if (!good) {
    diag("%s", op2_error_message());
    return false;
  }
  op2_set_destroy(&set);
  op2_dat_destroy(&x);
  op2_kernel_destroy(&kernel);
  return op2_finalize(&ctx) == OP2_SUCCESS;
}

/* Run a loop, and check that nothing foreign is loaded, and that variables and the signal stack of
 * the calling thread are unchanged. */
static int be_child(const char *backend) {
  static const char *const names[] = {"OCL_ICD_VENDORS", "HWLOC_COMPONENTS", "OCL_ICD_FILENAMES"};
  char *before[3] = {0};
  stack_t stack_before, stack_after;
  for (int i = 0; i < 3; i++)
    if (getenv(names[i])) before[i] = strdup(getenv(names[i]));
  sigaltstack(NULL, &stack_before);
  bool good = run_loop(backend);
  sigaltstack(NULL, &stack_after);
  for (int i = 0; i < 3; i++) {
    if (!same_text(before[i], getenv(names[i]))) {
      diag("%s was %s, and is %s", names[i], before[i] ? before[i] : "not set",
           getenv(names[i]) ? getenv(names[i]) : "not set");
      good = false;
    }
    free(before[i]);
  }
  if (stack_before.ss_sp != stack_after.ss_sp || stack_before.ss_flags != stack_after.ss_flags) {
    diag("the calling thread has got another signal stack");
    good = false;
  }
  good = nothing_foreign() && good;
  if (access(mark, F_OK) == 0) {
    diag("the OpenCL platform was loaded");
    good = false;
  }
  return !good;
}

/* Call the OpenCL loader, as a program that is linked with it does: at once, or after op2 has run a
 * loop on a backend. Returns 3 if there is no loader. */
static int be_user(const char *backend) {
  char path[4200];
  snprintf(path, sizeof path, "%s/test/libop2-test-opencl.so", build_root());
  void *user = dlopen(path, RTLD_NOW);
  int (*platforms)(void) = NULL;
  if (!user) return 3;
  void *symbol = dlsym(user, "op2_test_platforms");
  memcpy(&platforms, &symbol, sizeof symbol);
  if (*backend && !run_loop(backend)) return 1;
  (void)platforms();
  return access(mark, F_OK) != 0;
}

/* ---- in the parent process ------------------------------------------------------------------- */

static int run_child(const char *how, const char *backend) {
  int code = -1;
  unlink(mark);
  pid_t child = fork();
  if (child == 0) {
    execl(self, self, how, backend, (char *)NULL);
    _exit(127);
  }
  if (waitpid(child, &code, 0) != child || !WIFEXITED(code)) return -1;
  return WEXITSTATUS(code);
}

static void name_vendor(void) {
  char folder[4200], file[4300];
  snprintf(folder, sizeof folder, "%s/vendors", test_scratch());
  snprintf(file, sizeof file, "%s/op2.icd", folder);
  if (mkdir(folder, 0700)) perror(folder);
  FILE *icd = fopen(file, "w");
  fprintf(icd, "%s/test/libop2-test-icd.so\n", build_root());
  fclose(icd);
  setenv("OCL_ICD_VENDORS", folder, 1);
}

static void try_backend(const char *backend, bool seen) {
  const char *why = op2_backend_unavailable(backend);
  if (why) {
    skip("%s: %s", backend, why);
    return;
  }
  is_int(run_child("child", backend), 0, "%s loads nothing that was not asked for", backend);
  if (!seen) return;
  is_int(run_child("user", backend), 0, "%s leaves OpenCL to a program that is linked with it",
         backend);
}

int main(int argc, char **argv) {
  snprintf(mark, sizeof mark, "%s", getenv("OP2_TEST_MARK") ? getenv("OP2_TEST_MARK") : "");
  if (argc > 2) return strcmp(argv[1], "user") ? be_child(argv[2]) : be_user(argv[2]);
  test_environment();
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) {
    skip("this system does not tell where programs are");
    return done();
  }
  snprintf(variable, sizeof variable, "%s/mark", test_scratch());
  snprintf(mark, sizeof mark, "%s", variable);
  setenv("OP2_TEST_MARK", mark, 1);
  setenv("OP2_TEST_CACHE", test_cache(), 1);
  static const char *const backends[] = {"sequential", "openmp", "starpu", "check"};
  /* First with the platforms that are installed on this machine. */
  for (int i = 0; i < 4; i++) try_backend(backends[i], false);
  name_vendor();
  int seen = run_child("user", "");
  if (seen == 3)
    skip("there is no OpenCL loader: that a platform is loaded when asked for cannot be seen");
  else
    is_int(seen, 0,
           "a program that asks for OpenCL platforms loads the one that stands in for them");
  for (int i = 0; i < 4; i++) try_backend(backends[i], seen == 0);
  setenv("HWLOC_COMPONENTS", "linux,stop", 1);
  for (int i = 0; i < 4; i++) try_backend(backends[i], seen == 0);
  return done();
}
