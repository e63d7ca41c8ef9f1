/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_COMPANION_H
#define OP2I_COMPANION_H

#include "affinity.h"
#include "background.h"
#include "comm.h"
#include "env.h"
#include "fpenv.h"
#include "mail.h"
#include "methods.h"
#include "object.h"
#include "op2/mesh.h"
#include "partitioner.h"
#include "renumber_state.h"

/* The interface for companions of the library: libraries of their own, built and installed with it,
 * that are linked with what the library itself must not load unless it is needed, such as MPI. This
 * table is all that they call, and op2i_companion() is the only symbol that the shared library
 * exports besides the public ones. */
enum { OP2I_COMPANION_VERSION = 17 }; /* changes with this file and what it includes */

struct op2i_companion {
  /* Ranks. init_ranks(): see init.h. comm_of(): null for a context without other ranks. */
  op2_status (*init_ranks)(const op2_options *options, struct op2i_comm *comm, op2_context *ctx);
  op2_status (*comm_of)(op2_context ctx, const char *call, struct op2i_comm **comm);
  op2_status (*agree)(struct op2i_comm *comm, op2_status status);
  op2_status (*greatest)(struct op2i_comm *comm, int n, int64_t *values);
  op2_status (*share)(struct op2i_comm *comm, int root, void *data, size_t bytes);
  /* Rows for other ranks, and their answers: see mail.h and comm_parcel.h. */
  op2_status (*mail_pack)(int64_t n, const int32_t *to, size_t row_bytes, const void *rows,
                          struct op2i_mail *mail);
  void (*mail_free)(struct op2i_mail *mail);
  op2_status (*deliver)(struct op2i_comm *comm, int64_t n, const struct op2i_parcel *parcels,
                        struct op2i_parcels *received);
  void (*parcels_free)(struct op2i_parcels *parcels);
  void (*share_find)(struct op2i_share *share, int64_t i);
  /* Calls that all ranks make alike: see context.h and object.h; and the last one: see watch.h. */
  void (*call)(op2_context ctx, const char *call, const char *name, uint64_t arguments,
               uint64_t values);
  void (*object_call)(const void *object, enum op2i_kind kind, const char *call, const char *name,
                      uint64_t arguments);
  op2_status (*farewell)(struct op2i_comm *comm, const char *call);
  void (*exits)(struct op2i_comm *comm);
  /* the link speed that the environment asks for */
  op2_status (*link)(struct op2i_link_speed *speed);
  void (*limits)(const op2_options *options, struct op2i_wait_limits *limits); /* see env.h */
  /* Error messages, memory and time: see error.h, mem.h and clock.h. */
  op2_status (*error)(op2_status status, const char *format, ...)
      __attribute__((format(printf, 2, 3)));
  op2_status (*error_nomem)(const char *what);
  void *(*calloc)(size_t count, size_t bytes);
  void (*free)(void *memory);
  int64_t (*nanoseconds)(void);
  /* Lines of the log: see log.h. */
  void (*log)(op2_context ctx, int level, const char *format, ...)
      __attribute__((format(printf, 3, 4)));
  /* The floating-point environment: see fpenv.h. */
  void (*fp_enter)(struct op2i_fp_scope *scope);
  void (*fp_leave)(struct op2i_fp_scope *scope);
  struct op2i_fp_scope *(*fp_window_open)(void);
  void (*fp_window_close)(struct op2i_fp_scope *scope, bool ended);
  /* CPUs: see affinity.h and share.h. */
  void (*process_cpu_set)(struct op2i_cpu_set *set);
  void (*node_rank_compare)(struct op2i_node_rank *node_rank, const struct op2i_cpu_set *sets);
  /* Contexts and objects: see context.h and object.h. hold() and let_go() count a reference
   * to a context, ref() and unref() one to an object. */
  op2_status (*context_validate)(op2_context ctx, const char *call);
  op2_status (*validate)(const void *object, enum op2i_kind kind, const char *what);
  void (*hold)(op2_context ctx);
  void (*let_go)(op2_context ctx);
  void *(*ref)(void *object);
  void (*unref)(void *object);
  /* values[n] become the sums over the ranks before this one: see comm.h. Rows of sets and of maps
   * by global numbers: see block.h and block_map.h; and the size of a type, 0 for an unknown one. */
  op2_status (*before)(struct op2i_comm *comm, int n, int64_t *values);
  op2_status (*block_get)(const struct op2_set_s *set, size_t row_bytes, const void *rows,
                          int64_t first, int64_t n, void *out);
  op2_status (*block_put)(const struct op2_set_s *set, size_t row_bytes, int64_t first, int64_t n,
                          const void *in, void *rows);
  op2_status (*block_put_list)(const struct op2_set_s *set, size_t row_bytes, int64_t n,
                               const int64_t *numbers, const void *in, void *rows);
  op2_status (*map_get_block)(op2_map map, int64_t first, int64_t n, int64_t *out);
  op2_status (*map_create_block)(op2_set from, op2_set to, int arity, int64_t first, int64_t n,
                                 const int64_t *in, bool partial, const char *name, op2_map *map);
  size_t (*type_size)(op2_type type);
  /* Rows of dats in the library's order: access scopes on the owned rows, and their global numbers,
   * see mesh.h. For a running operation: the owned rows of one of its dats, in the host's memory;
   * mark a dat's halo stale; and let the operation use a dat that was made for it. */
  op2_status (*dat_open)(op2_dat dat, op2_access access, const char *call, void **rows);
  op2_status (*dat_close)(op2_dat dat, op2_access access, const char *call);
  op2_status (*row_numbers)(op2_set set, int64_t *all, int64_t *first, int64_t *numbers);
  op2_status (*host_rows)(op2_dat dat, op2_access access, void **rows);
  void (*make_stale)(op2_dat dat);
  void (*admit)(op2_dat dat);
  /* Operators: see operator.h; solvers: see methods.h. */
  op2_status (*operator_apply)(op2_operator op, op2_dat x, op2_dat y);
  op2_status (*operator_diagonal)(op2_operator op, op2_dat diagonal);
  const struct op2i_method_kind *(*method_kind)(op2_method method);
  const struct op2i_preconditioner_kind *(*preconditioner_kind)(op2_preconditioner preconditioner);
  void (*solver_trace)(const struct op2_solver_s *solver, double residual);
  /* Work in other threads, which op2_flush() and op2_finalize() wait for: see background.h. */
  op2_status (*background_add)(op2_context ctx, op2i_background_function *wait, void *data);
  /* See partitioner.h. */
  void (*partitioner_offer)(const struct op2i_partitioner *partitioner);
  /* Numberings of sets: see renumber_state.h. */
  op2_status (*renumber_restore)(op2_context ctx, int n, const struct op2i_set_order *orders);
  bool (*numbering_restore)(op2_map map, const struct op2i_map_wait *wait);
};

/* Null, with an error message, if library and companion are of different builds. */
OP2_API const struct op2i_companion *op2i_companion(int version);

#endif
