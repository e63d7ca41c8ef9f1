/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The constants of the rule: blocks of others are left for a third of the time that the own ones
 * took, if that was shorter than what a cache holds takes; a share that runs by one call is taken
 * in four pieces on openmp, and in pieces of two microseconds by a team of starpu's workers. */
enum { PATIENCE = 3, CACHED_NS = 200000, PIECES = 4, CALL_NS = 2000 };

/* More members than this wait in a tree, whose lines belong to so many each, and see in it whose
 * blocks have been taken (lib/system/tree.h). */
enum { FEW = 8 };

typedef enum phase { OWN, WAIT, STEAL, ENDED } phase;

typedef struct sim_member {
  phase phase;
  int from;     /* the next member whose share is looked at, counted from this one, in all passes */
  double came;  /* when the turn began for it */
  double until; /* while it waits for others */
  int32_t ran;  /* blocks */
} sim_member;

typedef struct core {
  double now, until; /* until when the present member has it, if others wait */
  int member;        /* -1: none */
} core;

typedef struct state {
  const sim_turn *turn;
  const sim_costs *costs;
  sim_result *result;
  sim_member *members;
  core *cores;
  int32_t *taken; /* [members] of their shares */
  int *queue;     /* [members] that have no core, a ring */
  int head, waiting, ended;
  int32_t left; /* blocks that nobody has taken */
} state;

int32_t sim_share(int32_t blocks, int members, int member) {
  return (int32_t)((int64_t)blocks * member / members);
}

static bool has_tree(const sim_costs *costs, int members) { return members > FEW && !costs->flat; }

/* In a tree those who arrive at a line do so one behind the other, at each level; then one of them
 * writes that they may go, and the others read it. */
double sim_turn_end(const sim_costs *costs, int members) {
  double ns = 0;
  if (!has_tree(costs, members)) return costs->barrier + costs->member * (members - 1);
  for (int count = members; count > 1; count = (count + FEW - 1) / FEW) {
    const int n = count < FEW ? count : FEW;
    ns += costs->barrier + costs->look * (n - 1) + costs->look + costs->scan * (n - 2);
  }
  return ns;
}

void sim_free(sim_result *result) {
  free(result->takes);
  *result = (sim_result){0};
}

/* ---- taking blocks --------------------------------------------------------------------------- */

static int32_t share_size(const sim_turn *t, int owner) {
  return sim_share(t->blocks, t->members, owner + 1) - sim_share(t->blocks, t->members, owner);
}

/* The number of blocks that are taken at a time from a share of which `left` blocks are left. One
 * thread of openmp runs all of them. */
static int32_t together(const sim_turn *t, int owner, int32_t left) {
  int32_t most = 1;
  if (t->members == 1 && t->team == SIM_OPENMP) return left;
  if (t->joined && t->team == SIM_OPENMP) most = (share_size(t, owner) + PIECES - 1) / PIECES;
  if (t->joined && t->team == SIM_STARPU && t->estimate > 0 && t->estimate < CALL_NS) {
    most = (int32_t)(CALL_NS / t->estimate);
    if (most > t->blocks) most = t->blocks;
  }
  const int32_t limit = t->team == SIM_STARPU ? (left + 1) / 2 : left;
  return most < limit ? most : limit;
}

/* Take blocks of a share; returns how long they take, 0 if there are none. */
static double take(state *s, core *c, int owner) {
  const sim_turn *t = s->turn;
  const int32_t left = share_size(t, owner) - s->taken[owner];
  if (left <= 0) return 0;
  const int32_t n = together(t, owner, left);
  const int32_t first = sim_share(t->blocks, t->members, owner) + s->taken[owner];
  double ns = 0;
  for (int32_t b = first; b < first + n; b++) ns += t->block[b];
  s->taken[owner] += n;
  s->left -= n;
  s->members[c->member].ran += n;
  s->result->busy += ns;
  if (owner != c->member) s->result->stolen += n;
  s->result->takes[s->result->ntake++] =
      (sim_take){.member = c->member, .owner = owner, .first = first, .n = n, .begin = c->now};
  return ns + s->costs->take;
}

/* ---- members --------------------------------------------------------------------------------- */

static void begin_wait(state *s, core *c, sim_member *m) {
  const double own = c->now - m->came;
  m->phase = WAIT;
  m->from = 1;
  m->until = c->now + (own < CACHED_NS ? own / PATIENCE : 0);
  if (has_tree(s->costs, s->turn->members))
    c->now += 2 * s->costs->look; /* to count the own share, and to read whether blocks are left */
  else
    c->now += s->costs->scan * (s->turn->members - 1);
}

/* Let time pass until the wait is over, or the next event of another core, which may take the last
 * block. */
static void wait_for_others(const state *s, core *c, sim_member *m) {
  double next = m->until;
  if (s->left == 0) {
    m->phase = ENDED;
    return;
  }
  if (c->now >= m->until) {
    m->phase = STEAL;
    return;
  }
  for (int k = 0; k < s->turn->cores; k++)
    if (&s->cores[k] != c && s->cores[k].member >= 0 && s->cores[k].now < next &&
        s->cores[k].now > c->now)
      next = s->cores[k].now;
  c->now = next;
}

/* The number of members from this one on that are passed over, since the lines of the tree that
 * they share say that none of their blocks is left. */
static int passed(const state *s, int member) {
  const int members = s->turn->members;
  for (int width = FEW, end = member;; width *= FEW) {
    const int lo = member / width * width, hi = lo + width < members ? lo + width : members;
    for (int owner = lo; owner < hi; owner++)
      if (s->taken[owner] < share_size(s->turn, owner)) return end - member;
    end = hi;
    if (width >= members) return end - member;
  }
}

/* With nodes the shares of the own node are looked at in a first pass, the others in a second one. */
static bool in_pass(const state *s, int member, int owner, int pass) {
  const int *node = s->turn->node;
  return !node || (node[owner] == node[member]) == (pass == 0);
}

static void steal(state *s, core *c, sim_member *m) {
  const int members = s->turn->members, others = members - 1, passes = s->turn->node ? 2 : 1;
  const int pass = (m->from - 1) / others;
  const int owner = (c->member + 1 + (m->from - 1) % others) % members;
  const int over = has_tree(s->costs, members) ? passed(s, owner) : 0;
  const bool looked = over > 0 || in_pass(s, c->member, owner, pass);
  const double ns = over == 0 && looked ? take(s, c, owner) : 0;
  if (ns > 0) {
    c->now += ns + s->costs->look;
    return;
  }
  if (looked) c->now += s->costs->scan;
  m->from += over > 0 ? over : 1;
  if (m->from > (pass + 1) * others) m->from = (pass + 1) * others + 1;
  if (m->from > passes * others) m->phase = ENDED;
}

/* The next thing that the core's member does. */
static void act(state *s, core *c) {
  sim_member *m = &s->members[c->member];
  double ns;
  switch (m->phase) {
  case OWN:
    ns = take(s, c, c->member);
    c->now += ns;
    if (ns <= 0 && s->turn->members == 1)
      m->phase = ENDED;
    else if (ns <= 0)
      begin_wait(s, c, m);
    break;
  case WAIT: wait_for_others(s, c, m); break;
  case STEAL: steal(s, c, m); break;
  case ENDED: break;
  }
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* The next moment at which the core goes on to another member. Those of several cores are not at the
 * same time. */
static double next_tick(const state *s, const core *c) {
  const double slice = s->costs->slice, golden = 0.618;
  const double offset = slice * (s->turn->phase + golden * (double)(c - s->cores));
  if (!(slice < INFINITY)) return INFINITY;
  return offset + slice * (floor((c->now - offset) / slice) + 1);
}

static void give_next(state *s, core *c) {
  c->member = -1;
  if (s->waiting == 0) return;
  c->member = s->queue[s->head];
  c->until = next_tick(s, c);
  s->head = (s->head + 1) % s->turn->members;
  s->waiting--;
  sim_member *m = &s->members[c->member];
  if (m->phase == OWN && m->ran == 0) m->came = c->now;
}

static void put_behind(state *s, int member) {
  s->queue[(s->head + s->waiting++) % s->turn->members] = member;
}

static core *earliest(const state *s) {
  core *first = NULL;
  for (int k = 0; k < s->turn->cores; k++)
    if (s->cores[k].member >= 0 && (!first || s->cores[k].now < first->now)) first = &s->cores[k];
  return first;
}

static void run_all(state *s) {
  for (int m = 0; m < s->turn->members; m++) put_behind(s, m);
  for (int k = 0; k < s->turn->cores; k++) give_next(s, &s->cores[k]);
  for (core *c; (c = earliest(s));) {
    act(s, c);
    if (s->members[c->member].phase == ENDED) {
      s->result->length = fmax(s->result->length, c->now);
      give_next(s, c);
    } else if (s->waiting > 0 && c->now > c->until) {
      put_behind(s, c->member);
      give_next(s, c);
    }
  }
}

int sim_run(const sim_turn *turn, const sim_costs *costs, sim_result *result, bench_error *error) {
  const size_t members = (size_t)turn->members, cores = (size_t)turn->cores;
  state s = {.turn = turn, .costs = costs, .result = result, .left = turn->blocks};
  sim_free(result);
  s.members = calloc(members, sizeof *s.members);
  s.cores = calloc(cores, sizeof *s.cores);
  s.taken = calloc(members, sizeof *s.taken);
  s.queue = calloc(members, sizeof *s.queue);
  result->takes = calloc((size_t)turn->blocks + 1, sizeof *result->takes);
  const bool good = s.members && s.cores && s.taken && s.queue && result->takes;
  if (good) run_all(&s);
  for (size_t m = 0; good && m < members; m++)
    if (s.members[m].ran > result->rounds) result->rounds = s.members[m].ran;
  free(s.members);
  free(s.cores);
  free(s.taken);
  free(s.queue);
  if (good) return 0;
  sim_free(result);
  return bench_fail(error, "out of memory for a turn");
}
