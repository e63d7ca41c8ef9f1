/* SPDX-License-Identifier: BSD-3-Clause */
/* Another environment in place of the program's, for libraries that can be configured in no other
 * way. Any thread may read the environment at any time, in the C library as well as here, and POSIX
 * allows it as long as nothing changes the environment. So everything that such a reader may be
 * using stays as it is: the program's list of variables, and the contents of our own lists. */
#define _GNU_SOURCE /* environ */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "mem.h"
#include "text.h"

/* "NAME=value" as it was put into a list. Libraries keep pointers to values, so no entry is ever
 * freed; the same text is allocated only once. */
struct entry {
  struct entry *next;
  char text[];
};
static struct entry *entries;

static struct {
  char **list, **written; /* the list, and a copy of what was written into it */
  char **block; /* memory of the list, which begins after the address of the previous block */
  size_t room;  /* capacity of both */
  struct op2i_env_change before[OP2I_ENV_CHANGES]; /* the program's own value for each change */
  int nchanges;
} ours;

static char **programs; /* the program's list while ours replaces it, else null */
static char *none[] = {NULL};

static char **present(void) { return __atomic_load_n(&environ, __ATOMIC_SEQ_CST); }

static void put_environ(char **list) { __atomic_store_n(&environ, list, __ATOMIC_SEQ_CST); }

/* The present list is read before and after, since it may be replaced or put back in between. */
char **op2i_env_all(void) {
  for (;;) {
    char **now = present();
    char **own = __atomic_load_n(&programs, __ATOMIC_SEQ_CST);
    if (own || now == present()) return own ? own : now;
  }
}

static bool names(const char *entry, const char *name) {
  size_t length = strlen(name);
  return !strncmp(entry, name, length) && entry[length] == '=';
}

static char *entry_for(const struct op2i_env_change *change) {
  size_t length = strlen(change->name), bytes = length + strlen(change->value) + 2;
  for (struct entry *entry = entries; entry; entry = entry->next)
    if (names(entry->text, change->name) && !strcmp(entry->text + length + 1, change->value))
      return entry->text;
  struct entry *entry = op2i_malloc(sizeof *entry + bytes);
  if (!entry) return NULL;
  memcpy(entry->text, change->name, length);
  entry->text[length] = '=';
  strcpy(entry->text + length + 1, change->value);
  entry->next = entries;
  entries = entry;
  return entry->text;
}

/* The previous, shorter list is never freed, since a thread may still be reading it. As the
 * capacity doubles, all previous lists together are no longer than the last one. */
static bool make_room(size_t count) {
  if (count <= ours.room) return true;
  size_t room = 2 * count;
  char **block = op2i_calloc(room + 1, sizeof *block);
  char **written = op2i_calloc(room, sizeof *written);
  if (!block || !written) {
    op2i_free(block);
    op2i_free(written);
    return false;
  }
  op2i_free(ours.written);
  memcpy(block, &ours.block, sizeof *block);
  ours.block = block;
  ours.list = block + 1;
  ours.written = written;
  ours.room = room;
  return true;
}

static const struct op2i_env_change *find_change(const struct op2i_env_change *changes,
                                                 int nchanges, const char *entry) {
  for (int c = 0; c < nchanges; c++)
    if (names(entry, changes[c].name)) return &changes[c];
  return NULL;
}

bool op2i_env_replace(const struct op2i_env_change *changes, int nchanges) {
  char *added[OP2I_ENV_CHANGES], **own = present();
  size_t count = 0, n = 0;
  for (int c = 0; c < nchanges; c++) {
    added[c] = changes[c].value ? entry_for(&changes[c]) : NULL;
    if (changes[c].value && !added[c]) return false;
    ours.before[c] = (struct op2i_env_change){changes[c].name, op2i_env_raw(changes[c].name)};
  }
  while (own && own[count]) count++;
  if (!make_room(count + (size_t)nchanges + 1)) return false;
  for (size_t i = 0; i < count; i++)
    if (!find_change(changes, nchanges, own[i])) ours.written[n++] = own[i];
  for (int c = 0; c < nchanges; c++)
    if (added[c]) ours.written[n++] = added[c];
  while (n < ours.room) ours.written[n++] = NULL;
  memcpy(ours.list, ours.written, ours.room * sizeof *ours.list);
  ours.nchanges = nchanges;
  __atomic_store_n(&programs, own ? own : none, __ATOMIC_SEQ_CST);
  put_environ(ours.list);
  return true;
}

/* The program has changed its environment meanwhile, in our list or in a copy of it. That list
 * stays its environment from now on, and only the variables that were changed here get their old
 * values. */
static void put_back_each(void) {
  if (present() == ours.list) {
    ours.list = NULL;
    ours.room = 0;
  }
  for (int c = 0; c < ours.nchanges; c++)
    if (ours.before[c].value)
      setenv(ours.before[c].name, ours.before[c].value, 1);
    else
      unsetenv(ours.before[c].name);
}

void op2i_env_put_back(void) {
  bool alone =
      present() == ours.list && !memcmp(ours.list, ours.written, ours.room * sizeof *ours.list);
  if (alone)
    put_environ(programs);
  else
    put_back_each();
  __atomic_store_n(&programs, NULL, __ATOMIC_SEQ_CST);
}

void op2i_env_in_child(void) {
  if (programs && present() == ours.list) put_environ(programs);
  programs = NULL;
}
