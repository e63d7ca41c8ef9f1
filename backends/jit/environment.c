/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of compilers, and the programs that it leads to. */
#define _GNU_SOURCE /* AT_EACCESS */
#include "environment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "error.h"
#include "mem.h"

/* ---- the copy of the environment ------------------------------------------------------------- */

op2_status op2i_environment_copy(struct op2i_compiler *compiler) {
  /* The folders that only the system writes to, and the usual ones if PATH is not set. */
  static char safe_path[] = "PATH=/usr/bin:/bin",
              usual_path[] = "PATH=/usr/local/bin:/usr/bin:/bin", language[] = "LC_ALL=C";
  static char *clean[] = {safe_path, language, NULL};
  struct op2i_words *copy = &compiler->environment;
  op2_status status = OP2_SUCCESS;
  char **given = op2i_env_ignored() ? clean : op2i_env_all();
  for (size_t i = 0; given && given[i] && !status; i++)
    if (strcmp(given[i], "PATH=") != 0) status = op2i_words_add(copy, given[i]);
  if (!status && !op2i_environment_value(compiler, "PATH"))
    status = op2i_words_add(copy, usual_path);
  return status;
}

const char *op2i_environment_value(const struct op2i_compiler *compiler, const char *name) {
  const size_t length = strlen(name);
  for (int64_t i = 0; i < compiler->environment.count; i++) {
    const char *setting = compiler->environment.item[i];
    if (strncmp(setting, name, length) == 0 && setting[length] == '=' && setting[length + 1])
      return setting + length + 1;
  }
  return NULL;
}

char **op2i_environment_for_run(const struct op2i_compiler *compiler, char *setting,
                                bool in_english) {
  static char language[] = "LC_ALL=C";
  const struct op2i_words *copy = &compiler->environment;
  char **environment = op2i_malloc(((size_t)copy->count + 3) * sizeof *environment);
  size_t kept = 0;
  if (!environment) return NULL;
  for (int64_t i = 0; i < copy->count; i++)
    if (strncmp(copy->item[i], "TMPDIR=", 7) != 0 &&
        !(in_english && strncmp(copy->item[i], "LC_ALL=", 7) == 0))
      environment[kept++] = copy->item[i];
  if (in_english) environment[kept++] = language;
  environment[kept++] = setting;
  environment[kept] = NULL;
  return environment;
}

/* ---- programs -------------------------------------------------------------------------------- */

bool op2i_is_program(const char *path, struct stat *st) {
  return stat(path, st) == 0 && S_ISREG(st->st_mode) &&
         faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool op2i_next_in_list(const struct op2i_compiler *compiler, const char **list, const char *name,
                       char file[PATH_MAX]) {
  char relative[PATH_MAX];
  if (!*list) return false;
  const size_t length = strcspn(*list, ":");
  const int size = snprintf(relative, sizeof relative, "%.*s/%s", length ? (int)length : 1,
                            length ? *list : ".", name);
  if (size >= PATH_MAX || !op2i_compiler_name(compiler->folder, relative, file)) file[0] = '\0';
  *list = (*list)[length] ? *list + length + 1 : NULL;
  return true;
}

bool op2i_find_in_path(const struct op2i_compiler *compiler, const char *name,
                       char file[PATH_MAX]) {
  const char *path = op2i_environment_value(compiler, "PATH");
  struct stat st;
  while (op2i_next_in_list(compiler, &path, name, file))
    if (file[0] && op2i_is_program(file, &st)) return true;
  return false;
}
