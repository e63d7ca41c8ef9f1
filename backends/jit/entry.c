/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of the cache on disk: checking them, and building them from an image, its keys and its
 * dependencies. */
#include "entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "error.h"
#include "image.h"
#include "mem.h"

enum { VERSION = 2 };
static const char magic[8] = {'o', 'p', '2', 'e', 'n', 't', 'r', 'y'};

struct tail {
  char magic[8];
  uint64_t image_bytes, list_bytes;
  uint32_t version, nkeys;
  struct op2i_key digest;
};

void op2i_key_text(struct op2i_key key, char text[OP2I_KEY_CHARS]) {
  snprintf(text, OP2I_KEY_CHARS, "%016" PRIx64 "%016" PRIx64, key.high, key.low);
}

struct op2i_key op2i_digest(const void *data, size_t size) {
  XXH128_hash_t hash = XXH3_128bits(data, size);
  return (struct op2i_key){hash.low64, hash.high64};
}

/* ---- checks of entries ----------------------------------------------------------------------- */

static const char *read_tail(struct op2i_bytes entry, struct tail *tail) {
  if (entry.size <= sizeof *tail) return "the file is too short";
  size_t body = entry.size - sizeof *tail;
  memcpy(tail, entry.data + body, sizeof *tail);
  if (memcmp(tail->magic, magic, sizeof magic) != 0)
    return "the file is cut off or not one of ours";
  if (tail->version != VERSION) return "another version wrote the file";
  uint64_t keys_bytes = (uint64_t)tail->nkeys * sizeof(struct op2i_key);
  if (tail->image_bytes > body || tail->list_bytes > body ||
      tail->image_bytes + tail->list_bytes + keys_bytes != body)
    return "the file's lengths disagree";
  if (!op2i_key_equal(op2i_digest(entry.data, entry.size - sizeof tail->digest), tail->digest))
    return "the file's digest is wrong";
  return NULL;
}

static bool holds(struct op2i_bytes entry, const struct tail *tail, struct op2i_key key) {
  for (uint32_t i = 0; i < tail->nkeys; i++) {
    struct op2i_key held;
    memcpy(&held, entry.data + tail->image_bytes + i * sizeof held, sizeof held);
    if (op2i_key_equal(held, key)) return true;
  }
  return false;
}

const char *op2i_entry_fault(struct op2i_bytes entry, struct op2i_key key) {
  struct tail tail;
  const char *fault = read_tail(entry, &tail);
  if (fault) return fault;
  if (!holds(entry, &tail, key)) return "the file holds other loops";
  return op2i_image_fault((struct op2i_bytes){entry.data, tail.image_bytes});
}

struct op2i_bytes op2i_entry_image(struct op2i_bytes entry, struct op2i_key key) {
  struct tail tail;
  if (read_tail(entry, &tail) || !holds(entry, &tail, key)) return (struct op2i_bytes){0};
  return (struct op2i_bytes){entry.data, tail.image_bytes};
}

struct op2i_bytes op2i_entry_list(struct op2i_bytes entry) {
  struct tail tail;
  if (read_tail(entry, &tail)) return (struct op2i_bytes){0};
  size_t before = tail.image_bytes + tail.nkeys * sizeof(struct op2i_key);
  return (struct op2i_bytes){entry.data + before, tail.list_bytes};
}

/* ---- building an entry ----------------------------------------------------------------------- */

op2_status op2i_entry_build(struct op2i_bytes image, const struct op2i_key *keys, int64_t nkeys,
                            struct op2i_bytes list, struct op2i_bytes *entry) {
  struct tail tail = {.image_bytes = image.size,
                      .list_bytes = list.size,
                      .version = VERSION,
                      .nkeys = (uint32_t)nkeys};
  memcpy(tail.magic, magic, sizeof magic);
  size_t keys_bytes = (size_t)nkeys * sizeof *keys,
         size = image.size + keys_bytes + list.size + sizeof tail;
  unsigned char *data = op2i_malloc(size), *at = data;
  if (!data) return op2i_error_nomem("an entry of the cache");
  memcpy(at, image.data, image.size);
  memcpy(at += image.size, keys, keys_bytes);
  if (list.size) memcpy(at + keys_bytes, list.data, list.size);
  memcpy(at += keys_bytes + list.size, &tail, sizeof tail);
  tail.digest = op2i_digest(data, size - sizeof tail.digest);
  memcpy(data + size - sizeof tail.digest, &tail.digest, sizeof tail.digest);
  *entry = (struct op2i_bytes){data, size};
  return OP2_SUCCESS;
}
