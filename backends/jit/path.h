/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PATH_H
#define OP2I_PATH_H

#include <limits.h>
#include <stdbool.h>

#include "text.h"

/* The path to a folder that only its user and root can change. Any user who may write to a folder
 * on the path could replace what is below it. */

enum op2i_path_last {
  OP2I_PATH_OWN,    /* the last folder is not judged: the caller does that */
  OP2I_PATH_PARENT, /* it is judged like the folders on the path to it */
};
struct op2i_path {
  int fd;              /* descriptor of the last folder, opened with O_PATH; -1: there is a fault */
  char real[PATH_MAX]; /* its name without symbolic links */
  bool unsafe;         /* True if the fault is that another user could change what is below */
  bool unknown;        /* True if a folder's owner has no number in this user namespace and was
                          taken for root */
};

/* Walk from the root to a folder by descriptors, so that the folders that were judged are the ones
 * that are opened. Missing folders are made, private, if `make` is true; only the target of a
 * symbolic link must exist. A folder on the path is at fault if it does not belong to the user, to
 * root or to a user in `trust` (see trust.h), or if others who are not in `trust` can change it and
 * it is not sticky. If there is such a folder, or the path does not lead to a folder, `why` is its
 * name and what is wrong with it. */
void op2i_path_open(struct op2i_path *path, const char *name, bool make, enum op2i_path_last last,
                    const char *trust, struct op2i_text *why);
void op2i_path_close(struct op2i_path *path);

#endif
