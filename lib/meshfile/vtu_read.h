/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VTU_READ_H
#define OP2I_VTU_READ_H

/* Reading of VTK's XML files of unstructured grids, of one piece or several. */

#include "meshfile_raw.h"
#include "vtu_decode.h"

/* The piece that each node came with. */
struct op2i_vtu_pieces {
  int64_t n;      /* that were read */
  int64_t *first; /* [n] their first nodes */
  int64_t capacity;
};

/* vtu_read.c: read a file, or one that names files of pieces. */
bool op2i_vtu_read(const struct op2i_xml *xml, struct op2i_raw *raw);
/* Add the pieces of a file to a mesh. */
bool op2i_vtu_pieces_read(const struct op2i_xml *xml, struct op2i_raw *raw,
                          struct op2i_vtu_pieces *pieces);
/* vtu_join.c: make one node of those of several pieces that have the same place. */
bool op2i_vtu_pieces_join(struct op2i_scan *scan, struct op2i_raw *raw,
                          const struct op2i_vtu_pieces *pieces);

#endif
