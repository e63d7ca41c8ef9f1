/* SPDX-License-Identifier: BSD-3-Clause */
/* Choices between two forms of a loop, as files of the cache of compiled loops. */
#include "choice.h"

#include <string.h>

#include "cache.h"
#include "context.h"
#include "jit_state.h"
#include "mem.h"
#include "prune.h"

/* A file has no gaps, since its digest covers all bytes before it. */
struct record {
  char magic[8];
  struct op2i_key first, second;
  uint64_t memory, better, runs;
  int64_t elements;
  double seconds[2];
  struct op2i_key digest;
};
static const char magic[8] = {'o', 'p', '2', 't', 'r', 'y', '0', '2'};

static struct op2i_key digest_of(const struct record *record) {
  return op2i_digest(record, sizeof *record - sizeof record->digest);
}

static void name_of(struct op2i_key first, enum op2i_memory memory, char name[OP2I_PRUNE_NAME]) {
  const uint64_t parts[] = {first.low, first.high, memory};
  op2i_key_text(op2i_digest(parts, sizeof parts), name);
  strcat(name, OP2I_CHOICE_SUFFIX);
}

static bool sound(const struct record *record, struct op2i_key first, enum op2i_memory memory) {
  return !memcmp(record->magic, magic, sizeof magic) && op2i_key_equal(record->first, first) &&
         record->memory == memory && op2i_key_equal(record->digest, digest_of(record));
}

op2_status op2i_choice_read(op2_context ctx, struct op2i_key first, enum op2i_memory memory,
                            struct op2i_choice *choice, bool *found) {
  char name[OP2I_PRUNE_NAME];
  struct op2i_bytes bytes = {0};
  struct record record = {0};
  name_of(first, memory, name);
  op2_status status = op2i_cache_file(ctx, &ctx->jit->cache, name, &bytes);
  if (!status && bytes.size == sizeof record) memcpy(&record, bytes.data, sizeof record);
  *found = !status && sound(&record, first, memory);
  op2i_free(bytes.data);
  if (*found)
    *choice = (struct op2i_choice){.second_key = record.second,
                                   .second = record.better,
                                   .runs = (int32_t)record.runs,
                                   .elements = record.elements,
                                   .seconds = {record.seconds[0], record.seconds[1]}};
  return status;
}

void op2i_choice_write(op2_context ctx, struct op2i_key first, enum op2i_memory memory,
                       const struct op2i_choice *choice) {
  char name[OP2I_PRUNE_NAME];
  struct record record = {.first = first,
                          .second = choice->second_key,
                          .memory = memory,
                          .better = choice->second,
                          .runs = (uint64_t)choice->runs,
                          .elements = choice->elements,
                          .seconds = {choice->seconds[0], choice->seconds[1]}};
  memcpy(record.magic, magic, sizeof magic);
  record.digest = digest_of(&record);
  name_of(first, memory, name);
  op2i_cache_put(ctx, &ctx->jit->cache, name,
                 (struct op2i_bytes){(unsigned char *)&record, sizeof record});
}
