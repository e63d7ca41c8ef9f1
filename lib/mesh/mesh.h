/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESH_H
#define OP2I_MESH_H

/* Sets, maps, dats, globals and constants. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "buffer.h"
#include "halo.h"
#include "object.h"
#include "op2/query.h"
#include "op2/ranks.h"
#include "records.h"
#include "types.h"

enum op2i_section { OP2I_CORE, OP2I_OWNED, OP2I_EXEC, OP2I_NONEXEC, OP2I_SECTIONS };

/* Elements, rows and entries have the library's numbers everywhere below the public interface.
 * op2_renumber() makes them differ from the user's. */
struct op2_set_s {
  struct op2i_object obj;
  int64_t ends[OP2I_SECTIONS]; /* for a subset: positions in idx */
  bool single;                 /* one element that all ranks share (op2_set_create_single()) */
  int64_t tail; /* of a set: owned elements at its end that no loop over the whole set runs over */
  op2_set base; /* itself for a set, the base set (referenced) for a subset */
  int64_t *idx; /* subset: sorted base indices, ends[OP2I_NONEXEC] of them */
  int64_t *number; /* [total] the user's number of an element; null: the element's own */
  int64_t *known;  /* [total] op2i_set_number() of each, if it has number and halo; else null */
  struct op2i_buffer elements, numbers; /* idx and number, in the places where loops need them */
  int64_t *user_idx;      /* subset: idx in the user's numbers, sorted; null: idx itself */
  struct op2i_halo *halo; /* of a set of a rank: the rows that are exchanged; else null */
  bool keeps_order;       /* a loop that keeps element order has been queued over it */
  bool auto_renumbered;   /* by automatic renumbering, not by op2_renumber() */
  struct op2i_list maps_from, maps_to, dats, subsets; /* of a set: the objects declared on it */
  struct op2i_link link;                              /* subset: in the base set's list */
  struct op2i_link link_of_all;                       /* set: in the context's */
};

/* Records if a map is injective over some slots: no two rows that loops run over, nor one row
 * twice, lead to the same target through them. */
struct op2i_injective {
  uint64_t slots; /* a bit for each slot; all bits for a map of more than 64 */
  bool holds;
};

enum op2i_numbering {
  OP2I_NUMBERING_NEW,           /* no loop has used the map */
  OP2I_NUMBERING_NOT_CANDIDATE, /* automatic renumbering never considers the map again */
  OP2I_NUMBERING_COUNTING,      /* rows are counted until the numbering is measured */
  OP2I_NUMBERING_PENDING,       /* measured as bad; it waits until renumbering pays */
  OP2I_NUMBERING_DONE           /* measured, and nothing more is to be done */
};

struct op2_map_s {
  struct op2i_object obj;
  op2_set from, to;
  int32_t arity;
  op2_map_origin origin;
  /* [from total][arity]; null when declared without values, or if all entries are 0 because they
   * lead to a set with one element that all ranks share; see op2i_map_target(). */
  int32_t *idx;
  /* [from owned][arity] targets by global number, until op2_partition() makes idx of them; else
   * null. */
  int64_t *global;
  struct op2i_buffer entries; /* idx, in the places where loops need it */
  /* [from][arity] flags of entries that lead nowhere, for which idx holds another entry of the row;
   * null: all lead somewhere. */
  op2_dat absent;
  /* Conflict map, for a map to the nonzeros of a matrix: the map to their rows, by which elements
   * are coloured; else null. Maps to nonzeros are in no set's lists, since they are derived from
   * others. */
  op2_map conflict_map;
  /* Row table, for a map from the rows of a matrix, with one entry for each nonzero: the map that
   * holds where the entries of each row are, see op2i_row_entries(). If idx is null, the entries
   * are these positions themselves. */
  op2_map first;
  int32_t rows_per_slice; /* for a row table: 1 or OP2I_SLICE; else 0 */
  /* True if each row leads to targets that no other row leads to, and that have the row's owner. */
  bool own_rows;
  /* Deterministic mode keeps this of the map's rows (lib/sparse/contributions.h), with the function
   * that frees it; null: nothing yet. */
  struct op2i_contributions *contributions;
  void (*contributions_free)(struct op2i_contributions *contributions);
  /* Quality of the numbering, measured by numbering.c. scatter: of the entries in consecutive rows,
   * the share that touch a cache line of their own; negative: not measured since idx changed. span:
   * mean difference between the numbers of the first and the last target of a row. */
  float scatter, span;
  bool numbering_warned; /* the user has been warned of it */
  /* Results found before. Renumbering leaves them valid: rows stay in their section, and equal
   * targets stay equal. */
  struct op2i_injective *injective;
  int64_t ninjective, injective_capacity;
  /* State of automatic renumbering by this map, which only numbering.c changes. The next state is
   * due when loops have led rows_to_wait more rows through the map; rows count when they are
   * queued, whatever has run. */
  enum op2i_numbering numbering;
  int64_t rows_to_wait;
  bool modified; /* a loop that was queued modifies a dat through the map */
  /* The colours and blocks of a loop whose blocks conflict through this map so often that few run at
   * the same time; 0: there is none. */
  int32_t crowd_colors, crowd_blocks;
  struct op2i_link from_link, to_link;
};

/* True for a map to a set with one element that all ranks share. It has arity 1 and no table. */
static inline bool op2i_map_single(const struct op2_map_s *map) { return map->to->single; }
/* Entry `at` of a map's table. */
static inline int32_t op2i_map_target(const struct op2_map_s *map, int64_t at) {
  return map->idx ? map->idx[at] : 0;
}

/* The entries of a row of a matrix: n of them, beginning at `first` and `step` apart. */
struct op2i_entries {
  int64_t first, n, step;
};
static inline int64_t op2i_entry(struct op2i_entries entries, int64_t k) {
  return entries.first + k * entries.step;
}

/* The row table of a matrix. With one row per slice (CSR) it holds the beginning of each row, and
 * the end of the last one. In slices (SELL-8), OP2I_SLICE rows stand side by side: entry k of
 * all of them, then entry k + 1, as many as the longest row has. The table then has a record for
 * each slice, with its beginning and, in a byte each, the lengths of its rows; after the last
 * record follows the end of the last slice. Loops take vectors of rows from slices, so no vector
 * reaches over two slices. */
enum { OP2I_SLICE = 8, OP2I_SLICE_RECORD = 1 + OP2I_SLICE / 4, OP2I_SLICE_LONGEST = 255 };
static inline const unsigned char *op2i_slice_lengths(const int32_t *record) {
  return (const unsigned char *)(record + 1);
}
static inline struct op2i_entries op2i_row_entries(const int32_t *table, int32_t rows_per_slice,
                                                   int64_t row) {
  if (rows_per_slice == 1) return (struct op2i_entries){table[row], table[row + 1] - table[row], 1};
  const int32_t *record = table + row / OP2I_SLICE * OP2I_SLICE_RECORD;
  const unsigned char *length = op2i_slice_lengths(record);
  const int64_t side = row % OP2I_SLICE;
  return (struct op2i_entries){record[0] + side, length[side], OP2I_SLICE};
}
/* The number of values in a row table, and the number of entries that the rows take. */
static inline int64_t op2i_row_table_size(int32_t rows_per_slice, int64_t nrows) {
  if (rows_per_slice == 1) return nrows + 1;
  return (nrows + OP2I_SLICE - 1) / OP2I_SLICE * OP2I_SLICE_RECORD + 1;
}
static inline int64_t op2i_row_table_end(const int32_t *table, int32_t rows_per_slice,
                                         int64_t nrows) {
  return table[op2i_row_table_size(rows_per_slice, nrows) - 1];
}

/* Loops in which all elements reach one row of a dat (loop_single.h) have globals in its place: one
 * where it is read, and one where it is added to. The kernels copy its values to the one, and add
 * those of the other to it. Null: not requested yet. */
struct op2i_shared {
  op2_gbl value, sum;
  op2_kernel copy, add;
};

struct op2_dat_s {
  struct op2i_object obj;
  op2_set set;
  int32_t dim;
  op2_type type;
  size_t row_bytes;          /* dim values */
  struct op2i_buffer values; /* [set total][dim]; without memory until first use */
  /* The user's memory of a wrapped dat. It holds the values until the set is renumbered. */
  void *wrapped;
  void *view; /* values in the user's order while a scope on a renumbered set is open */
  /* True if a loop that overwrites the dat adds to zeros: kernels that add write contributions. */
  bool from_zero;
  /* True if only operations inside of others use such a dat (records.h), so that operations outside,
   * which have not run yet, find the values of theirs. */
  bool nested;
  unsigned char stale; /* parts of the halo that are out of date, as bits */
  int64_t nexchanges,
      exchanged_bytes; /* exchanges that included it, and bytes sent of it in these */
  int64_t changes;     /* modifications queued, or begun by the host, in program order */
  int32_t open_reads, open_writes; /* access scopes */
  bool spare; /* destroyed and kept (recycle.h): it has no values, and no reference to the set */
  const char *opened_by; /* what opened the last one: the public call's name without "_begin" */
  struct op2i_link link; /* in the set's list */
  struct op2i_link link_of_all; /* in the context's */
  struct op2i_resource res;
  op2_dat prev_wrapped, next_wrapped;
  /* Globals in its place, for a dat to which single maps lead (loop_single.h); null: none yet. */
  struct op2i_shared *shared;
  /* A component (component.h) has a reference to its dat, the first of its values in a row of the
   * dat, set, dim, type and row_bytes, and none of the other fields. Else these are null and 0. */
  op2_dat whole;
  int32_t first;
};

/* A dat whose values are added to a global, and the kernel that clears it; null: not requested yet. */
struct op2i_terms {
  op2_dat dat;
  op2_kernel clear;
};

/* One version of a global. op2_gbl_set() makes a new one, so loops queued before keep theirs. */
struct op2i_version {
  int32_t refs;
  int32_t number; /* the scheduler's, to distinguish versions */
  op2_context ctx;
  struct op2i_resource res;
  char *name;
  struct op2i_buffer values; /* data, in the places where it is needed */
  _Alignas(64) unsigned char data[];
};

struct op2_gbl_s {
  struct op2i_object obj;
  int32_t dim;
  op2_type type;
  size_t bytes;
  int64_t changes; /* modifications queued, in program order, and assignments */
  struct op2i_resource res;
  /* what it is in queues that have no version of their own (op2i_gbl_now()) */
  struct op2i_version *version;
  /* The user's memory of a wrapped global. It holds the values in scopes and after the end. */
  void *wrapped;
  int32_t open_reads, open_writes; /* access scopes */
  const char *opened_by;           /* as in a dat */
  /* While a scope is open: the version that is read, or the one that begins with the end of a scope
   * for writing; else null. */
  struct op2i_version *opened;
  struct op2i_link link_of_wrapped; /* in the context's list */
  /* [nterms] what deterministic mode adds to the global, for each set whose loops do */
  struct op2i_terms *terms;
  int64_t nterms, terms_capacity;
  /* for the checked mode: the loop whose minimum or maximum this is, a hash of it, and whether a
   * warning about it was printed */
  const struct op2i_loop *reduced_by;
  uint64_t reduced;
  bool reduced_warned;
};

struct op2_const_s {
  struct op2i_object obj;
  int32_t dim;
  op2_type type;
  size_t bytes;
  void *data;
  const void *given;    /* for the checked mode: the variable that it was last set from, or null */
  op2_const prev, next; /* the context's list */
};

/* Check, with ranks, that entries in the library's numbers suit the core and exec halo sections of
 * both sets. `absent` flags entries that lead nowhere, which are not checked; null: all lead
 * somewhere. */
op2_status op2i_map_check_sections(const char *name, op2_set from, op2_set to, int arity,
                                   const int32_t *values, const unsigned char *absent);
/* The error for a map that has only global numbers. */
op2_status op2i_map_partition_first(const char *what, op2_map map);
/* Make a dat of zeros for the library itself on this rank, without agreement among ranks. */
op2_status op2i_dat_create_alone(op2_set set, int dim, op2_type type, const char *name,
                                 op2_dat *dat);
/* Get all values in the library's order. */
op2_status op2i_dat_rows(op2_dat dat, op2_access access, void **data);
/* Give a function of the user's all values in the user's order, and store what it modified. */
op2_status op2i_dat_lend(op2_dat dat, op2_access access, void **data);
void op2i_dat_take_back(op2_dat dat, bool modified);
/* Open a scope on the owned rows in the library's order: READ, RW, or WRITE of all of them. The
 * loops that the access depends on have run then. */
op2_status op2i_dat_open(op2_dat dat, op2_access access, const char *call, void **rows);
op2_status op2i_dat_close(op2_dat dat, op2_access access, const char *call);
/* Bring the user's memory of all wrapped dats up to date; the context is ending. */
void op2i_dats_come_home(op2_context ctx);

/* The user's number of an element of a set (not of a subset); with ranks this is its global
 * number. */
static inline int64_t op2i_set_number(const struct op2_set_s *set, int64_t element) {
  int64_t number = set->number ? set->number[element] : element;
  return set->halo ? op2i_halo_number(set->halo, number) : number;
}
/* The same, but with ranks it is the element's position on this rank in the user's order. */
static inline int64_t op2i_set_place(const struct op2_set_s *set, int64_t element) {
  return set->number ? set->number[element] : element;
}
/* The number of owned elements that a loop over a set or subset runs over. */
static inline int64_t op2i_set_looped(const struct op2_set_s *set) {
  return set->ends[OP2I_OWNED] - set->tail;
}
/* The number of rows of a map from this set that have targets here: with ranks, no loop runs over the
 * non-exec halo, and the targets of its rows need not be on this rank. */
static inline int64_t op2i_set_rows_known(const struct op2_set_s *from) {
  return from->ends[from->halo ? OP2I_EXEC : OP2I_NONEXEC];
}
/* The same for a map. */
static inline int64_t op2i_map_rows(const struct op2_map_s *map) {
  return op2i_set_rows_known(map->from);
}
/* True if elements have other numbers for users than for the library. */
static inline bool op2i_set_numbered(const struct op2_set_s *set) {
  return set->number || set->halo;
}
/* True if loops have a table of these numbers, or the first one that needs it will make it. */
static inline bool op2i_set_tabled(const struct op2_set_s *set) {
  return set->number || (set->halo && (set->halo->global || set->halo->tabled));
}

#endif
