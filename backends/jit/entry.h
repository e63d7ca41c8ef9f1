/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_ENTRY_H
#define OP2I_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "file.h"

/* An entry of the cache is a shared object, followed by the data that are needed to trust it, which
 * loaders ignore:
 *
 *   image | keys | list | tail
 *
 * keys: of all texts in the image, 16 bytes each. list: what the image depends on beside its keys
 * (depend.h). The tail ends with the digest of all that precedes the digest, so that a change of
 * any bit is detected. */

struct op2i_key {
  uint64_t low, high;
};
enum { OP2I_KEY_CHARS = 33 };
void op2i_key_text(struct op2i_key key, char text[OP2I_KEY_CHARS]);
static inline bool op2i_key_equal(struct op2i_key a, struct op2i_key b) {
  return a.low == b.low && a.high == b.high;
}
struct op2i_key op2i_digest(const void *data, size_t size);

/* Return null if `entry` is sound and holds the function of `key`, else what is wrong with it. */
const char *op2i_entry_fault(struct op2i_bytes entry, struct op2i_key key);

/* Return the image of a sound entry that holds this key, whatever it contains; data is null if the
 * entry is not sound or does not hold the key. */
struct op2i_bytes op2i_entry_image(struct op2i_bytes entry, struct op2i_key key);

/* Return the list of files that a sound entry depends on. It points into the bytes of the entry. */
struct op2i_bytes op2i_entry_list(struct op2i_bytes entry);

/* Make an entry from an image and the list of its dependencies, which may be empty. */
op2_status op2i_entry_build(struct op2i_bytes image, const struct op2i_key *keys, int64_t nkeys,
                            struct op2i_bytes list, struct op2i_bytes *entry);

#endif
