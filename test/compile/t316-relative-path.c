/* SPDX-License-Identifier: BSD-3-Clause */
/* Relative folders in PATH: the library looks for the programs that the compiler runs where the
 * compiler looks, which is relative to the folder in which the context was made, wherever the
 * program has gone since. */
#define _GNU_SOURCE
#include "op2.h"
#include "t3-rig.h"

static char folder[RIG_PATH], cache[RIG_PATH];

/* Make an assembler, different each time, in this folder below `folder`. */
static bool make_assembler(const char *where) {
  static int version;
  char path[2 * RIG_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, where);
  mkdir(path, 0755);
  snprintf(path, sizeof path, "%s/%s/as", folder, where);
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "#!/bin/sh\n# version %d\nexec /usr/bin/as \"$@\"\n", ++version);
  return fclose(file) == 0 && chmod(path, 0755) == 0;
}

/* Returns 1 if a loop of a context that was made in the folder is compiled after the program has
 * changed to another one, 0 if it is in the cache; -1 if it fails. */
static int compiles(void) {
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL;
  op2_kernel kernel = NULL;
  op2_times times = {0};
  double value = -1;
  const op2_options options = {.backend = "sequential", .cflags = "-O0", .cache_dir = cache};
  const op2_kernel_desc desc = {.name = "k", .source = "void k(double *x) { *x = 3; }\n"};
  if (chdir(folder)) return -1;
  op2_status status = op2_init(&options, &ctx);
  if (chdir("/")) return -1;
  if (!status) status = op2_set_create(ctx, 1, "set", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_kernel_create(ctx, &desc, &kernel);
  if (!status) status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE));
  if (!status) status = op2_dat_get(x, &value);
  if (!status) status = op2_times_get(ctx, &times);
  if (status) diag("%s", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx)) status = OP2_ERR_STATE;
  return status || value != 3 ? -1 : times.compiled > 0;
}

/* PATH begins with this element; an empty one is the folder itself, as "." is. */
static void with_path(const char *element, const char *where) {
  static int caches;
  char path[4 * RIG_PATH];
  rig_path(cache, "cache-%d", ++caches);
  const char *usual = getenv("PATH");
  char *before = strdup(usual ? usual : "/usr/bin:/bin");
  snprintf(path, sizeof path, "%s:%s", element, before);
  setenv("PATH", path, 1);
  ok(make_assembler(where), "PATH begins with '%s'", element);
  is_int(compiles(), 1, "'%s': a loop is compiled", element);
  is_int(compiles(), 0, "'%s': it is loaded from the cache", element);
  ok(make_assembler(where), "another assembler in place of the first");
  is_int(compiles(), 1, "'%s': the loop is compiled anew", element);
  setenv("PATH", before, 1);
  free(before);
}

int main(void) {
  rig_open();
  rig_path(folder, "folder");
  mkdir(folder, 0755);
  if (access("/usr/bin/as", X_OK) != 0) {
    skip("there is no /usr/bin/as, which the test's assembler calls");
  } else {
    with_path("tools", "tools");
    with_path("./tools", "tools");
    with_path("", ".");
    with_path(".", ".");
  }
  rig_close();
  return done();
}
