/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FOLDER_H
#define OP2I_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "op2/status.h"
#include "text.h"

/* Folders that this user alone can change. */

struct op2i_folder {
  int fd;       /* -1: not open */
  char *path;   /* absolute, free of symbolic links */
  bool unsafe;  /* it is not open because somebody else could exchange it: see path.h */
  bool unknown; /* on the way to it, nobody was taken for root: see path.h */
};

/* Open a folder that belongs to the user, to root or to somebody in `trust` (see trust.h; may be
 * null), making it and its parents where they are missing. When it is missing and cannot be made,
 * is not a folder, it or one on the way to it belongs to or can be changed by others, or it lies
 * where nothing may be executed, `why` says so and folder->fd is -1: the call itself fails only for
 * lack of memory. */
op2_status op2i_folder_open(struct op2i_folder *folder, const char *path, const char *trust,
                            struct op2i_text *why);
void op2i_folder_close(struct op2i_folder *folder);

/* Remove what has this name in an open folder, whatever it is; 0 or an errno value. A folder that is
 * not empty is renamed to `aside` first (unless that is null), so that its name is free even where
 * something in it resists. */
int op2i_folder_discard(int folder, const char *name, const char *aside);

/* Private folders for the files of running compilers, made at the first need, one in each temporary
 * parent that is tried, and removed when those have ended. Their owner holds a lock on them; those
 * whose owner died are swept by others after an hour. */
enum { OP2I_SCRATCH_PARENTS = 5 };
struct op2i_scratch {
  struct op2i_folder folder[OP2I_SCRATCH_PARENTS]; /* fd -1: not made */
  bool swept;
};
void op2i_scratch_init(struct op2i_scratch *scratch);
/* Have a folder with room in it, in the first parent from number *parent on that works; *parent
 * becomes its number, and OP2I_SCRATCH_PARENTS when none works. `last` is the one to try after all
 * others, or null. `why` tells of those that failed. */
op2_status op2i_scratch_find(struct op2i_scratch *scratch, int *parent, const char *last,
                             struct op2i_text *why);
/* Whether there is still room. */
bool op2i_scratch_works(const struct op2i_scratch *scratch, int parent);
void op2i_scratch_close(struct op2i_scratch *scratch);

enum { OP2I_STALE_SECONDS = 3600 }; /* age at which leftovers of killed processes are removed */

#endif
