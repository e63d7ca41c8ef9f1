/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks whether another user could replace a folder of the cache by another folder or a link. */
#define _GNU_SOURCE
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trust.h"

enum { OTHERS_WRITE = S_IWGRP | S_IWOTH, LINKS_MOST = 40 };

struct walk {
  struct op2i_path *path;
  char rest[2 * PATH_MAX]; /* the rest of the path */
  size_t asked;            /* length of the part at its end that comes from the caller, not from a
                              link */
  int links;
  const char *trust; /* see trust.h */
  bool make, shared; /* shared: True if others may make entries here, but not remove ours */
  const char *fault;
  char culprit[PATH_MAX + NAME_MAX + 2];
};

/* ---- owners ---------------------------------------------------------------------------------- */

/* In a user namespace without root, root's files are shown as those of nobody. */
static bool is_root_unknown(uid_t uid) {
  unsigned nobody = 65534, inside, outside, count;
  FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
  if (file && fscanf(file, "%u", &nobody) != 1) nobody = 65534;
  if (file) fclose(file);
  if (uid != nobody || !(file = fopen("/proc/self/uid_map", "re"))) return false;
  bool mapped = false;
  while (fscanf(file, "%u %u %u", &inside, &outside, &count) == 3) mapped |= inside == 0;
  fclose(file);
  return !mapped;
}

/* The owner of the root folder controls the system anyway and is trusted. */
static bool is_trusted(const struct walk *w, uid_t uid) {
  struct op2i_path *path = w->path;
  struct stat root;
  if (op2i_trust_user(w->trust, uid)) return true;
  bool unknown = is_root_unknown(uid);
  path->unknown |= unknown;
  return unknown || (stat("/", &root) == 0 && root.st_uid == uid);
}

static void judge_folder(struct walk *w, const struct stat *st) {
  bool theirs =
      st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && !op2i_trust_group(w->trust, st->st_gid));
  w->shared = theirs && (st->st_mode & S_ISVTX);
  if (!is_trusted(w, st->st_uid))
    w->fault = "it belongs to another user, who could put other code in the place of what is in it";
  else if (theirs && !w->shared)
    w->fault = "others may write into it (chmod go-w would cure that)";
  w->path->unsafe = w->fault != NULL;
}

/* ---- following a path step by step ----------------------------------------------------------- */

static void blame(struct walk *w, const char *name) {
  const char *real = w->path->real;
  snprintf(w->culprit, sizeof w->culprit, "%s%s%s", strcmp(real, "/") == 0 && *name ? "" : real,
           *name ? "/" : "", name);
}

static void fail(struct walk *w, const char *name, const char *fault) {
  blame(w, name);
  w->fault = fault;
}

static void enter(struct walk *w, int fd) {
  if (w->path->fd >= 0) close(w->path->fd);
  w->path->fd = fd;
}

static void go_to_root(struct walk *w) {
  enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  strcpy(w->path->real, "/");
  w->shared = false;
  if (w->path->fd < 0) fail(w, "", strerror(errno));
}

static void go_up(struct walk *w) {
  struct stat st;
  int fd = openat(w->path->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) != 0) {
    fail(w, "..", strerror(errno));
    if (fd >= 0) close(fd);
    return;
  }
  enter(w, fd);
  char *slash = strrchr(w->path->real, '/');
  slash[slash == w->path->real] = '\0';
  w->shared = (st.st_mode & OTHERS_WRITE) && (st.st_mode & S_ISVTX);
}

static void follow(struct walk *w, const char *name) {
  char target[PATH_MAX], rest[PATH_MAX];
  ssize_t length = readlinkat(w->path->fd, name, target, sizeof target - 1);
  if (length < 0 || ++w->links > LINKS_MOST || strlen(w->rest) >= sizeof rest) {
    fail(w, name, strerror(length < 0 ? errno : w->links > LINKS_MOST ? ELOOP : ENAMETOOLONG));
    return;
  }
  target[length] = '\0';
  strcpy(rest, w->rest);
  snprintf(w->rest, sizeof w->rest, "%s/%s", target, rest);
  if (w->asked > strlen(rest)) w->asked = strlen(rest);
  if (target[0] == '/') go_to_root(w);
}

static void go_down(struct walk *w, const char *name, enum op2i_path_last last) {
  struct stat st;
  int fd = openat(w->path->fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) != 0) {
    fail(w, name, strerror(errno));
    if (fd >= 0) close(fd);
    return;
  }
  enter(w, fd);
  size_t length = strlen(w->path->real);
  int more = snprintf(w->path->real + length, sizeof w->path->real - length, "%s%s",
                      length > 1 ? "/" : "", name);
  if (more >= (int)(sizeof w->path->real - length)) {
    w->path->real[length] = '\0';
    fail(w, name, strerror(ENAMETOOLONG));
    return;
  }
  bool ended = w->rest[strspn(w->rest, "/")] == '\0';
  if (!ended || last == OP2I_PATH_PARENT) judge_folder(w, &st);
  if (w->fault) blame(w, "");
}

static void fail_unsafe(struct walk *w, const char *name, const char *fault) {
  w->path->unsafe = true;
  fail(w, name, fault);
}

/* Walk one component of the path. */
static void step(struct walk *w, enum op2i_path_last last) {
  char name[NAME_MAX + 1];
  struct stat st;
  char *from = w->rest + strspn(w->rest, "/");
  size_t length = strcspn(from, "/");
  bool asked = strlen(from) <= w->asked;
  if (length >= sizeof name) {
    fail(w, "", strerror(ENAMETOOLONG));
    return;
  }
  memcpy(name, from, length);
  name[length] = '\0';
  memmove(w->rest, from + length, strlen(from + length) + 1);
  if (length == 0 || strcmp(name, ".") == 0) return;
  if (strcmp(name, "..") == 0) {
    go_up(w);
    return;
  }
  int error = fstatat(w->path->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
  if (error == ENOENT && w->make && asked) {
    error = mkdirat(w->path->fd, name, 0700) == 0 || errno == EEXIST ? 0 : errno;
    if (!error && fstatat(w->path->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) error = errno;
  }
  if (error)
    fail(w, name, strerror(error));
  else if (S_ISLNK(st.st_mode) && !is_trusted(w, st.st_uid))
    fail_unsafe(w, name, "it is a symbolic link made by another user");
  else if (w->shared && !is_trusted(w, st.st_uid))
    fail_unsafe(w, name, "it belongs to another user");
  else if (S_ISLNK(st.st_mode))
    follow(w, name);
  else
    go_down(w, name, last);
}

void op2i_path_open(struct op2i_path *path, const char *name, bool make, enum op2i_path_last last,
                    const char *trust, struct op2i_text *why) {
  struct walk w = {.path = path, .make = make, .trust = trust, .asked = strlen(name)};
  char here[PATH_MAX] = "";
  *path = (struct op2i_path){.fd = -1};
  go_to_root(&w);
  if (name[0] != '/' && !getcwd(here, sizeof here))
    fail(&w, "", strerror(errno));
  else if (!*name || (*here && here[0] != '/'))
    fail(&w, "", strerror(ENOENT));
  else if (strlen(name) >= PATH_MAX)
    fail(&w, "", strerror(ENAMETOOLONG));
  else
    snprintf(w.rest, sizeof w.rest, "%s/%s", here, name);
  while (!w.fault && w.rest[0]) step(&w, last);
  if (!w.fault) return;
  op2i_path_close(path);
  op2i_text_add(why, "%s%s: ", why->length ? "; " : "", name);
  if (strcmp(name, w.culprit) != 0) op2i_text_add(why, "%s: ", w.culprit);
  op2i_text_add(why, "%s", w.fault);
}

void op2i_path_close(struct op2i_path *path) {
  if (path->fd >= 0) close(path->fd);
  path->fd = -1;
}
