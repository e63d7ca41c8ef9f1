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

/* An array as it is in the file: its head and its blocks, except those that are stored as they are,
 * which are written from the values. */
struct op2i_vtu_coded {
  unsigned char *data;
  size_t size; /* bytes in the file */
  size_t held; /* those that are here */
};

/* The points and cells of a file, which all files of a series share. What it owns is made and freed by the
 * thread that uses the context, except codes, which the thread that writes makes. */
struct op2i_vtu_grid {
  int refs;
  op2_set of;      /* the set whose elements are the cells */
  int64_t changes; /* of the coordinates when it was made */
  int64_t npoints, ncells;
  int64_t *point;                 /* [npoints] which of the rank's nodes they are */
  int64_t *connectivity;          /* points of each cell */
  int64_t *offset;                /* [ncells] where they end */
  uint8_t *type;                  /* [ncells] VTK's numbers */
  struct op2i_vtu_coded coded[4]; /* with all values */
};

/* The arrays of a file: these, and then dats. */
enum { OP2I_VTU_POINTS, OP2I_VTU_CONNECTIVITY, OP2I_VTU_OFFSETS, OP2I_VTU_TYPES, OP2I_VTU_DATS };

struct op2i_vtu_array {
  const char *name;
  op2_type type;
  int components;
  const void *raw; /* the values: the grid's, or copies in the writer's memory */
  size_t bytes;
  struct op2i_vtu_coded own;    /* in the writer's memory, if the grid's are not used */
  struct op2i_vtu_coded *coded; /* one of these, from when they are encoded */
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
  int space;                  /* of the coordinates */
  struct op2i_vtu_grid *grid; /* which has what follows: */
  int64_t npoints, ncells;
  const int64_t *point, *connectivity, *offset;
  const uint8_t *type;
  bool moved; /* the coordinates have changed since the grid was made */
  int ndats;
  struct op2i_vtu_dat *dats;     /* [ndats] */
  struct op2i_vtu_array *arrays; /* [OP2I_VTU_DATS + ndats] */
  struct op2i_vtu_writer *writer;
  void *file; /* the part while it is open */
  bool written;
  int failed; /* error number */
};

/* The queue has this of a job, until the thread that writes takes it. */
struct op2i_vtu_call {
  struct op2i_vtu_job *job;
};

/* vtu_job.c, collective: a job for a file of the dats, which are on nodes and on one of the mesh's other sets. A
 * null path makes no file. *grid is used if it still holds, and else made anew; a null pointer keeps
 * none. */
op2_status op2i_vtu_job_make(op2_mesh mesh, const char *path, int n, const op2_dat *dats,
                             struct op2i_vtu_grid **grid, struct op2i_vtu_job **out);
void op2i_vtu_grid_drop(const struct op2i_companion *op2, struct op2i_vtu_grid *grid);
void op2i_vtu_job_free(void *job); /* removes a part that is not complete */
/* A copy of a text with another one behind it, or null without memory. */
char *op2i_vtu_join(const struct op2i_companion *op2, const char *text, const char *more);

/* vtu_file.c: an op2_call_function of a struct op2i_vtu_call. values[0] are the coordinates, those of
 * dats follow. If this call is being queued, as in eager mode, the file is written at once. */
int op2i_vtu_call_run(void *call, void *const *values);
extern _Thread_local const struct op2i_vtu_call *op2i_vtu_queueing;
/* Write the file; job->failed is the result. */
void op2i_vtu_job_write(struct op2i_vtu_job *job);

/* vtu_writer.c: the thread that writes the files of a mesh. */
op2_status op2i_vtu_writer_get(op2_mesh mesh, struct op2i_vtu_writer **out);
void op2i_vtu_writer_wait(struct op2i_vtu_writer *writer);
/* Memory of at least `bytes` for the copies or codes of the job that follows the wait, or null. One file
 * after the other uses the same memory, until a flush waits for files. */
enum { OP2I_VTU_COPIES, OP2I_VTU_CODES, OP2I_VTU_ROOMS };
void *op2i_vtu_writer_room(struct op2i_vtu_writer *writer, int which, size_t bytes);
/* Let it write a job after the wait, and free it; returns an error number. */
int op2i_vtu_writer_start(struct op2i_vtu_writer *writer, struct op2i_vtu_job *job);

#endif
