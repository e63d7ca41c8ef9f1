/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESH_H
#define OP2I_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object.h"
#include "op2/mesh.h"

enum op2i_section { OP2I_CORE, OP2I_OWNED, OP2I_EXEC, OP2I_NONEXEC, OP2I_SECTIONS };

struct op2_set_s {
  struct op2i_object obj;
  int64_t ends[OP2I_SECTIONS]; /* for a subset: positions in idx */
  op2_set base;                /* itself for a set, the base set (referenced) for a subset */
  int64_t *idx;                /* subset: sorted base indices, ends[OP2I_NONEXEC] of them */
};

struct op2_map_s {
  struct op2i_object obj;
  op2_set from, to;
  int32_t arity;
  int32_t *idx; /* [from total][arity]; null when declared without values */
};

/* Why a value is not there: the first failure that it descends from. Shared and counted. */
struct op2i_failure {
  int32_t refs;
  bool reported;
  op2_status status;
  int64_t loop_number;
  char *message;
  struct op2i_failure *next; /* the context's list, by loop number */
};

/* What the dependency graph knows of a dat or a global: which queued loops last wrote and have
 * since read it. */
struct op2i_resource {
  int64_t id;          /* unique in the context, never reused */
  int64_t last_writer; /* loop number, 0 for none */
  int64_t *readers;    /* loop numbers since then, ascending */
  int64_t nreaders, readers_capacity;
  struct op2i_failure *poison;
  void *track; /* the scheduler's, while it builds a program */
};

struct op2_dat_s {
  struct op2i_object obj;
  op2_set set;
  int32_t dim;
  op2_type type;
  size_t row_bytes; /* dim values */
  void *host;       /* [set total][dim]; null until first use */
  bool borrowed;
  int32_t open_reads, open_writes; /* access scopes */
  struct op2i_resource res;
  op2_dat prev_wrapped, next_wrapped;
};

/* One version of a global. op2_gbl_set() makes a new one, so loops queued before keep theirs. */
struct op2i_version {
  int32_t refs;
  int32_t number; /* the scheduler's, while it tells versions apart */
  op2_context ctx;
  struct op2i_resource res;
  char *name;
  _Alignas(64) unsigned char data[];
};

struct op2_gbl_s {
  struct op2i_object obj;
  int32_t dim;
  op2_type type;
  size_t bytes;
  struct op2i_version *now;
};

struct op2_const_s {
  struct op2i_object obj;
  int32_t dim;
  op2_type type;
  size_t bytes;
  void *data;
  op2_const prev, next; /* the context's list */
};

size_t op2i_type_size(op2_type type);            /* 0 for an unknown type */
const char *op2i_type_c(op2_type type);          /* the C name, "double" */
const char *op2i_type_name(op2_type type);       /* "OP2_F64" */
const char *op2i_access_name(op2_access access); /* "OP2_READ" */

struct op2i_version *op2i_version_ref(struct op2i_version *version);
void op2i_version_unref(struct op2i_version *version);
struct op2i_failure *op2i_failure_ref(struct op2i_failure *failure);
void op2i_failure_unref(struct op2i_failure *failure);
void op2i_resource_init(struct op2i_resource *resource, op2_context ctx);
void op2i_resource_clear(struct op2i_resource *resource);
void op2i_resource_poison(struct op2i_resource *resource,
                          struct op2i_failure *failure); /* null cures */
op2_status op2i_resource_report(op2_context ctx,
                                struct op2i_resource *resource); /* the failure, if poisoned */

/* The one accessor to a dat's storage: allocates it when needed. Forcing is the caller's step
 * before this. */
op2_status op2i_dat_storage(op2_dat dat, void **data);

#endif
