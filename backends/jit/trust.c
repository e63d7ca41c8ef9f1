/* SPDX-License-Identifier: BSD-3-Clause */
/* Users and groups whose compiled loops are trusted on request. */
#define _GNU_SOURCE
#include "trust.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem.h"

enum { ROOM = 8192, NAME = 256 };

/* Take the next name off a list; returns false at its end. A name that is too long matches
 * nobody. */
static bool next_name(const char **list, char name[NAME]) {
  *list += strspn(*list, ", ");
  size_t length = strcspn(*list, ", ");
  if (length == 0) return false;
  memcpy(name, *list, length < NAME ? length : 0);
  name[length < NAME ? length : 0] = '\0';
  *list += length;
  return true;
}

static bool as_number(const char *name, unsigned long *number) {
  char *end;
  if (*name < '0' || *name > '9') return false;
  *number = strtoul(name, &end, 10);
  /* A larger number would be truncated to that of another user; the largest one means no user. */
  return !*end && *number < UINT32_MAX;
}

static bool is_user(const char *name, uid_t user) {
  struct passwd entry, *found = NULL;
  char room[ROOM];
  unsigned long number;
  if (as_number(name, &number)) return (uid_t)number == user;
  return getpwnam_r(name, &entry, room, sizeof room, &found) == 0 && found && entry.pw_uid == user;
}

/* A group with many members needs a large buffer. */
static bool find_group(const char *name, gid_t *group) {
  enum { MOST_ROOM = 4 << 20 };
  struct group entry, *found = NULL;
  unsigned long number;
  int error = ERANGE;
  if (as_number(name, &number)) {
    *group = (gid_t)number;
    return true;
  }
  for (size_t size = ROOM; error == ERANGE && size <= MOST_ROOM; size *= 4) {
    char *room = op2i_malloc(size);
    if (!room) return false;
    error = getgrnam_r(name, &entry, room, size, &found);
    if (!error && found) *group = entry.gr_gid;
    op2i_free(room);
  }
  return !error && found;
}

static bool is_member(uid_t user, gid_t group) {
  enum { MOST = 256 };
  struct passwd entry, *found = NULL;
  char room[ROOM];
  gid_t groups[MOST];
  int n = MOST;
  if (getpwuid_r(user, &entry, room, sizeof room, &found) != 0 || !found) return false;
  if (getgrouplist(entry.pw_name, entry.pw_gid, groups, &n) < 0) return false;
  for (int i = 0; i < n; i++)
    if (groups[i] == group) return true;
  return false;
}

bool op2i_trust_user(const char *list, uid_t user) {
  char name[NAME];
  gid_t group;
  if (user == 0 || user == geteuid()) return true;
  while (list && next_name(&list, name))
    if (*name == '@' ? find_group(name + 1, &group) && is_member(user, group) : is_user(name, user))
      return true;
  return false;
}

bool op2i_trust_group(const char *list, gid_t group) {
  char name[NAME];
  gid_t trusted;
  while (list && next_name(&list, name))
    if (*name == '@' && find_group(name + 1, &trusted) && trusted == group) return true;
  return false;
}
