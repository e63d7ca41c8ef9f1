/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PRUNE_H
#define OP2I_PRUNE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The limit of the cache on disk. The time of an entry's last use is its time of modification: a
 * process that loads an entry which was not used for an hour sets it. Other processes may load,
 * write and prune at the same time: what they have loaded is in memory, and what they have written
 * or used meanwhile is kept. */

enum { OP2I_PRUNE_NAME = 64 };
#define OP2I_PLAIN_SUFFIX  ".any" /* suffix of an entry's name under a key without the compiler */
#define OP2I_CHOICE_SUFFIX ".try" /* of a choice between two forms of code: see choice.h */
/* Entries that were written or used in the last so many seconds are kept, whatever the limit. */
enum { OP2I_PRUNE_RECENT = 300 };

/* Return the time of the last use in nanoseconds since 1970. */
int64_t op2i_prune_used(const struct stat *st);
/* Record that the open entry was used. */
void op2i_prune_renew(int fd);
/* If entries of all versions of generated code, in this folder and those beside it, take more than
 * `limit` bytes, remove those that were not used for longest until they take three quarters of it.
 * Returns the bytes that are left; *removed is the number of removed entries. */
int64_t op2i_prune(int folder, int64_t limit, int64_t *removed);
/* Remove an entry unless it was used after `used`. */
bool op2i_prune_entry(int folder, const char *name, int64_t used);
/* Make a unique name in a cache's folder; files that a killed process leaves under such names are
 * removed later. */
#define OP2I_TEMPORARY "tmp-"
void op2i_temporary_name(char name[OP2I_PRUNE_NAME]);

#endif
