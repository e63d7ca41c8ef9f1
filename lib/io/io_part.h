/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IO_PART_H
#define OP2I_IO_PART_H

/* A file that is being written. It is written beside the one that it will replace, as
 * NAME.op2-part, and is renamed when all its data are known to be on the disk: until then the
 * former file is unchanged, whatever fails and whichever process is killed. One rank, the leader,
 * creates the part and renames it; all ranks write into it. A failure is recorded: all functions
 * after the first failure do nothing and fail too, so that callers may check once, after several
 * calls. Nothing here prints, waits for other ranks or depends on the format. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct op2i_io_part {
  char *target;      /* the final name, absolute, without symbolic links */
  char *name;        /* the name of the part until it is renamed */
  int fd;            /* -1: closed */
  int failed;        /* errno of the first failure; 0: none */
  const char *doing; /* what failed: "... cannot be <doing>" */
  pid_t owner;       /* a forked child has a copy of the file, and must not write to it */
  /* Device and inode distinguish the leader's part from another program's of the same name. */
  dev_t device;
  ino_t inode;
  bool leads;  /* this rank creates and renames it */
  bool shared; /* other ranks write to it as well */
};

/* Record a failure and return false. Only the first one counts; later ones follow from it. */
bool op2i_io_part_fail(struct op2i_io_part *part, const char *doing, int error);
/* The number of bytes that target and name each need for a path. */
size_t op2i_io_part_room(const char *path);
/* Find the names. A relative path starts at the present working directory. */
bool op2i_io_part_name(struct op2i_io_part *part, const char *path);
/* The leader creates the part, replacing one that a killed program may have left, and writes a
 * number into it. Fails if the target exists but is no regular file, or is not writable. */
bool op2i_io_part_create(struct op2i_io_part *part, int64_t number);
/* Another rank opens the part. Fails if it does not exist, or has another number, as on disks that
 * belong to one machine each. */
bool op2i_io_part_join(struct op2i_io_part *part, int64_t number);
/* The leader removes the number, and makes the part a copy of the target if `copy` is set. */
bool op2i_io_part_begin(struct op2i_io_part *part, bool copy);
/* Reserve space on the disk, so that later writes do not fail for lack of it. */
bool op2i_io_part_reserve(struct op2i_io_part *part, int64_t offset, int64_t bytes);
bool op2i_io_part_write(struct op2i_io_part *part, const void *data, size_t bytes, int64_t offset);
/* Read bytes. Those beyond the end are zero. */
bool op2i_io_part_read(struct op2i_io_part *part, void *data, size_t bytes, int64_t offset);
bool op2i_io_part_resize(struct op2i_io_part *part, int64_t bytes);
int64_t op2i_io_part_size(const struct op2i_io_part *part); /* -1 on failure */
/* Return once the data that this rank has written are on the disk. */
bool op2i_io_part_sync(struct op2i_io_part *part);
/* Records a failure with op2i_io_part_fail() unless the part is a complete file of its format. */
typedef bool op2i_io_whole(struct op2i_io_part *part, int64_t bytes);
/* The leader checks that the part is a complete file of so many bytes, closes it and renames it to
 * the target. If `whole` is null, only the size is checked. */
bool op2i_io_part_keep(struct op2i_io_part *part, int64_t bytes, op2i_io_whole *whole);
/* Close it; the leader also removes a part that was not kept. Safe after each of the above. */
void op2i_io_part_drop(struct op2i_io_part *part);

#endif
