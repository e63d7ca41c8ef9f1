/* SPDX-License-Identifier: BSD-3-Clause */
/* These calls of OP2 are for one rank of several: programs declare blocks of sets, whose elements
 * op_partition() moves to their owners. */
#include "ranks.h"
#include "compat.h"
#include "mem.h"

void op2_compat_use_ranks(const struct op2_compat_ranks *ranks) { op2i_compat_ranks = ranks; }

bool op2i_compat_alone(void) { return op2_ranks(op2i_compat.ctx) == 1; }

int op2_compat_any(int here) {
  return op2i_compat_alone() ? here != 0 : op2i_compat_ranks->any(here != 0);
}

int64_t op2i_compat_before(int64_t count) {
  return op2i_compat_alone() ? 0 : op2i_compat_ranks->before(count);
}

int op_is_root(void) { return op2_rank(op2i_compat.ctx) == 0; }
void op_rank(int *rank) { *rank = op2_rank(op2i_compat.ctx); }
int op_get_size(op_set set) { return (int)op2_set_global_size(set->handle); }
int op_get_size_local(op_set set) { return set->size; }

/* The dat is made when it is first needed, and made anew after sets were cut again. */
op2_dat op2i_compat_owners(op_set set) {
  op2_dat dat = set->owners;
  if (dat) return dat;
  int *ranks = op2i_compat_memory(sizeof *ranks * (size_t)set->size);
  for (int i = 0; i < set->size; i++) ranks[i] = op2_rank(op2i_compat.ctx);
  op2i_compat_check(op2_dat_create(set->handle, 1, OP2_I32, ranks, NULL, &dat), "op_par_loop");
  op2i_free(ranks);
  set->owners = dat;
  return dat;
}

void op2i_compat_forget_owners(void) {
  for (int64_t i = 0; i < op2i_compat.nsets; i++) {
    op2_dat dat = op2i_compat.sets[i]->owners;
    op2_dat_destroy(&dat);
    op2i_compat.sets[i]->owners = NULL;
  }
}

/* ---- partitions ------------------------------------------------------------------------------ */

static bool is(const char *word, const char *other) { return word && !strcmp(word, other); }

/* The owners that a dat of int gives, for the library EXTERNAL; the caller frees them. */
static int32_t *owners_of(op_dat dat) {
  int32_t *owners = op2i_compat_memory(sizeof *owners * (size_t)dat->set->size);
  if (dat->dim != 1 || op2i_compat_type(dat->type, 0)->type != OP2_I32)
    op2i_compat_end("op_partition: dat '%s' does not hold one int for each element", dat->name);
  op2i_compat_check(op2_dat_get(dat->handle, owners), "op_partition");
  return owners;
}

static op2_partition_options choose(const char *library, const char *routine, op_set set,
                                    op_map map, op_dat coordinates) {
  op2_partition_options how = {.method = OP2_PARTITION_BLOCKS};
  bool geometric = is(library, "INERTIAL") || is(routine, "GEOM");
  if (is(library, "EXTERNAL") && coordinates)
    how = (op2_partition_options){.method = OP2_PARTITION_GIVEN, .set = coordinates->set->handle};
  else if (is(library, "RANDOM"))
    how.set = set ? set->handle : NULL;
  else if (map && !geometric)
    how = (op2_partition_options){.method = OP2_PARTITION_KWAY, .map = map->handle};
  else if (coordinates)
    how = (op2_partition_options){.method = OP2_PARTITION_COORDINATES,
                                  .coordinates = coordinates->handle};
  return how;
}

/* The set whose owners are chosen. */
static op_set chosen_set(const op2_partition_options *how, op_set set, op_map map,
                         op_dat coordinates) {
  switch (how->method) {
  case OP2_PARTITION_KWAY: return map->to;
  case OP2_PARTITION_BLOCKS: return set;
  default: return coordinates->set;
  }
}

/* Give the members of sets and maps the values of this rank's new part. */
static void renew(void) {
  for (int64_t i = 0; i < op2i_compat.nsets; i++) {
    op_set set = op2i_compat.sets[i];
    int64_t ends[4];
    op2i_compat_check(op2_set_sections(set->handle, ends), "op_partition");
    set->size = (int)ends[1];
    set->core_size = (int)ends[0];
    set->exec_size = (int)(ends[2] - ends[1]);
    set->nonexec_size = (int)(ends[3] - ends[2]);
  }
  for (int64_t i = 0; i < op2i_compat.nmaps; i++) {
    op_map map = op2i_compat.maps[i];
    op2i_free(map->map);
    map->map = op2i_compat_memory(sizeof *map->map * (size_t)map->from->size * (size_t)map->dim);
    op2i_compat_check(op2_map_get(map->handle, map->map), "op_partition");
  }
}

/* After sets, maps and dats were moved. */
static void moved(void) {
  op2i_compat.parted = true;
  op2i_compat_forget_owners();
  renew();
}

void op_partition(const char *library, const char *routine, op_set set, op_map map,
                  op_dat coordinates) {
  if (op2i_compat_alone()) return;
  op2i_compat_close_view();
  op2_partition_options how = choose(library, routine, set, map, coordinates);
  int32_t *owners = how.method == OP2_PARTITION_GIVEN ? owners_of(coordinates) : NULL;
  how.owner = owners;
  op2_status status = op2_partition(op2i_compat.ctx, &how, NULL);
  if (status == OP2_ERR_UNAVAILABLE) {
    op2i_compat_warn("op_partition: %s", op2_error_message());
    how = choose("INERTIAL", "", set, map, coordinates);
    status = op2_partition(op2i_compat.ctx, &how, NULL);
  }
  op2i_compat_check(status, "op_partition");
  op2i_free(owners);
  op2i_compat.chosen = chosen_set(&how, set, map, coordinates);
  moved();
}

/* Bring in the maps that were declared since op_partition(): the set that it cut keeps its owners. */
static void part_again(op_set set) {
  int32_t *owners = op2i_compat_memory(sizeof *owners * (size_t)set->size);
  for (int i = 0; i < set->size; i++) owners[i] = op2_rank(op2i_compat.ctx);
  const op2_partition_options how = {
      .method = OP2_PARTITION_GIVEN, .set = set->handle, .owner = owners};
  op2i_compat_close_view();
  op2i_compat_check(op2_partition(op2i_compat.ctx, &how, NULL), "op_decl_map after op_partition");
  op2i_free(owners);
  moved();
}

void op_halo_create(void) {
  if (op2i_compat.parted) return;
  if (op2i_compat.chosen && !op2i_compat_alone())
    part_again(op2i_compat.chosen);
  else
    op_partition("RANDOM", "", NULL, NULL, NULL);
}
