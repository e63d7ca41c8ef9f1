/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESH_H
#define OP2I_MESH_H

/* Sets, maps, dats, globals and constants. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "buffer.h"
#include "failure.h"
#include "halo.h"
#include "object.h"
#include "op2/ranks.h"
#include "types.h"

enum op2i_section { OP2I_CORE, OP2I_OWNED, OP2I_EXEC, OP2I_NONEXEC, OP2I_SECTIONS };

/* Elements, rows and entries have the library's numbers everywhere below the public interface.
 * op2_renumber() makes them differ from the user's. */
struct op2_set_s {
  struct op2i_object obj;
  int64_t ends[OP2I_SECTIONS]; /* for a subset: positions in idx */
  op2_set base;                /* itself for a set, the base set (referenced) for a subset */
  int64_t *idx;                /* subset: sorted base indices, ends[OP2I_NONEXEC] of them */
  int64_t *number; /* [total] the user's number of an element; null: the element's own */
  int64_t
      *known; /* [total] where it has both, number and halo: op2i_set_number() of each; else null */
  struct op2i_buffer elements, numbers; /* idx and number, wherever loops need them */
  int64_t *user_idx;      /* subset: idx in the user's numbers, sorted; null: idx itself */
  struct op2i_halo *halo; /* of a set of a rank: what travels; else null */
  bool keeps_order;       /* a loop that keeps element order has been queued over it */
  bool unasked;           /* the library gave it its numbers by itself */
  struct op2i_list maps_from, maps_to, dats, subsets; /* of a set: what is declared on it */
  struct op2i_link link;                              /* subset: in the base set's list */
  struct op2i_link link_of_all;                       /* set: in the context's */
};

/* Whether no two rows of a map that loops run over, nor a row twice, lead to one target through
 * some slots. */
struct op2i_injective {
  uint64_t slots; /* a bit each; of a map of more than 64, all of them */
  bool holds;
};

enum op2i_numbering {
  OP2I_NUMBERING_UNMET,   /* no loop has used the map */
  OP2I_NUMBERING_IGNORED, /* it is not one to renumber by, and nobody looks at it */
  OP2I_NUMBERING_UNSEEN,  /* it waits to be looked at */
  OP2I_NUMBERING_BAD,     /* it was looked at, and waits until renumbering pays */
  OP2I_NUMBERING_SEEN     /* it was looked at, and nothing is to come of it any more */
};

struct op2_map_s {
  struct op2i_object obj;
  op2_set from, to;
  int32_t arity;
  int32_t *idx; /* [from total][arity]; null when declared without values */
  /* [from owned][arity] targets by global number, until op2_partition() makes idx of them; else null */
  int64_t *global;
  struct op2i_buffer entries; /* idx, wherever loops need it */
  /* Entries that lead nowhere have a flag here, [from][arity], and in idx others of the row in their
   * place; null: all lead somewhere. */
  op2_dat absent;
  /* Of a map to the places of a matrix that to their rows, by which elements meet; else null. Such maps
   * are in no set's lists: they are made of others. */
  op2_map meets;
  /* Of a map from the rows of a matrix, which has as many entries as there are: the one that tells which
   * are those of a row, see op2i_row_entries(). Without idx they are these numbers. */
  op2_map first;
  int32_t slice; /* of such a one: how many rows stand side by side, 1 or OP2I_SLICE; else 0 */
  /* How it is numbered, measured by numbering.c. Of the entries in rows that follow each other, the
   * share that meet a cache line of their own; negative: not measured since idx changed. And how
   * many numbers the first and the last target of a row are apart, in the mean. */
  float scatter, span;
  bool numbering_told; /* the user has been warned of it */
  /* What was asked before. Renumbering changes none of it: rows stay in their section, and equal
   * targets stay equal. */
  struct op2i_injective *injective;
  int64_t ninjective, injective_capacity;
  /* Where it stands with renumbering by it that nobody has asked for, which numbering.c alone moves.
   * What is waited for is so many rows that loops have yet to lead through it: a count of what was
   * queued, whatever has run. */
  enum op2i_numbering numbering;
  int64_t rows_to_wait;
  struct op2i_link from_link, to_link;
};

/* The entries of a row of a matrix: n, the first one and every step-th behind it. */
struct op2i_entries {
  int64_t first, n, step;
};
static inline int64_t op2i_entry(struct op2i_entries entries, int64_t k) {
  return entries.first + k * entries.step;
}

/* Rows of a matrix one behind the other have a table of where each begins, and of where the last one
 * ends. In slices OP2I_SLICE rows stand side by side, entry k of all of them and then entry k + 1, as
 * many as the longest has; the table has a record for each slice, where it begins and in a byte each how
 * long its rows are, and in the end where the last one ends. Loops take vectors of rows from slices, so
 * these do not reach over two. */
enum { OP2I_SLICE = 8, OP2I_SLICE_RECORD = 1 + OP2I_SLICE / 4, OP2I_SLICE_LONGEST = 255 };
static inline const unsigned char *op2i_slice_lengths(const int32_t *record) {
  return (const unsigned char *)(record + 1);
}
static inline struct op2i_entries op2i_row_entries(const int32_t *table, int32_t slice,
                                                   int64_t row) {
  if (slice == 1) return (struct op2i_entries){table[row], table[row + 1] - table[row], 1};
  const int32_t *record = table + row / OP2I_SLICE * OP2I_SLICE_RECORD;
  const unsigned char *length = op2i_slice_lengths(record);
  const int64_t side = row % OP2I_SLICE;
  return (struct op2i_entries){record[0] + side, length[side], OP2I_SLICE};
}
/* How many numbers such a table has, and how many entries the rows take. */
static inline int64_t op2i_row_table_size(int32_t slice, int64_t nrows) {
  if (slice == 1) return nrows + 1;
  return (nrows + OP2I_SLICE - 1) / OP2I_SLICE * OP2I_SLICE_RECORD + 1;
}
static inline int64_t op2i_row_table_end(const int32_t *table, int32_t slice, int64_t nrows) {
  return table[op2i_row_table_size(slice, nrows) - 1];
}

struct op2_dat_s {
  struct op2i_object obj;
  op2_set set;
  int32_t dim;
  op2_type type;
  size_t row_bytes;          /* dim values */
  struct op2i_buffer values; /* [set total][dim]; without memory until first use */
  void *wrapped; /* the user's memory of a wrapped dat: the values' own until its set is renumbered
                  */
  void *view;    /* values in the user's order while a scope on a renumbered set is open */
  unsigned char stale;   /* parts of the halo that are not what their owners have, as bits */
  unsigned char planned; /* the same, where a pass has got to */
  int64_t travels, travelled_bytes; /* exchanges that it was in, and what was sent of it in these */
  int64_t mark;                     /* a pass's */
  int64_t changes; /* that were queued, or begun by the host, in the program's order */
  int32_t open_reads, open_writes; /* access scopes */
  const char *opened_by; /* what opened the last one: the public call's name without "_begin" */
  struct op2i_link link;           /* in the set's list */
  struct op2i_link link_of_all;    /* in the context's */
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
  struct op2i_buffer values; /* data, wherever it is needed */
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

struct op2i_version *op2i_version_ref(struct op2i_version *version);
void op2i_version_unref(struct op2i_version *version);
/* One of its own with the values of another, whatever is queued. */
op2_status op2i_version_copy(op2_gbl gbl, struct op2i_version *from, struct op2i_version **out);
/* Declare what one rank has of a set that is spread over ranks: its own elements, and those of others
 * that its loops meet. ends[4] as in op2_set_create_sections(), global[total] and owner[halo] as in
 * op2i_halo_make(). Collective; fails on all ranks alike. */
op2_status op2i_set_create_halo(op2_context ctx, const int64_t ends[4], const int64_t *global,
                                const int32_t *owner, const char *name, op2_set *set);
/* Collective. A set of so many elements here, in a block for each rank, of which nobody keeps numbers. */
op2_status op2i_set_create_counted(op2_context ctx, int64_t size, const char *name, op2_set *set);
/* op2i_object_call() for a call that has made a map. */
void op2i_map_call(op2_map map, const char *call);
/* Whether map handles are good, and a map could be between the sets. */
op2_status op2i_map_check(op2_set from, op2_set to, int arity, const char *name);
/* Among ranks: whether entries in the library's numbers suit the sections of both sets, of which
 * core and exec halo are checked. `absent` flags entries that lead nowhere, which suit any; null:
 * all lead somewhere. */
op2_status op2i_map_check_sections(const char *name, op2_set from, op2_set to, int arity,
                                   const int32_t *values, const unsigned char *absent);
/* A map of entries in the library's numbers, or of global ones where idx is null. Takes over idx and
 * global, also on failure. */
op2_status op2i_map_make(op2_set from, op2_set to, int arity, int32_t *idx, int64_t *global,
                         const char *name, op2_map *map);
/* The flags of a map's entries that lead nowhere, [from][arity] in the library's order; null: all
 * lead somewhere. Collective where there are any: those of the halo come from their owners. */
op2_status op2i_map_absent(op2_map map, const unsigned char **flags);
/* Give a new map such flags, which are copied; or those of the map whose slots it has in another
 * order. */
op2_status op2i_map_mark_absent(op2_map map, const unsigned char *flags);
op2_status op2i_map_permute_absent(op2_map base, const int *perm, op2_map map);
/* The error that a map has only global numbers. */
op2_status op2i_map_partition_first(const char *what, op2_map map);
/* Among ranks all have the subset, or none: *out is untouched then, and the subset goes. Collective. */
op2_status op2i_subset_give(op2_context ctx, op2_status status, op2_set subset, op2_set *out);
/* Make a subset of these elements of a set, by the user's numbers, ascending. Takes over idx, also on
 * failure. */
op2_status op2i_subset_make(op2_set base, int64_t n, int64_t *idx, const char *name,
                            op2_set *subset);
/* Whether a map is injective over these slots: worked out once, in linear time. */
op2_status op2i_map_injective(op2_map map, uint64_t slots, bool *holds);
/* The bits of one slot, or of all (::OP2_ALL). */
uint64_t op2i_map_slots(const struct op2_map_s *map, int32_t slot);
/* The set's idx or number, and so the buffers of them, are others than before. */
void op2i_set_tables_changed(op2_set set);
/* The table of its numbers, of a set that is tabled: made here at the first time, for blocks. */
op2_status op2i_set_numbers_at(op2_set set, enum op2i_place place, void **numbers);
/* Ascending. */
void op2i_sort_indices(int64_t n, int64_t *idx);
/* A dat of zeros, made without asking whether other ranks could make it as well. */
op2_status op2i_dat_create_alone(op2_set set, int dim, op2_type type, const char *name,
                                 op2_dat *dat);
/* All values in the user's order, for a function of the user's, and what it did to them taken over.
 */
op2_status op2i_dat_lend(op2_dat dat, op2_access access, void **data);
void op2i_dat_take_back(op2_dat dat, bool modified);
/* A scope on the owned rows in the library's order: READ, RW, or WRITE of all of them. What the access
 * depends on has run. */
op2_status op2i_dat_open(op2_dat dat, op2_access access, const char *call, void **rows);
op2_status op2i_dat_close(op2_dat dat, op2_access access, const char *call);
/* The owned rows of all ranks by one number each, those of a rank together and in the library's order:
 * how many all are, which is this rank's first, and (unless null) that of each element, [total].
 * Collective. */
op2_status op2i_set_row_numbers(op2_set set, int64_t *all, int64_t *first, int64_t *numbers);
/* Bring the user's memory of all wrapped dats up to date; the context is ending. */
void op2i_dats_come_home(op2_context ctx);

/* The user's number of an element of a set, not of a subset: among ranks, the one that all of them
 * know it by. */
static inline int64_t op2i_set_number(const struct op2_set_s *set, int64_t element) {
  int64_t number = set->number ? set->number[element] : element;
  return set->halo ? op2i_halo_number(set->halo, number) : number;
}
/* The same, but among ranks the place where this rank's user has it. */
static inline int64_t op2i_set_place(const struct op2_set_s *set, int64_t element) {
  return set->number ? set->number[element] : element;
}
/* The rows of a map that lead somewhere: among ranks not those of the non-exec halo. */
static inline int64_t op2i_map_rows(const struct op2_map_s *map) {
  return map->from->ends[map->from->halo ? OP2I_EXEC : OP2I_NONEXEC];
}
/* Whether elements have other numbers for users than for the library. */
static inline bool op2i_set_numbered(const struct op2_set_s *set) {
  return set->number || set->halo;
}
/* Whether there is a table of them for loops, or will be when the first one asks for it: not where
 * nobody asks for them. */
static inline bool op2i_set_tabled(const struct op2_set_s *set) {
  return set->number || (set->halo && (set->halo->global || set->halo->tabled));
}

#endif
