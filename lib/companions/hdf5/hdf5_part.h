/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_HDF5_PART_H
#define OP2I_HDF5_PART_H

/* A file that is being written. It is written beside the one that it is to become, under the name
 * NAME.op2-part, and gets that name when all of it is known to be on the disk: until then, whatever
 * fails and whoever is killed, the former file is what it was. One rank, the leader, makes the part
 * and renames it; all ranks write into it.
 *
 * A failure is remembered. Whatever follows the first failure does nothing and fails too, so that
 * callers may look once, after several calls. Nothing here prints, waits for other ranks or knows
 * HDF5. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct op2i_part {
  char *target;      /* the name that it is to have, absolute, without symbolic links */
  char *name;        /* the name that it has meanwhile */
  int fd;            /* -1: closed */
  int failed;        /* errno of the first failure; 0: none */
  const char *doing; /* what failed: "... cannot be <doing>" */
  pid_t owner;       /* a forked child has a copy of the file, and must not write to it */
  dev_t device; /* device and inode tell the leader's part from another program's of that name */
  ino_t inode;
  bool leads;  /* this rank makes and renames it */
  bool shared; /* other ranks write to it as well */
};

/* The bytes that target and name each need for a path. */
size_t op2i_part_room(const char *path);
/* Put the names together. A relative path is taken from the folder that is the current one now. */
bool op2i_part_name(struct op2i_part *part, const char *path);
/* The leader makes the part, in place of one that a killed program may have left, and signs it with
 * a number. Fails where the target is there but no regular file, or may not be written. */
bool op2i_part_create(struct op2i_part *part, int64_t number);
/* Another rank opens the part. Fails where it is not there, or not the one with this number, as on
 * disks that belong to one machine each. */
bool op2i_part_join(struct op2i_part *part, int64_t number);
/* The leader removes the number, and where `copy` is set makes the part a copy of the target. */
bool op2i_part_begin(struct op2i_part *part, bool copy);
/* Reserve room on the disk, so that writing does not fail for lack of it. */
bool op2i_part_reserve(struct op2i_part *part, int64_t offset, int64_t bytes);
bool op2i_part_write(struct op2i_part *part, const void *data, size_t bytes, int64_t offset);
/* Bytes beyond the end are zero. */
bool op2i_part_read(struct op2i_part *part, void *data, size_t bytes, int64_t offset);
bool op2i_part_resize(struct op2i_part *part, int64_t bytes);
int64_t op2i_part_size(const struct op2i_part *part); /* -1 on failure */
/* Returns when the disk has what this rank wrote. */
bool op2i_part_sync(struct op2i_part *part);
/* The leader looks whether the part is a whole HDF5 file of so many bytes, closes it and gives it
 * the target's name. */
bool op2i_part_keep(struct op2i_part *part, int64_t bytes);
/* Close it; the leader also removes what was not kept. Safe after each of the above. */
void op2i_part_drop(struct op2i_part *part);

#endif
