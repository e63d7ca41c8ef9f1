/* SPDX-License-Identifier: BSD-3-Clause */
/* An entry of the cache on disk: object code between a head and a digest; reading, checking,
 * writing. */
#include "entry.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "error.h"
#include "image.h"
#include "mem.h"
#include "text.h"

enum { VERSION = 1 };
static const char magic[8] = {'o', 'p', '2', 'e', 'n', 't', 'r', 'y'};

struct tail {
  char magic[8];
  uint64_t image_bytes, files_bytes;
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

/* ---- sound entries --------------------------------------------------------------------------- */

static const char *read_tail(struct op2i_bytes entry, struct tail *tail) {
  if (entry.size <= sizeof *tail) return "the file is too short";
  size_t body = entry.size - sizeof *tail;
  memcpy(tail, entry.data + body, sizeof *tail);
  if (memcmp(tail->magic, magic, sizeof magic) != 0)
    return "the file is cut off or not one of ours";
  if (tail->version != VERSION) return "another version wrote the file";
  uint64_t keys_bytes = (uint64_t)tail->nkeys * sizeof(struct op2i_key);
  if (tail->image_bytes > body || tail->files_bytes > body ||
      tail->image_bytes + tail->files_bytes + keys_bytes != body)
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

/* ---- headers --------------------------------------------------------------------------------- */

/* A header that cannot be read has no digest: *found is false. */
static op2_status digest_file(const char *name, struct op2i_key *digest, bool *found) {
  struct op2i_bytes bytes = {0};
  const char *fault;
  op2_status status = op2i_file_load(name, &bytes, &fault);
  *found = status == OP2_SUCCESS && !fault;
  if (!*found) return status;
  *digest = op2i_digest(bytes.data, bytes.size);
  op2i_free(bytes.data);
  return OP2_SUCCESS;
}

op2_status op2i_entry_fresh(struct op2i_bytes entry, bool *fresh) {
  struct tail tail;
  *fresh = false;
  if (read_tail(entry, &tail)) return OP2_SUCCESS;
  const unsigned char *at = entry.data + tail.image_bytes + tail.nkeys * sizeof(struct op2i_key);
  const unsigned char *end = at + tail.files_bytes;
  while (at < end) {
    struct op2i_key was, is;
    memcpy(&was, at, sizeof was);
    const char *name = (const char *)at + sizeof was;
    bool found;
    op2_status status = digest_file(name, &is, &found);
    if (status != OP2_SUCCESS) return status;
    if (!found || !op2i_key_equal(was, is)) return OP2_SUCCESS;
    at += sizeof was + strlen(name) + 1;
  }
  *fresh = true;
  return OP2_SUCCESS;
}

/* Take the next name off a make rule; blanks, # and $ in names are escaped as GNU make wants it. */
static const char *next_name(const char *rule, char name[PATH_MAX]) {
  size_t length = 0;
  for (;; rule++) {
    if (rule[0] == '\\' && rule[1] == '\n')
      rule++;
    else if (*rule != ' ' && *rule != '\n')
      break;
  }
  for (; *rule && *rule != ' ' && *rule != '\n' && length < PATH_MAX - 1; rule++) {
    if (rule[0] == '\\' && rule[1] == '\n') break;
    if (rule[0] == '\\' && (rule[1] == ' ' || rule[1] == '#' || rule[1] == '\\'))
      rule++;
    else if (rule[0] == '$' && rule[1] == '$')
      rule++;
    name[length++] = *rule;
  }
  name[length] = '\0';
  return rule;
}

/* "target: source header header ...": all but the first two. */
static op2_status add_files(struct op2i_text *files, const char *rule) {
  char name[PATH_MAX];
  for (int i = 0; *(rule = next_name(rule, name)) || name[0]; i++) {
    struct op2i_key digest;
    bool found;
    if (i < 2) continue;
    op2_status status = digest_file(name, &digest, &found);
    if (status != OP2_SUCCESS) return status;
    /* Gone already: an impossible digest makes the entry stale from the start. */
    if (!found) digest = (struct op2i_key){0};
    op2i_text_bytes(files, (const char *)&digest, sizeof digest);
    op2i_text_bytes(files, name, strlen(name) + 1);
  }
  return files->failed ? op2i_error_nomem("a list of headers") : OP2_SUCCESS;
}

/* ---- making ---------------------------------------------------------------------------------- */

op2_status op2i_entry_build(struct op2i_bytes image, const struct op2i_key *keys, int64_t nkeys,
                            const char *rule, struct op2i_bytes *entry) {
  struct op2i_text files = {0};
  op2_status status = OP2_SUCCESS;
  if (rule) OP2I_TRY(add_files(&files, rule));
  struct tail tail = {.image_bytes = image.size,
                      .files_bytes = files.length,
                      .version = VERSION,
                      .nkeys = (uint32_t)nkeys};
  memcpy(tail.magic, magic, sizeof magic);
  size_t keys_bytes = (size_t)nkeys * sizeof *keys,
         size = image.size + keys_bytes + files.length + sizeof tail;
  unsigned char *data = op2i_malloc(size), *at = data;
  if (!data) {
    status = op2i_error_nomem("an entry of the cache");
    goto fail;
  }
  memcpy(at, image.data, image.size);
  memcpy(at += image.size, keys, keys_bytes);
  if (files.length) memcpy(at + keys_bytes, files.chars, files.length);
  memcpy(at += keys_bytes + files.length, &tail, sizeof tail);
  tail.digest = op2i_digest(data, size - sizeof tail.digest);
  memcpy(data + size - sizeof tail.digest, &tail.digest, sizeof tail.digest);
  *entry = (struct op2i_bytes){data, size};
fail:
  op2i_text_free(&files);
  return status;
}
