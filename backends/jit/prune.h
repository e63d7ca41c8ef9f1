/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PRUNE_H
#define OP2I_PRUNE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The limit of the cache on disk. When an entry was last used is its time of modification: who
 * loads one that was not used for an hour sets it. Other processes may load, write and prune at the
 * same time: what they load is in memory, and what they have written or used meanwhile stays. */

enum { OP2I_PRUNE_NAME = 64 };
#define OP2I_PLAIN_SUFFIX ".any" /* of an entry's name under a key without the compiler */
/* What was written or used in so many seconds stays, whatever the limit. */
enum { OP2I_PRUNE_RECENT = 300 };

/* Nanoseconds since 1970. */
int64_t op2i_prune_used(const struct stat *st);
/* The entry that is open was used. */
void op2i_prune_renew(int fd);
/* Where entries of all versions of generated code, in this folder and those beside it, take more
 * than `limit` bytes, remove those not used for longest until they take three quarters of it.
 * Returns how many bytes are left; *removed is how many entries went. */
int64_t op2i_prune(int folder, int64_t limit, int64_t *removed);
/* Remove an entry unless it was used after `used`. */
bool op2i_prune_entry(int folder, const char *name, int64_t used);
/* A name in a cache's folder that nobody else takes; who is killed leaves it to be swept. */
#define OP2I_TEMPORARY "tmp-"
void op2i_temporary_name(char name[OP2I_PRUNE_NAME]);

#endif
