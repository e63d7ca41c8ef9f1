/* SPDX-License-Identifier: BSD-3-Clause */
/* Projection in sequential order: an iteration is assigned to the highest tile that holds an
 * earlier conflicting iteration. Two facts are recorded for every element: the tile of the last
 * write, and the tiles that have read it since. If several iterations of a loop may write an
 * element in any order, their tiles run one after the other in the order of their numbers, and the
 * highest one counts as the last.
 *
 * Backwards, the same is done with tiles counted from the last one. */

#include <string.h>

#include "error.h"
#include "mem.h"
#include "tile_chain.h"
#include "tile_home.h"
#include "tile_pairs.h"
#include "tile_project.h"

enum {
  NONE = -1,
  /* Iterations that are processed at a time, so that data which one pass has read for their indices
   * are still in cache for the next one. */
  CHUNK = 4096
};

/* A set of tiles is one word, as nearly all have at most one member: NONE, the tile, or a list, for
 * which the number of its first node is stored, counted down from -2. Nodes have descending
 * tiles. */
struct node {
  int32_t tile, next;
};
struct sets {
  struct node *nodes;
  int64_t count, capacity;
  int32_t free; /* first of the unused nodes, or NONE */
};

/* The recorded accesses to the elements of a dat. */
struct state {
  int32_t *writer;  /* tile or NONE */
  int32_t *readers; /* sets of tiles; null until the first loop that reads the dat */
  int64_t size;
};

/* One group of uses in the present loop. */
struct group {
  const struct op2i_tile_use *use; /* the first use of the group, for its columns */
  int64_t size;
  const int32_t *bound; /* per element: no iteration that accesses it is in an earlier tile */
  int32_t *bounds;      /* array of the group, if one is needed */
  int64_t bounds_size;
  int32_t *seen; /* sets of tiles: those of this loop that access each element */
  int64_t seen_size;
};

struct op2i_tile_projection {
  const struct op2i_tile_chain *chain;
  struct op2i_tile_home *home;
  struct op2i_tile_pairs *pairs;
  bool backwards;
  struct state *states; /* [ndats] */
  struct sets readers, seen;
  int ngroups;
  struct group *groups; /* arrays are reused from loop to loop */
};

#define NOMEM() op2i_error_nomem("the projection of tiles")

/* ---- sets of tiles ---- */

static bool is_list(int32_t set) { return set < NONE; }
static int32_t first_node(int32_t set) { return -2 - set; }
static int32_t highest(const struct sets *sets, int32_t set) {
  return is_list(set) ? sets->nodes[first_node(set)].tile : set;
}
static int32_t next_node(const struct sets *sets, int32_t node) {
  return node == NONE ? NONE : sets->nodes[node].next;
}

static int32_t new_node(struct sets *sets, int32_t tile, int32_t next) {
  int32_t at = sets->free;
  if (at != NONE) {
    sets->free = sets->nodes[at].next;
  } else {
    if (sets->count == INT32_MAX - 1 ||
        op2i_grow(&sets->nodes, sizeof *sets->nodes, sets->count, &sets->capacity))
      return NONE;
    at = (int32_t)sets->count++;
  }
  sets->nodes[at] = (struct node){tile, next};
  return at;
}

static op2_status insert_more(struct sets *sets, int32_t *set, int32_t tile) {
  int32_t before = NONE, at, made;
  if (!is_list(*set)) {
    at = new_node(sets, *set, NONE);
    if (at == NONE) return NOMEM();
    *set = -2 - at;
  }
  for (at = first_node(*set); at != NONE && sets->nodes[at].tile > tile; at = next_node(sets, at))
    before = at;
  if (at != NONE && sets->nodes[at].tile == tile) return OP2_SUCCESS;
  made = new_node(sets, tile, at);
  if (made == NONE) return NOMEM();
  if (before == NONE)
    *set = -2 - made;
  else
    sets->nodes[before].next = made;
  return OP2_SUCCESS;
}

static inline op2_status insert(struct sets *sets, int32_t *set, int32_t tile) {
  if (*set == tile) return OP2_SUCCESS;
  if (*set != NONE) return insert_more(sets, set, tile);
  *set = tile;
  return OP2_SUCCESS;
}

static void empty(struct sets *sets, int32_t *set) {
  for (int32_t at = is_list(*set) ? first_node(*set) : NONE; at != NONE;) {
    int32_t next = next_node(sets, at);
    sets->nodes[at].next = sets->free;
    sets->free = at;
    at = next;
  }
  *set = NONE;
}

/* ---- accesses that loops record ---- */

static inline op2_status wait_for(struct op2i_tile_projection *p, int32_t before, int32_t tile) {
  if (before == tile || before == NONE || !p->pairs) return OP2_SUCCESS;
  return op2i_tile_pair(p->pairs, before, tile);
}

static inline op2_status record_read(struct op2i_tile_projection *p, struct state *s, int64_t e,
                                     int32_t tile) {
  op2_status status = wait_for(p, s->writer[e], tile);
  return status == OP2_SUCCESS ? insert(&p->readers, &s->readers[e], tile) : status;
}

/* Record that tiles from `first` to `last` write an element one after the other. Readers already
 * wait for the previous writer. */
static inline op2_status record_write(struct op2i_tile_projection *p, struct state *s, int64_t e,
                                      int32_t first, int32_t last) {
  op2_status status = OP2_SUCCESS;
  int32_t readers = s->readers ? s->readers[e] : NONE;
  OP2I_TRY(wait_for(p, readers == NONE ? s->writer[e] : NONE, first));
  if (is_list(readers)) {
    for (int32_t at = first_node(readers); at != NONE; at = next_node(&p->readers, at))
      OP2I_TRY(wait_for(p, p->readers.nodes[at].tile, first));
    empty(&p->readers, &s->readers[e]);
  } else if (readers != NONE) {
    OP2I_TRY(wait_for(p, readers, first));
    s->readers[e] = NONE;
  }
  s->writer[e] = last;

fail:
  return status;
}

static op2_status record_direct(struct op2i_tile_projection *p, const struct op2i_tile_use *use,
                                const int32_t *tile, int64_t lo, int64_t hi) {
  struct state *s = &p->states[use->dat];
  op2_status status = OP2_SUCCESS;
  for (int64_t i = lo; i < hi && status == OP2_SUCCESS; i++)
    status = use->writes ? record_write(p, s, i, tile[i], tile[i]) : record_read(p, s, i, tile[i]);
  return status;
}

/* Record the accesses of a loop to an element that several of its tiles have accessed. */
static op2_status record_list(struct op2i_tile_projection *p, const struct op2i_tile_use *use,
                              int64_t e, int32_t set) {
  const struct sets *seen = &p->seen;
  struct state *s = &p->states[use->dat];
  op2_status status = OP2_SUCCESS;
  int32_t at = first_node(set), last = seen->nodes[at].tile, first = last;
  for (; at != NONE; at = next_node(seen, at)) {
    int32_t tile = seen->nodes[at].tile;
    if (use->writes)
      OP2I_TRY(wait_for(p, tile, first));
    else
      OP2I_TRY(record_read(p, s, e, tile));
    first = tile;
  }
  if (use->writes) OP2I_TRY(record_write(p, s, e, first, last));

fail:
  return status;
}

static op2_status record_seen(struct op2i_tile_projection *p, const struct group *g,
                              const struct op2i_tile_use *use) {
  struct state *s = &p->states[use->dat];
  op2_status status = OP2_SUCCESS;
  for (int64_t e = 0; e < g->size && status == OP2_SUCCESS; e++) {
    int32_t set = g->seen[e];
    if (set == NONE) continue;
    if (is_list(set))
      status = record_list(p, use, e, set);
    else if (use->writes)
      status = record_write(p, s, e, set, set);
    else
      status = record_read(p, s, e, set);
  }
  return status;
}

/* ---- loops whose iterations may be reordered ---- */

static op2_status room_for(int32_t **array, int64_t *size, int64_t wanted) {
  if (*size >= wanted) return OP2_SUCCESS;
  op2i_free_data(*array);
  *size = 0;
  *array = op2i_alloc_data((size_t)wanted * sizeof **array);
  if (!*array) return NOMEM();
  *size = wanted;
  return OP2_SUCCESS;
}

/* Raise bounds to those that one use of the group requires. */
static void raise_bounds(const struct op2i_tile_projection *p, const struct op2i_tile_use *use,
                         struct group *g) {
  const struct state *s = &p->states[use->dat];
  for (int64_t e = 0; e < g->size; e++)
    if (s->writer[e] > g->bounds[e]) g->bounds[e] = s->writer[e];
  for (int64_t e = 0; use->writes && s->readers && e < g->size; e++) {
    int32_t top = highest(&p->readers, s->readers[e]);
    if (top > g->bounds[e]) g->bounds[e] = top;
  }
}

static op2_status find_bounds(struct op2i_tile_projection *p, const struct op2i_tile_step *step,
                              int32_t group) {
  struct group *g = &p->groups[group];
  const struct op2i_tile_use *only = NULL;
  int nuses = 0;
  for (int32_t u = 0; u < step->nuses; u++)
    if (step->uses[u].group == group && ++nuses) only = &step->uses[u];
  g->bound = p->states[only->dat].writer;
  if (nuses == 1 && !(only->writes && p->states[only->dat].readers)) return OP2_SUCCESS;
  op2_status status = room_for(&g->bounds, &g->bounds_size, g->size);
  if (status != OP2_SUCCESS) return status;
  for (int64_t e = 0; e < g->size; e++) g->bounds[e] = NONE;
  for (int32_t u = 0; u < step->nuses; u++)
    if (step->uses[u].group == group) raise_bounds(p, &step->uses[u], g);
  g->bound = g->bounds;
  return OP2_SUCCESS;
}

static op2_status begin_groups(struct op2i_tile_projection *p, const struct op2i_tile_step *step,
                               bool fixed) {
  op2_status status = OP2_SUCCESS;
  p->seen.count = 0;
  for (int32_t group = 0; group < step->ngroups; group++) {
    struct group *g = &p->groups[group];
    g->use = NULL;
    for (int32_t u = 0; u < step->nuses; u++) {
      const struct op2i_tile_use *use = &step->uses[u];
      if (use->group != group) continue;
      if (!g->use || p->states[use->dat].size < g->size) g->size = p->states[use->dat].size;
      if (!g->use) g->use = use;
    }
    if (!fixed) OP2I_TRY(find_bounds(p, step, group));
    if (g->use->direct) continue;
    OP2I_TRY(room_for(&g->seen, &g->seen_size, g->size));
    for (int64_t e = 0; e < g->size; e++) g->seen[e] = NONE;
  }

fail:
  return status;
}

static void raise_column(const struct op2i_tile_column *column, const int32_t *bound, int32_t *tile,
                         int64_t lo, int64_t hi) {
  const int32_t *idx = column->idx ? column->idx + column->slot : NULL;
  int32_t arity = column->arity;
  for (int64_t i = lo; i < hi; i++) {
    int32_t at_least = bound[idx ? idx[i * arity] : i];
    tile[i] = at_least > tile[i] ? at_least : tile[i];
  }
}

static op2_status see_column(struct op2i_tile_projection *p, const struct op2i_tile_column *column,
                             int32_t *seen, const int32_t *tile, int64_t lo, int64_t hi) {
  const int32_t *idx = column->idx ? column->idx + column->slot : NULL;
  int32_t arity = column->arity;
  op2_status status = OP2_SUCCESS;
  for (int64_t i = lo; i < hi && status == OP2_SUCCESS; i++)
    status = insert(&p->seen, &seen[idx ? idx[i * arity] : i], tile[i]);
  return status;
}

static op2_status place_free(struct op2i_tile_projection *p, int loop, int32_t *tile, int64_t i) {
  op2_status status = op2i_tile_home_make(p->home);
  if (status != OP2_SUCCESS) return status;
  tile[i] = op2i_tile_home_of(p->home, loop, i);
  if (p->backwards) tile[i] = p->home->ntiles - 1 - tile[i];
  return OP2_SUCCESS;
}

static op2_status project_chunk(struct op2i_tile_projection *p,
                                const struct op2i_tile_loop_tiles *tiles, int64_t lo, int64_t hi) {
  const struct op2i_tile_step *step = &p->chain->loops[tiles->loop];
  op2_status status = OP2_SUCCESS;
  for (int32_t group = 0; group < step->ngroups && !tiles->fixed; group++)
    for (int32_t c = 0; c < p->groups[group].use->ncolumns; c++)
      raise_column(&p->groups[group].use->columns[c], p->groups[group].bound, tiles->tile, lo, hi);
  for (int64_t i = lo; i < hi; i++)
    if (tiles->tile[i] == NONE) OP2I_TRY(place_free(p, tiles->loop, tiles->tile, i));
  for (int32_t u = 0; u < step->nuses; u++)
    if (step->uses[u].direct) OP2I_TRY(record_direct(p, &step->uses[u], tiles->tile, lo, hi));
  for (int32_t group = 0; group < step->ngroups; group++) {
    const struct op2i_tile_use *use = p->groups[group].use;
    for (int32_t c = 0; c < use->ncolumns && !use->direct; c++)
      OP2I_TRY(see_column(p, &use->columns[c], p->groups[group].seen, tiles->tile, lo, hi));
  }

fail:
  return status;
}

static op2_status project_unordered(struct op2i_tile_projection *p,
                                    const struct op2i_tile_loop_tiles *tiles) {
  const struct op2i_tile_step *step = &p->chain->loops[tiles->loop];
  op2_status status = begin_groups(p, step, tiles->fixed);
  for (int64_t lo = 0; lo < step->n && status == OP2_SUCCESS; lo += CHUNK)
    status = project_chunk(p, tiles, lo, step->n - lo < CHUNK ? step->n : lo + CHUNK);
  for (int32_t u = 0; u < step->nuses && status == OP2_SUCCESS; u++)
    if (!step->uses[u].direct)
      status = record_seen(p, &p->groups[step->uses[u].group], &step->uses[u]);
  return status;
}

/* ---- loops whose iterations keep their order ---- */

static int64_t element(const struct op2i_tile_column *column, int64_t i) {
  return column->idx ? column->idx[i * column->arity + column->slot] : i;
}

static int32_t bound_of(const struct op2i_tile_projection *p, const struct op2i_tile_step *step,
                        int64_t i) {
  int32_t bound = NONE;
  for (int32_t u = 0; u < step->nuses; u++) {
    const struct state *s = &p->states[step->uses[u].dat];
    for (int32_t c = 0; c < step->uses[u].ncolumns; c++) {
      const struct op2i_tile_column *column = &step->uses[u].columns[c];
      int64_t e = element(column, i);
      if (s->writer[e] > bound) bound = s->writer[e];
      if (column->mode == OP2I_TILE_READ || !s->readers) continue;
      int32_t top = highest(&p->readers, s->readers[e]);
      if (top > bound) bound = top;
    }
  }
  return bound;
}

static op2_status record_iteration(struct op2i_tile_projection *p,
                                   const struct op2i_tile_step *step, int64_t i, int32_t tile) {
  op2_status status = OP2_SUCCESS;
  for (int32_t u = 0; u < step->nuses; u++) {
    struct state *s = &p->states[step->uses[u].dat];
    for (int32_t c = 0; c < step->uses[u].ncolumns; c++) {
      const struct op2i_tile_column *column = &step->uses[u].columns[c];
      if (column->mode == OP2I_TILE_READ)
        OP2I_TRY(record_read(p, s, element(column, i), tile));
      else
        OP2I_TRY(record_write(p, s, element(column, i), tile, tile));
    }
  }

fail:
  return status;
}

static op2_status project_ordered(struct op2i_tile_projection *p,
                                  const struct op2i_tile_loop_tiles *tiles) {
  const struct op2i_tile_step *step = &p->chain->loops[tiles->loop];
  op2_status status = OP2_SUCCESS;
  for (int64_t k = 0; k < step->n; k++) {
    int64_t i = p->backwards ? step->n - 1 - k : k;
    int32_t bound = bound_of(p, step, i);
    if (bound > tiles->tile[i]) tiles->tile[i] = bound;
    if (tiles->tile[i] == NONE) OP2I_TRY(place_free(p, tiles->loop, tiles->tile, i));
    OP2I_TRY(record_iteration(p, step, i, tiles->tile[i]));
  }

fail:
  return status;
}

/* ---- the interface ---- */

/* Allocate the sets of readers at the first loop with a column that only reads. */
static op2_status note_readers(struct op2i_tile_projection *p, const struct op2i_tile_step *step) {
  for (int32_t u = 0; u < step->nuses; u++) {
    struct state *s = &p->states[step->uses[u].dat];
    bool reads = false;
    for (int32_t c = 0; c < step->uses[u].ncolumns; c++)
      reads |= step->uses[u].columns[c].mode == OP2I_TILE_READ;
    if (!reads || s->readers) continue;
    s->readers = op2i_alloc_data((size_t)s->size * sizeof *s->readers);
    if (!s->readers) return NOMEM();
    for (int64_t e = 0; e < s->size; e++) s->readers[e] = NONE;
  }
  return OP2_SUCCESS;
}

op2_status op2i_tile_projection_loop(struct op2i_tile_projection *p,
                                     const struct op2i_tile_loop_tiles *tiles) {
  const struct op2i_tile_step *step = &p->chain->loops[tiles->loop];
  op2_status status = note_readers(p, step);
  if (status != OP2_SUCCESS) return status;
  return step->ordered ? project_ordered(p, tiles) : project_unordered(p, tiles);
}

void op2i_tile_projection_begin(struct op2i_tile_projection *p, bool backwards,
                                struct op2i_tile_pairs *pairs) {
  p->backwards = backwards;
  p->pairs = pairs;
  p->readers.count = 0;
  p->readers.free = p->seen.free = NONE;
  for (int d = 0; d < p->chain->ndats; d++) {
    struct state *s = &p->states[d];
    for (int64_t e = 0; s->writer && e < s->size; e++) s->writer[e] = NONE;
    for (int64_t e = 0; s->readers && e < s->size; e++) s->readers[e] = NONE;
  }
}

op2_status op2i_tile_projection_open(const struct op2i_tile_desc *desc,
                                     const struct op2i_tile_chain *chain,
                                     struct op2i_tile_home *home,
                                     struct op2i_tile_projection **projection) {
  op2_status status = OP2_SUCCESS;
  struct op2i_tile_projection *p = op2i_calloc(1, sizeof *p);
  if (!p) return NOMEM();
  p->chain = chain;
  p->home = home;
  for (int l = 0; l < chain->nloops; l++)
    if (chain->loops[l].ngroups > p->ngroups) p->ngroups = chain->loops[l].ngroups;
  p->groups = op2i_calloc((size_t)p->ngroups, sizeof *p->groups);
  p->states = op2i_calloc((size_t)chain->ndats, sizeof *p->states);
  if (!p->groups || !p->states) OP2I_TRY(NOMEM());
  for (int d = 0; d < chain->ndats; d++) {
    p->states[d].size = desc->dat_size[d];
    if (!chain->kept[d]) continue;
    p->states[d].writer = op2i_alloc_data((size_t)desc->dat_size[d] * sizeof(int32_t));
    if (!p->states[d].writer) OP2I_TRY(NOMEM());
  }
  *projection = p;
  return OP2_SUCCESS;

fail:
  op2i_tile_projection_close(p);
  return status;
}

void op2i_tile_projection_close(struct op2i_tile_projection *p) {
  if (!p) return;
  for (int g = 0; p->groups && g < p->ngroups; g++) {
    op2i_free_data(p->groups[g].bounds);
    op2i_free_data(p->groups[g].seen);
  }
  for (int d = 0; p->states && d < p->chain->ndats; d++) {
    op2i_free_data(p->states[d].writer);
    op2i_free_data(p->states[d].readers);
  }
  op2i_free(p->readers.nodes);
  op2i_free(p->seen.nodes);
  op2i_free(p->groups);
  op2i_free(p->states);
  op2i_free(p);
}
