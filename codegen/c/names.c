/* SPDX-License-Identifier: BSD-3-Clause */
/* An index of words. It keeps the time to read a kernel's source proportional to its length,
 * however many names it declares. */
#include "names.h"

#include <string.h>

#include "mem.h"

/* FNV-1a hash. */
static uint32_t hash_word(const char *word, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)word[i]) * 16777619u;
  return hash;
}

static int64_t *slot_of(const struct op2i_names *names, uint32_t hash) {
  return &names->slots[hash & (uint32_t)(names->nslots - 1)];
}

static void link_entry(struct op2i_names *names, int64_t entry) {
  int64_t *slot = slot_of(names, names->list[entry].hash);
  names->list[entry].next = *slot;
  *slot = entry;
}

static bool grow_slots(struct op2i_names *names) {
  enum { FIRST = 32 };
  if (names->count < names->nslots) return true;
  int64_t nslots = names->nslots ? 2 * names->nslots : FIRST;
  int64_t *slots = op2i_malloc((size_t)nslots * sizeof *slots);
  if (!slots) return false;
  for (int64_t s = 0; s < nslots; s++) slots[s] = -1;
  op2i_free(names->slots);
  names->slots = slots;
  names->nslots = nslots;
  for (int64_t e = 0; e < names->count; e++) link_entry(names, e);
  return true;
}

bool op2i_names_add(struct op2i_names *names, const char *word, size_t length, int64_t value) {
  if (!grow_slots(names) ||
      op2i_grow(&names->list, sizeof *names->list, names->count, &names->capacity))
    return false;
  names->list[names->count] = (struct op2i_name){
      .word = word, .length = length, .hash = hash_word(word, length), .value = value};
  link_entry(names, names->count++);
  return true;
}

static int64_t same_from(const struct op2i_names *names, int64_t entry, const char *word,
                         size_t length, uint32_t hash) {
  for (; entry >= 0; entry = names->list[entry].next) {
    const struct op2i_name *name = &names->list[entry];
    if (name->hash == hash && name->length == length && !memcmp(name->word, word, length)) break;
  }
  return entry;
}

int64_t op2i_names_find(const struct op2i_names *names, const char *word, size_t length) {
  uint32_t hash = hash_word(word, length);
  return names->count ? same_from(names, *slot_of(names, hash), word, length, hash) : -1;
}

int64_t op2i_names_older(const struct op2i_names *names, int64_t entry) {
  const struct op2i_name *name = &names->list[entry];
  return same_from(names, name->next, name->word, name->length, name->hash);
}

void op2i_names_cut(struct op2i_names *names, int64_t count) {
  while (names->count > count) {
    const struct op2i_name *last = &names->list[--names->count];
    *slot_of(names, last->hash) = last->next;
  }
}

void op2i_names_free(struct op2i_names *names) {
  op2i_free(names->list);
  op2i_free(names->slots);
  *names = (struct op2i_names){0};
}
