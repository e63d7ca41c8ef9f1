/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder where StarPU keeps its files. StarPU ends the process if it cannot make them or read
 * them again, so that is tried before. */
#define _GNU_SOURCE
#include "config.h"

#if OP2_HAVE_STARPU

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "error.h"
#include "log.h"
#include "path.h"
#include "starpu_start.h"

/* ---- checks of a folder ---------------------------------------------------------------------- */

/* The folders that StarPU makes in its home and in a folder of performance models, the
 * outer ones first. */
static const char *const home_parts[] = {".starpu", ".starpu/sampling", ".starpu/sampling/codelets",
                                         ".starpu/sampling/bus", NULL};
static const char *const model_parts[] = {"codelets", "bus", NULL};

/* Wait until a file of StarPU's has content. A process that writes one opens it, and writes all of it
 * right then. False if it stays empty, or is not there. */
static bool gets_content(int folder, const char *name) {
  enum { WRITTEN_SECONDS = 2, POLL_NS = 20000000 };
  struct stat st;
  while (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW)) {
    if (!S_ISREG(st.st_mode) || st.st_size > 0) return true;
    time_t age = time(NULL) - st.st_mtime;
    if (age > WRITTEN_SECONDS || age < -WRITTEN_SECONDS) return false;
    (void)nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
  }
  return false;
}

/* Remove empty files from the folder of measurements, the last part. StarPU ends the process that
 * reads one, and a process that was killed while it wrote may have left one; without the file StarPU
 * measures again. */
static void remove_empty(const struct op2i_path *opened, const char *const *parts) {
  while (parts[1]) parts++;
  int fd = openat(opened->fd, *parts, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder && fd >= 0) close(fd);
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (!gets_content(fd, entry->d_name)) (void)unlinkat(fd, entry->d_name, 0);
  if (folder) closedir(folder);
}

/* Write a file as StarPU does, about as large as all of its files together; 0 or an errno value. */
static int try_file(const char *path) {
  static const char filling[16384];
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  errno = ENOSPC;
  int error = write(fd, filling, sizeof filling) == (ssize_t)sizeof filling ? 0 : errno;
  if (close(fd) && !error) error = errno;
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 && !error) error = errno;
  if (fd >= 0) close(fd);
  unlink(path);
  return error;
}

/* Make a folder and a file in it, and remove them; 0 or an errno value. */
static int try_folder(const char *folder) {
  char made[PATH_MAX + 128], file[PATH_MAX + 192];
  snprintf(made, sizeof made, "%s/.op2-XXXXXX", folder);
  if (!mkdtemp(made)) return errno;
  snprintf(file, sizeof file, "%s/file", made);
  int error = try_file(file);
  rmdir(made);
  return error;
}

/* The reason why StarPU cannot use an open folder, or null; *part names the folder below it
 * that fails. */
static const char *fault_below(const struct op2i_path *opened, const char *const *parts,
                               const char **part) {
  char deepest[PATH_MAX + 64];
  *part = "";
  if (faccessat(opened->fd, ".", W_OK | X_OK, AT_EACCESS)) return "it cannot be written to";
  snprintf(deepest, sizeof deepest, "%s", opened->real);
  for (; *parts; parts++) {
    if (faccessat(opened->fd, *parts, F_OK, AT_EACCESS)) continue;
    *part = *parts;
    if (faccessat(opened->fd, *parts, W_OK | X_OK, AT_EACCESS)) return "it cannot be written to";
    snprintf(deepest, sizeof deepest, "%s/%s", opened->real, *parts);
  }
  int error = try_folder(deepest);
  return error ? strerror(error) : NULL;
}

/* True if StarPU can make its files in the folder and no other user can change what it will read,
 * even files that do not exist yet; else *why has the reason. */
static bool is_fit(const char *path, const char *const *parts, bool make, struct op2i_text *why) {
  struct op2i_path opened;
  struct stat st;
  op2i_path_open(&opened, path, make, OP2I_PATH_PARENT, NULL, why);
  const char *fault = NULL, *part = "";
  if (opened.fd >= 0 && fstat(opened.fd, &st))
    fault = strerror(errno);
  else if (opened.fd >= 0 && (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH)))
    fault = "it is not the user's alone";
  else if (opened.fd >= 0)
    fault = fault_below(&opened, parts, &part);
  if (fault)
    op2i_text_add(why, "%s%s%s%s: %s", why->length ? "; " : "", path, *part ? "/" : "", part,
                  fault);
  bool good = opened.fd >= 0 && !fault;
  if (good) remove_empty(&opened, parts);
  op2i_path_close(&opened);
  return good;
}

/* ---- the umask ------------------------------------------------------------------------------- */

/* umask() can be read only by changing it for a moment, for all threads, so it is called only where
 * /proc does not have it. */
static mode_t read_umask(void) {
  char line[128];
  unsigned mask = 0;
  bool found = false;
  FILE *file = fopen("/proc/self/status", "re");
  while (file && !found && fgets(line, sizeof line, file))
    found = sscanf(line, "Umask: %o", &mask) == 1;
  if (file) fclose(file);
  if (found) return (mode_t)mask;
  mode_t now = umask(077);
  umask(now);
  return now;
}

/* Fail before StarPU makes files that their owner cannot read. Root can read them anyway. */
static op2_status check_umask(void) {
  mode_t mask = read_umask();
  if (!(mask & S_IRWXU) || geteuid() == 0) return OP2_SUCCESS;
  return op2i_error(
      OP2_ERR_UNAVAILABLE,
      "StarPU could not read the files that it makes, since the process's umask %04o takes "
      "rights from their owner as well; set one that does not, such as 077",
      (unsigned)mask);
}

/* ---- choice of the folder -------------------------------------------------------------------- */

/* The i-th other place for StarPU's folder, if its usual place cannot be used; false if
 * there is no such place. */
static bool other_home(int i, char *path, size_t size) {
  const char *base = op2i_env_system(i == 0 ? "XDG_CACHE_HOME" : i == 1 ? "HOME" : "TMPDIR");
  if (i == 3) base = P_tmpdir;
  if (!base || base[0] != '/') return false;
  if (i == 0) return snprintf(path, size, "%s/op2-starpu", base) < (int)size;
  if (i == 1) return snprintf(path, size, "%s/.cache/op2-starpu", base) < (int)size;
  return snprintf(path, size, "%s/op2-starpu-%ld", base, (long)geteuid()) < (int)size;
}
enum { OTHER_HOMES = 4 };

/* True if performance models have a usable folder of their own. */
static bool has_models(op2_context ctx) {
  const char *models = op2i_env_raw("STARPU_PERF_MODEL_DIR");
  struct op2i_text why = {0};
  if (!models) return false;
  bool fit = is_fit(models, model_parts, true, &why);
  if (!fit)
    op2i_log(ctx, OP2I_LOG_WARN,
             "StarPU keeps its models elsewhere than in STARPU_PERF_MODEL_DIR: %s",
             why.chars ? why.chars : "");
  op2i_text_free(&why);
  return fit;
}

/* StarPU uses the first of these variables that is set, even if it is empty. */
op2_status op2i_starpu_find_home(op2_context ctx, struct op2i_starpu_home *out) {
  static const char *const variables[] = {"XDG_CACHE_HOME", "STARPU_HOME", "HOME"};
  struct op2i_text why = {0};
  const char *home = NULL;
  op2_status status = check_umask();
  if (status) return status;
  out->models_here = !has_models(ctx);
  for (int v = 0; v < 3 && !home; v++) home = op2i_env_raw(variables[v]);
  bool found = home && is_fit(home, home_parts, home == op2i_env_raw(variables[0]), &why);
  out->given = !found;
  if (home && !found && !access(home, W_OK | X_OK))
    op2i_log(ctx, OP2I_LOG_WARN, "StarPU keeps its files elsewhere: %s", why.chars);
  for (int i = 0; i < OTHER_HOMES && !found; i++)
    found = other_home(i, out->path, sizeof out->path) && is_fit(out->path, home_parts, true, &why);
  if (!found)
    status = op2i_error(OP2_ERR_UNAVAILABLE,
                        "StarPU needs a folder it can write to, of the user's alone (%s); set "
                        "XDG_CACHE_HOME, or STARPU_HOME without it",
                        why.chars && !why.failed ? why.chars : "");
  op2i_text_free(&why);
  return status;
}

#endif
