/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_FILE_PLAIN_H
#define OP2_TEST_FILE_PLAIN_H

#include <hdf5.h>
#include <stdint.h>

#include "op2.h"
#include "op2/io.h"

/* A small file as OP2 writes it, by the calls of its op_hdf5.cpp, and checks of the values read
 * from it. */
extern hid_t op2_file_id; /* the one being written */
/* Attributes that are negative, or null, are not written. */
struct plain {
  const char *name;
  hid_t stored, given; /* types in the file, and of the given values */
  int rows, columns;   /* 0 columns: one dimension */
  const void *values;
  int size, dim;
  const char *type;
  size_t length;
};
void plain_set(const char *name, int size);
void plain_array(const struct plain *p);

/* Two sets of three, a map between them, three dats and a constant. */
extern const int32_t plain_ends[6];
extern const double plain_places[6], plain_far_field[4];
void write_as_op2(const char *where);

struct small {
  op2_set nodes, edges;
  op2_map pedge;
  op2_dat x, bound, len;
};
op2_status read_small(op2_file file, struct small *s);
void destroy_small(struct small *s);

/* The number of open HDF5 objects: files, datasets, attributes, groups, spaces and lists. */
int64_t hdf5_open_ids(void);

/* The call fails with this status, and its message has all of the words. */
void file_refused(op2_status status, op2_status want, const char *file, int line, int n,
                  const char *const *words);
#define REFUSES(want_, call_, ...)                                                                 \
  do {                                                                                             \
    const char *words_[] = {__VA_ARGS__};                                                          \
    const op2_status status_ = (call_);                                                            \
    file_refused(status_, want_, __FILE__, __LINE__, (int)(sizeof words_ / sizeof *words_),        \
                 words_);                                                                          \
  } while (0)

#endif
