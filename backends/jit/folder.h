/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_FOLDER_H
#define OP2I_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "op2/status.h"
#include "text.h"

/* Folders that only this user can change. */

struct op2i_folder {
  int fd;       /* -1: not open */
  char *path;   /* absolute, free of symbolic links */
  bool unsafe;  /* True if it is not open because another user could replace it: see path.h */
  bool unknown; /* True if an unknown owner on the path was taken for root: see path.h */
};

/* Open a folder that belongs to the user, to root or to a user in `trust` (see trust.h; may be
 * null); it and its parents are made if they are missing. The folder is refused if it is missing
 * and cannot be made, is not a folder, lies where nothing may be executed, or if it or a folder on
 * its path belongs to others or can be changed by others. Then `why` is the reason and folder->fd
 * is -1: the call itself fails only for lack of memory. */
op2_status op2i_folder_open(struct op2i_folder *folder, const char *path, const char *trust,
                            struct op2i_text *why);
void op2i_folder_close(struct op2i_folder *folder);

/* Remove what has this name in an open folder, whatever it is; returns 0 or an errno value. A
 * folder that is not empty is renamed to `aside` first (unless that is null), so that its name is
 * free even if something in it cannot be removed. */
int op2i_folder_discard(int folder, const char *name, const char *aside);

/* Private folders for the files of running compilers. They are made at first use, one in each
 * temporary parent that is tried, and removed when the compilers have ended. Their owner holds a
 * lock on them; folders whose owner died are removed by other processes after an hour. */
enum { OP2I_SCRATCH_PARENTS = 5 };
struct op2i_scratch {
  struct op2i_folder folder[OP2I_SCRATCH_PARENTS]; /* fd -1: not made */
  bool swept;
};
void op2i_scratch_init(struct op2i_scratch *scratch);
/* Find or make a folder with free space, in the first suitable parent from number *parent on;
 * *parent becomes its number, or OP2I_SCRATCH_PARENTS if there is none. `last` is a parent that is
 * tried after all others, or null. `why` lists the parents that failed. */
op2_status op2i_scratch_find(struct op2i_scratch *scratch, int *parent, const char *last,
                             struct op2i_text *why);
/* True if the folder still has free space. */
bool op2i_scratch_works(const struct op2i_scratch *scratch, int parent);
void op2i_scratch_close(struct op2i_scratch *scratch);

enum { OP2I_STALE_SECONDS = 3600 }; /* age at which leftovers of killed processes are removed */

#endif
