/* SPDX-License-Identifier: BSD-3-Clause */
/* Choices between forms of a loop, as files of the cache of compiled loops. */
#include "choice.h"

#include <string.h>

#include "cache.h"
#include "context.h"
#include "jit_state.h"
#include "mem.h"
#include "prune.h"

/* A file has no gaps, since its digest covers all bytes before it. */
struct compared {
  uint64_t known, better, runs;
  int64_t elements;
  double seconds[2];
};
struct record {
  char magic[8];
  struct op2i_key vector, scalar;
  uint64_t memory;
  struct compared comparisons[2];
  struct op2i_key digest;
};
static const char magic[8] = {'o', 'p', '2', 't', 'r', 'y', '0', '3'};

static struct compared pack(const struct op2i_comparison *from) {
  return (struct compared){.known = from->known,
                           .better = from->second,
                           .runs = (uint64_t)from->runs,
                           .elements = from->elements,
                           .seconds = {from->seconds[0], from->seconds[1]}};
}

static struct op2i_comparison unpack(const struct compared *from) {
  return (struct op2i_comparison){.known = from->known,
                                  .second = from->better,
                                  .runs = (int32_t)from->runs,
                                  .elements = from->elements,
                                  .seconds = {from->seconds[0], from->seconds[1]}};
}

static struct op2i_key digest_of(const struct record *record) {
  return op2i_digest(record, sizeof *record - sizeof record->digest);
}

static void name_of(struct op2i_key vector, enum op2i_memory memory, char name[OP2I_PRUNE_NAME]) {
  const uint64_t parts[] = {vector.low, vector.high, memory};
  op2i_key_text(op2i_digest(parts, sizeof parts), name);
  strcat(name, OP2I_CHOICE_SUFFIX);
}

static bool sound(const struct record *record, struct op2i_key vector, enum op2i_memory memory) {
  return !memcmp(record->magic, magic, sizeof magic) && op2i_key_equal(record->vector, vector) &&
         record->memory == memory && op2i_key_equal(record->digest, digest_of(record));
}

op2_status op2i_choice_read(op2_context ctx, struct op2i_key vector, enum op2i_memory memory,
                            struct op2i_choice *choice, bool *found) {
  char name[OP2I_PRUNE_NAME];
  struct op2i_bytes bytes = {0};
  struct record record = {0};
  name_of(vector, memory, name);
  op2_status status = op2i_cache_file(ctx, &ctx->jit->cache, name, &bytes);
  if (!status && bytes.size == sizeof record) memcpy(&record, bytes.data, sizeof record);
  *found = !status && sound(&record, vector, memory);
  op2i_free(bytes.data);
  if (*found)
    *choice = (struct op2i_choice){.prefetch = unpack(&record.comparisons[0]),
                                   .scalar = unpack(&record.comparisons[1]),
                                   .scalar_key = record.scalar};
  return status;
}

void op2i_choice_write(op2_context ctx, struct op2i_key vector, enum op2i_memory memory,
                       const struct op2i_choice *choice) {
  char name[OP2I_PRUNE_NAME];
  struct record record = {.vector = vector,
                          .scalar = choice->scalar_key,
                          .memory = memory,
                          .comparisons = {pack(&choice->prefetch), pack(&choice->scalar)}};
  memcpy(record.magic, magic, sizeof magic);
  record.digest = digest_of(&record);
  name_of(vector, memory, name);
  op2i_cache_put(ctx, &ctx->jit->cache, name,
                 (struct op2i_bytes){(unsigned char *)&record, sizeof record});
}
