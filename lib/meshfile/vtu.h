/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_VTU_H
#define OP2I_VTU_H

/* Files of VTK's format of unstructured grids. All that is known when a file is asked for is put
 * into a job; the values of dats are added when the queue runs it. */

#include "companion.h"
#include "meshfile.h"
#include "op2/loop.h"

struct op2i_vtu_dat {
  char name[200];
  op2_type type;
  int dim;
  bool on_nodes; /* else on the cells of the file */
  int argument;  /* which argument of the call has the values */
};

struct op2i_vtu_job {
  const struct op2i_companion *op2;
  op2_context ctx;
  char *path;    /* this rank's piece */
  char *part;    /* its name until it is complete */
  char *index;   /* .pvtu of all pieces, or null; rank 0 alone has one */
  char *stem;    /* the name of pieces in it, without number and suffix */
  char *series;  /* .pvd that the file belongs to, or null; rank 0 alone has one */
  char *entries; /* the lines of that, as of when the job was queued */
  int ranks;
  int space; /* of the coordinates */
  int64_t npoints, ncells;
  int64_t *point;        /* [npoints] which of the rank's nodes they are */
  int64_t *connectivity; /* points of each cell */
  int64_t *offset;       /* [ncells] where they end */
  uint8_t *type;         /* [ncells] VTK's numbers */
  int ndats;
  struct op2i_vtu_dat *dats; /* [ndats] */
  bool written;
};

/* vtu_job.c: a job for a file of the dats, which are on nodes and on one of the mesh's other sets. A
 * null path makes no file. */
op2_status op2i_vtu_job_make(op2_mesh mesh, const char *path, int n, const op2_dat *dats,
                             struct op2i_vtu_job **out);
void op2i_vtu_job_free(void *job); /* removes a part that is not complete */
/* A copy of a text with another one behind it, or null without memory. */
char *op2i_vtu_join(const struct op2i_companion *op2, const char *text, const char *more);

/* vtu_file.c: an op2_call_function. values[0] are the coordinates, those of dats follow. */
int op2i_vtu_job_run(void *job, void *const *values);

/* vtu_zlib.c: the name of the compressor, or null. */
extern const char *const op2i_vtu_compressor;
/* The most bytes that `size` bytes take when they are compressed, and compression; the number of
 * bytes is returned, 0 if it failed. */
size_t op2i_vtu_compressed_most(size_t size);
size_t op2i_vtu_compress(const void *data, size_t size, void *out, size_t room);

#endif
