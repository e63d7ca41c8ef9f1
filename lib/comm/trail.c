/* SPDX-License-Identifier: BSD-3-Clause */
/* The public calls that a rank has made, with digests by which ranks compare them. */
#include "trail.h"

#include <stdio.h>
#include <string.h>

uint64_t op2i_digest_bytes(uint64_t digest, const void *bytes, size_t n) {
  const unsigned char *at = bytes;
  digest = op2i_hash_word(digest, n);
  for (; n >= sizeof(uint64_t); n -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    digest = op2i_hash_word(digest, word);
  }
  uint64_t last = 0;
  memcpy(&last, at, n);
  return op2i_hash_word(digest, last);
}

uint64_t op2i_digest_text(uint64_t digest, const char *text) {
  return text ? op2i_digest_bytes(digest, text, strlen(text)) : op2i_hash_word(digest, 1);
}

/* A text that is too long keeps its end, which tells more than its beginning, above all for
 * paths. */
static void keep_end(char *to, size_t size, const char *text) {
  size_t length = text ? strlen(text) : 0;
  if (length >= size) text += length - (size - 1);
  if (length >= size) length = size - 1;
  if (length) memcpy(to, text, length);
  to[length] = '\0';
}

void op2i_trail_add(struct op2i_trail *trail, const char *call, const char *name, op2_where where,
                    uint64_t arguments, uint64_t values) {
  if (!trail) return;
  uint64_t digest = trail->number ? op2i_trail_at(trail, trail->number)->digest : 0;
  struct op2i_trail_entry *entry = &trail->entries[++trail->number % OP2I_TRAIL_CALLS];
  keep_end(entry->words.call, sizeof entry->words.call, call);
  keep_end(entry->words.name, sizeof entry->words.name, name);
  keep_end(entry->words.file, sizeof entry->words.file, where.file);
  entry->words.line = where.line;
  entry->words.arguments = arguments;
  entry->words.values = values;
  digest = op2i_digest_bytes(digest, entry->words.call, strlen(entry->words.call));
  entry->digest = op2i_hash_word(op2i_hash_word(digest, arguments), values);
}

int64_t op2i_trail_oldest(const struct op2i_trail *trail) {
  return trail->number < OP2I_TRAIL_CALLS ? 1 : trail->number - OP2I_TRAIL_CALLS + 1;
}

bool op2i_trail_has(const struct op2i_trail *trail, int64_t number) {
  return number >= op2i_trail_oldest(trail) && number <= trail->number;
}

const struct op2i_trail_entry *op2i_trail_at(const struct op2i_trail *trail, int64_t number) {
  return &trail->entries[number % OP2I_TRAIL_CALLS];
}

void op2i_trail_describe(const struct op2i_trail_words *words, char text[OP2I_TRAIL_TEXT]) {
  const bool named = words->name[0] != '\0';
  int used = snprintf(text, OP2I_TRAIL_TEXT, "%.31s%s%.39s%s", words->call, named ? " '" : "",
                      words->name, named ? "'" : "");
  if (words->file[0])
    snprintf(text + used, OP2I_TRAIL_TEXT - (size_t)used, " (%.39s:%d)", words->file,
             (int)words->line);
}

const char *op2i_trail_difference(const struct op2i_trail_words *a,
                                  const struct op2i_trail_words *b) {
  if (strcmp(a->call, b->call) || strcmp(a->name, b->name)) return "";
  if (a->arguments != b->arguments) return ", with other arguments, shapes or texts";
  return a->values != b->values ? ", with other values" : "";
}
