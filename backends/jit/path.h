/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PATH_H
#define OP2I_PATH_H

#include <limits.h>
#include <stdbool.h>

#include "text.h"

/* The way to a folder that only its user and root can change. Whoever may write to any folder on
 * the way could put another one in the place of what is below. */

enum op2i_path_last {
  OP2I_PATH_OWN,    /* the last folder is not judged: the caller does that */
  OP2I_PATH_PARENT, /* it is judged like those on the way to it */
};
struct op2i_path {
  int fd;              /* of the last folder, opened with O_PATH; -1: there is a fault */
  char real[PATH_MAX]; /* its name without symbolic links */
  bool unsafe;         /* the fault is that somebody else could change what is below */
  bool unknown;        /* a folder's owner has no number in this user namespace and was taken for
                          root */
};

/* Go from the root to a folder, by descriptors, so that what was judged is what is opened. What is
 * missing is made, private, when `make` says so; only what a symbolic link leads to must be there.
 * When a folder on the way belongs to neither the user nor root nor somebody in `trust` (see
 * trust.h), can be changed by others who are not in `trust` and is not sticky, or the way does not
 * lead to a folder, `why` gets the name of the culprit and what is wrong with it. */
void op2i_path_open(struct op2i_path *path, const char *name, bool make, enum op2i_path_last last,
                    const char *trust, struct op2i_text *why);
void op2i_path_close(struct op2i_path *path);

#endif
