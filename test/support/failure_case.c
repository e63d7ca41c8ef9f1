/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "failure_case.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "code.h"
#include "comm.h"
#include "context.h"
#include "init.h"
#include "mem.h"
#include "support.h"
#include "tap.h"

enum { ROW_CELLS = 40, ROW_EDGES = ROW_CELLS - 1 };
enum { SECONDS = 10, HANG = 120 }; /* for a report with its cause; until the test gives up */

OP2_KERNEL(number, (int64_t * a, int i), { *a = i + 1; });
OP2_KERNEL(left, (const int64_t *a0, const int64_t *a1, int64_t *e), { *e = *a1 - *a0; });
OP2_KERNEL(add, (const int64_t *e, int64_t *a0, int64_t *a1), {
  *a0 += *e;
  *a1 += *e;
});
OP2_KERNEL(total, (const int64_t *a, int64_t *sum), { *sum += *a; });
OP2_KERNEL(twice, (int64_t * a), { *a *= 2; });
OP2_KERNEL(sometimes, (int64_t * a, const int64_t *flag), {
  if (*flag) *a = 7;
});

struct rank {
  const struct scene *scene;
  struct op2i_comm *comm;
  int rank;
  bool victim;
  op2_context ctx;
  struct share share;
  op2_set sets[2];
  op2_map maps[1];
  op2_dat a, b, c, e, flag, other;
  op2_gbl sum;
  op2_kernel number, left, add, total, twice, sometimes;
};

/* ---- ranks ----------------------------------------------------------------------------------- */

static op2_status declare(struct rank *r) {
  op2_status status = share_declare(&r->scene->whole, &r->share, r->ctx, r->sets, r->maps);
  op2_dat *dats[] = {&r->a, &r->b, &r->c, &r->flag, &r->e, &r->other};
  static const char *const names[] = {"a", "b", "c", "flag", "e", "other"};
  for (int d = 0; d < 6 && !status; d++)
    status = op2_dat_create(r->sets[d >= 4], 1, OP2_I64, NULL, names[d], dats[d]);
  if (!status) status = op2_gbl_create(r->ctx, 1, OP2_I64, NULL, "sum", &r->sum);
  const struct {
    const op2_kernel_desc *desc;
    op2_kernel *kernel;
  } kernels[] = {{&number_kernel, &r->number}, {&left_kernel, &r->left},
                 {&add_kernel, &r->add},       {&total_kernel, &r->total},
                 {&twice_kernel, &r->twice},   {&sometimes_kernel, &r->sometimes}};
  for (int k = 0; k < 6 && !status; k++)
    status = op2_kernel_create(r->ctx, kernels[k].desc, kernels[k].kernel);
  return status;
}

static op2_status begin(struct rank *r, struct scene *scene, struct op2i_comm *comm,
                        op2_options options) {
  *r = (struct rank){
      .scene = scene, .comm = comm, .rank = comm->rank, .victim = comm->rank == scene->victim};
  options.backend = scene->backend;
  options.threads = 1;
  if (!options.cache_dir) options.cache_dir = test_cache();
  whole_share(&scene->whole, comm->rank, &r->share);
  op2_status status = op2i_init_ranks(&options, comm, &r->ctx);
  if (status) return status;
  r->ctx->config.verify = scene->verify;
  r->ctx->config.eager = 0;
  return declare(r);
}

static op2_status end(struct rank *r) {
  op2_kernel *kernels[] = {&r->number, &r->left, &r->add, &r->total, &r->twice, &r->sometimes};
  op2_dat *dats[] = {&r->a, &r->b, &r->c, &r->e, &r->flag, &r->other};
  op2_context ctx = r->ctx;
  op2_status status = op2_finalize(&ctx);
  for (int k = 0; k < 6; k++) op2_kernel_destroy(kernels[k]);
  for (int d = 0; d < 6; d++) op2_dat_destroy(dats[d]);
  op2_gbl_destroy(&r->sum);
  op2_map_destroy(&r->maps[0]);
  for (int s = 0; s < 2; s++) op2_set_destroy(&r->sets[s]);
  share_free(&r->scene->whole, &r->share);
  return status;
}

static int say(const struct rank *r, const char *what) {
  fprintf(stderr, "# rank %d: %s: %s\n", r->rank, what, op2_error_message());
  return 1;
}

/* ---- queued operations ----------------------------------------------------------------------- */

static op2_status q_number(struct rank *r, op2_dat dat) {
  return op2_par_loop(r->number, r->sets[0], op2_arg_direct(dat, OP2_WRITE), op2_arg_idx());
}
static op2_status q_left(struct rank *r, op2_dat dat) {
  return op2_par_loop(r->left, r->sets[1], op2_arg_dat(dat, 0, r->maps[0], OP2_READ),
                      op2_arg_dat(dat, 1, r->maps[0], OP2_READ), op2_arg_direct(r->e, OP2_WRITE));
}
static op2_status q_add(struct rank *r, op2_dat dat) {
  return op2_par_loop(r->add, r->sets[1], op2_arg_direct(r->e, OP2_READ),
                      op2_arg_dat(dat, 0, r->maps[0], OP2_INC),
                      op2_arg_dat(dat, 1, r->maps[0], OP2_INC));
}
static op2_status q_total(struct rank *r, op2_dat dat) {
  return op2_par_loop(r->total, r->sets[0], op2_arg_direct(dat, OP2_READ),
                      op2_arg_gbl(r->sum, OP2_INC));
}
static op2_status q_twice(struct rank *r, op2_dat dat) {
  return op2_par_loop(r->twice, r->sets[0], op2_arg_direct(dat, OP2_RW));
}
static op2_status q_sometimes(struct rank *r, op2_dat dat) {
  return op2_par_loop(r->sometimes, r->sets[0], op2_arg_direct(dat, OP2_WRITE),
                      op2_arg_direct(r->flag, OP2_READ));
}

static int fails_here(void *data, void *const *values) {
  int64_t *a = values[0];
  const struct rank *r = data;
  a[0] = 5;
  return r->victim ? 42 : 0;
}
static int counts(void *data, void *const *values) {
  (void)values;
  ++*(int *)data;
  return 0;
}

/* ---- errors that all ranks must report ------------------------------------------------------- */

/* The status is the same on all ranks, and so is the message, which must contain `words` if
 * given. */
static int all_fail(struct rank *r, op2_status status, op2_status want, const char *words,
                    const char *what) {
  char name[40];
  snprintf(name, sizeof name, "rank %d of %d", r->scene->victim, r->scene->ranks);
  if (status == want && strstr(op2_error_message(), name) && strstr(op2_error_message(), words))
    return 0;
  fprintf(stderr, "# rank %d: %s: status %d, not %d: %s\n", r->rank, what, (int)status, (int)want,
          op2_error_message());
  return 1;
}

/* The dat of cells must hold factor * (number + 1), and 0 beyond. */
static int all_have(struct rank *r, op2_dat dat, int64_t factor, const char *what) {
  int64_t values[ROW_CELLS] = {0};
  int wrong = 0;
  if (op2_dat_get_halo(dat, values)) return say(r, what);
  for (int64_t i = 0; i < r->share.set[0].ends[3]; i++)
    wrong += values[i] != factor * (r->share.set[0].global[i] + 1);
  if (wrong) fprintf(stderr, "# rank %d: %s: %d values are wrong\n", r->rank, what, wrong);
  return wrong != 0;
}

static int all_miss(struct rank *r, op2_dat dat, op2_status want, const char *words,
                    const char *what) {
  int64_t values[ROW_CELLS];
  return all_fail(r, op2_dat_get(dat, values), want, words, what);
}

/* ---- a call fails ---------------------------------------------------------------------------- */

/* a is written, then spoilt by the call; b is computed from it; c is independent of both. */
static int call_fails(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int wrong = 0, called = 0;
  int64_t sum = -1;
  if (begin(&r, scene, comm, (op2_options){0})) return say(&r, "to begin");
  for (int round = 0; round < 3; round++) { /* the program is found again and replayed */
    op2_status status = q_number(&r, r.a) || q_number(&r, r.c) || q_twice(&r, r.c) ||
                        op2_call(r.ctx, fails_here, &r, op2_arg_direct(r.a, OP2_RW)) ||
                        q_left(&r, r.a) || q_number(&r, r.b) || q_add(&r, r.b) ||
                        op2_call(r.ctx, counts, &called, op2_arg_direct(r.b, OP2_READ)) ||
                        q_total(&r, r.c);
    if (status) wrong += say(&r, "to queue");
    wrong += all_fail(&r, op2_flush(r.ctx), OP2_ERR_CALL, "returned 42", "a call that fails");
    wrong += all_miss(&r, r.a, OP2_ERR_CALL, "returned 42", "what it writes");
    wrong += all_miss(&r, r.b, OP2_ERR_CALL, "returned 42", "what is made of it");
    wrong += all_have(&r, r.c, 2, "what is not");
    wrong += called != 0;
    if (op2_gbl_get(r.sum, &sum) || sum != ROW_CELLS * (ROW_CELLS + 1)) wrong += say(&r, "the sum");
    if (op2_gbl_set(r.sum, &(int64_t){0})) wrong += say(&r, "to set the sum");
  }
  if (q_number(&r, r.a) || op2_flush(r.ctx)) wrong += say(&r, "to overwrite");
  wrong += all_have(&r, r.a, 1, "what was overwritten");
  return wrong + (end(&r) != OP2_SUCCESS);
}

/* ---- the checked mode accuses one rank's elements -------------------------------------------- */

static int accused(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int wrong = 0;
  int64_t flags[ROW_CELLS], sum = -1;
  if (begin(&r, scene, comm, (op2_options){0})) return say(&r, "to begin");
  for (int i = 0; i < ROW_CELLS; i++) flags[i] = !r.victim || i != 2;
  if (op2_dat_set(r.flag, flags)) wrong += say(&r, "to set");
  op2_status status = q_sometimes(&r, r.a) || q_number(&r, r.c) || q_left(&r, r.a) ||
                      q_total(&r, r.a) || q_number(&r, r.b) || q_twice(&r, r.c);
  if (status) wrong += say(&r, "to queue");
  wrong += all_fail(&r, op2_flush(r.ctx), OP2_ERR_KERNEL, "sometimes", "an accusation");
  wrong += all_miss(&r, r.a, OP2_ERR_KERNEL, "sometimes", "what it writes");
  wrong += all_miss(&r, r.e, OP2_ERR_KERNEL, "sometimes", "what is made of it");
  wrong += all_fail(&r, op2_gbl_get(r.sum, &sum), OP2_ERR_KERNEL, "sometimes", "its sum");
  wrong += all_have(&r, r.b, 1, "what is not") + all_have(&r, r.c, 2, "what is not, twice");
  return wrong + (end(&r) != OP2_SUCCESS);
}

/* ---- the compiler of one rank ---------------------------------------------------------------- */

static int no_compiler(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int wrong = 0;
  char folder[400];
  op2_options options = {.cc = comm->rank == scene->victim ? "false" : NULL, .cache_dir = folder};
  snprintf(folder, sizeof folder, "%s/%s-%d-%d", test_scratch(), scene->backend, scene->ranks,
           comm->rank);
  if (begin(&r, scene, comm, options)) return say(&r, "to begin");
  for (int round = 0; round < 2; round++) {
    if (q_number(&r, r.a) || q_left(&r, r.a) || q_total(&r, r.a)) wrong += say(&r, "to queue");
    wrong += all_fail(&r, op2_flush(r.ctx), OP2_ERR_COMPILE, "", "a compiler that fails");
    wrong += all_miss(&r, r.a, OP2_ERR_COMPILE, "", "what it writes");
  }
  return wrong + (end(&r) != OP2_SUCCESS);
}

/* ---- a map ----------------------------------------------------------------------------------- */

static int bad_entry(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int wrong = 0;
  op2_map map = NULL;
  int32_t idx[2 * ROW_CELLS] = {0};
  if (begin(&r, scene, comm, (op2_options){0})) return say(&r, "to begin");
  if (r.victim) idx[1] = 1000;
  wrong += all_fail(&r, op2_map_create(r.sets[1], r.sets[0], 2, idx, "bad", &map), OP2_ERR_RANGE,
                    "entry 1000 at row 0", "a bad entry");
  wrong += map != NULL;
  op2_set set = NULL;
  wrong += all_fail(&r, op2_set_create(r.ctx, r.victim ? -3 : 3, "bad", &set), OP2_ERR_ARG, "-3",
                    "a bad size");
  wrong += set != NULL;
  if (q_number(&r, r.a) || q_left(&r, r.a)) wrong += say(&r, "to queue");
  if (op2_flush(r.ctx)) wrong += say(&r, "to go on");
  return wrong + (end(&r) != OP2_SUCCESS);
}

/* ---- declarations ---------------------------------------------------------------------------- */

enum { DECLARED = 6 };
struct declared {
  op2_kernel kernel;
  op2_gbl gbl;
  op2_const constant;
  op2_set some, both;
  op2_loop loop;
};

/* Declarations, one after the other, of which number `bad` has wrong arguments. */
static op2_status declare_one(struct rank *r, struct declared *d, int what, bool bad) {
  const op2_kernel_desc desc = {.name = "scale", .source = "void scale(long *a) { *a *= factor; }"},
                        nonsense = {.name = "scale", .source = "void scal(long *a) { *a = 1; }"};
  switch (what) {
  case 0: return op2_kernel_create(r->ctx, bad ? &nonsense : &desc, &d->kernel);
  case 1: return op2_gbl_create(r->ctx, bad ? 0 : 1, OP2_I64, NULL, "result", &d->gbl);
  case 2:
    return op2_const_create(r->ctx, 1, OP2_I64, &(int64_t){3}, bad ? "bad name" : "factor",
                            &d->constant);
  case 3: return op2_subset_create(r->sets[0], 1, &(int64_t){bad ? -1 : 0}, "some", &d->some);
  case 4: return op2_subset_create_union(d->some, bad ? r->sets[1] : r->sets[0], "both", &d->both);
  default:
    return op2_loop_create(&d->loop, d->kernel, d->both, op2_arg_direct(bad ? r->e : r->a, OP2_RW));
  }
}

static bool is_there(const struct declared *d, int what) {
  const void *handles[DECLARED] = {d->kernel, d->gbl, d->constant, d->some, d->both, d->loop};
  return handles[what] != NULL;
}

static void undeclare(struct declared *d) {
  op2_loop_destroy(&d->loop);
  op2_set_destroy(&d->both);
  op2_set_destroy(&d->some);
  op2_const_destroy(&d->constant);
  op2_gbl_destroy(&d->gbl);
  op2_kernel_destroy(&d->kernel);
}

/* The declaration has failed on the victim: no rank has the object, and all ranks return the same
 * status. */
static int nobody_has(struct rank *r, const struct declared *d, int what, op2_status status) {
  int64_t codes[2] = {(int64_t)status, -(int64_t)status};
  char name[40];
  snprintf(name, sizeof name, "rank %d of %d: ", r->scene->victim, r->scene->ranks);
  int wrong = strstr(op2_error_message(), name) ? 0 : say(r, "a declaration fails");
  if (is_there(d, what)) wrong += say(r, "what has failed is there");
  if (op2i_comm_least(r->ctx->comm, 2, codes) || codes[0] != -codes[1])
    wrong += say(r, "other ranks say something else");
  return wrong;
}

/* Let each allocation of the declaration fail once. */
static int one_lacks_memory(struct rank *r, struct declared *d, int what) {
  int wrong = 0, n = 1, failed = 0;
  op2_status status = OP2_ERR_NOMEM;
  for (; n < 200 && status && !wrong; n++) {
    if (r->victim) op2i_mem_fail_here_at(n);
    status = declare_one(r, d, what, false);
    if (r->victim) op2i_mem_fail_here_at(0);
    if (status) wrong += nobody_has(r, d, what, status), failed++;
  }
  return wrong + (failed ? 0 : say(r, "no allocation was missed"));
}

static int declares(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  struct declared d = {0};
  int wrong = 0;
  if (begin(&r, scene, comm, (op2_options){0})) return say(&r, "to begin");
  for (int what = 0; what < DECLARED && !wrong; what++) {
    op2_status status = declare_one(&r, &d, what, r.victim);
    wrong += status ? nobody_has(&r, &d, what, status) : say(&r, "what is wrong is taken");
    wrong += one_lacks_memory(&r, &d, what);
  }
  if (!wrong && (q_number(&r, r.a) || op2_loop_enqueue(d.loop) || op2_flush(r.ctx)))
    wrong += say(&r, "to run");
  if (!wrong) wrong += all_have(&r, r.a, 3, "what was declared in the end");
  undeclare(&d);
  return wrong + (end(&r) != OP2_SUCCESS);
}

/* ---- a rank ends ----------------------------------------------------------------------------- */

static int ends_early(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int wrong = 0;
  int64_t sum;
  if (begin(&r, scene, comm, (op2_options){0})) return say(&r, "to begin");
  if (q_number(&r, r.a)) wrong += say(&r, "to queue");
  op2_status status = op2_flush(r.ctx);
  if (r.victim) return wrong + (status != OP2_SUCCESS) + (end(&r) != OP2_ERR_FATAL);
  char words[40];
  snprintf(words, sizeof words, "rank %d", scene->victim);
  /* A rank that is ahead may have reported the end before another one has finished the flush. */
  if (!status && (q_left(&r, r.a) || q_total(&r, r.a)) && !r.ctx->fatal)
    wrong += say(&r, "to queue");
  if (!status) status = op2_gbl_get(r.sum, &sum);
  if (status != OP2_ERR_FATAL || !strstr(op2_error_message(), words) ||
      !strstr(op2_error_message(), "has op2_finalize") ||
      !strstr(op2_error_message(), "has loop 'left' ("))
    wrong += say(&r, "a rank that has ended");
  (void)!end(&r);
  return wrong;
}

/* ---- errors that only one rank can detect ---------------------------------------------------- */

/* A map that leads twice to one cell on one rank only, and a loop that writes through it: all
 * ranks must fuse the loop or none, since halo exchanges would else come at different points. */
OP2_KERNEL(mark, (int64_t * a, const int64_t *e), { *a = *e; });

static int twice_on_one(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  op2_map map = NULL;
  op2_kernel mark = NULL;
  int32_t idx[ROW_CELLS] = {0};
  int wrong = 0;
  if (begin(&r, scene, comm, (op2_options){0})) return say(&r, "to begin");
  for (int i = 0; i < ROW_CELLS; i++) idx[i] = r.victim && i == 1 ? 0 : i;
  if (op2_map_create(r.sets[1], r.sets[1], 1, idx, "self", &map) ||
      op2_kernel_create(r.ctx, &mark_kernel, &mark))
    wrong += say(&r, "to declare");
  for (int round = 0; round < 3 && !wrong; round++) {
    op2_status status = q_number(&r, r.a) || q_left(&r, r.a) ||
                        op2_par_loop(mark, r.sets[1], op2_arg_dat(r.e, 0, map, OP2_WRITE),
                                     op2_arg_direct(r.other, OP2_READ)) ||
                        q_add(&r, r.a) || q_left(&r, r.a);
    if (status || op2_flush(r.ctx)) wrong += say(&r, "to run");
  }
  op2_kernel_destroy(&mark);
  op2_map_destroy(&map);
  return wrong + (end(&r) != OP2_SUCCESS);
}

/* ---- ranks that do not queue the same -------------------------------------------------------- */

/* A rank that is slower than the others may get the report that ranks differ in any call before the
 * one in which it would find out itself. */
static int told_early(struct rank *r, const char *what) {
  int wrong = strstr(op2_error_message(), "ranks differ from call ") ? 0 : say(r, what);
  (void)!end(r);
  return wrong;
}

static int one_more(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  char other[40];
  if (begin(&r, scene, comm, (op2_options){0})) return told_early(&r, "to begin");
  if (q_number(&r, r.a) || op2_flush(r.ctx) || q_number(&r, r.b)) return told_early(&r, "to run");
  if ((r.victim && q_twice(&r, r.a)) || q_left(&r, r.a) || q_add(&r, r.b))
    return told_early(&r, "to queue");
  int wrong = 0;
  op2_status status = op2_flush(r.ctx);
  snprintf(other, sizeof other, "rank %d", scene->victim);
  const char *said = op2_error_message();
  if (status != OP2_ERR_FATAL || !strstr(said, "ranks differ from call ") || !strstr(said, other) ||
      !strstr(said, "has loop 'twice' (") || !strstr(said, "has loop 'left' ("))
    wrong += say(&r, "one loop more");
  if (op2_flush(r.ctx) != OP2_ERR_FATAL) wrong += say(&r, "after that");
  (void)!end(&r);
  return wrong;
}

static int one_more_last(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  if (begin(&r, scene, comm, (op2_options){0})) return told_early(&r, "to begin");
  if (q_number(&r, r.a) || (r.victim && q_left(&r, r.a))) return told_early(&r, "to queue");
  int wrong = 0;
  op2_status status = end(&r);
  if (status != OP2_ERR_FATAL || !strstr(op2_error_message(), "has loop 'left' (") ||
      !strstr(op2_error_message(), "has op2_finalize"))
    wrong += say(&r, "one loop more at the end");
  return wrong;
}

/* The victim reads its result while the others go on and read another one. */
static int another_force(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int64_t values[ROW_CELLS];
  if (begin(&r, scene, comm, (op2_options){0})) return told_early(&r, "to begin");
  if (q_number(&r, r.a) || q_number(&r, r.b)) return told_early(&r, "to queue");
  int wrong = 0;
  op2_status status = op2_dat_get(r.victim ? r.a : r.b, values);
  if (status != OP2_ERR_FATAL || !strstr(op2_error_message(), "has op2_dat_get 'a'") ||
      !strstr(op2_error_message(), "has op2_dat_get 'b'"))
    wrong += say(&r, "two forces");
  (void)!end(&r);
  return wrong;
}

/* ---- ranks whose programs exchange other halos ----------------------------------------------- */

OP2_KERNEL(mix, (const int64_t *a, const int64_t *b, int64_t *e), { *e = *a + *b; });

/* The victim merges no exchanges: where the others receive two dats at once it receives one after
 * the other. */
static int other_exchanges(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  op2_kernel mix = NULL;
  char other[40];
  if (begin(&r, scene, comm, (op2_options){0})) return say(&r, "to begin");
  if (r.victim) r.ctx->config.merge = 0;
  int wrong = 0;
  if (op2_kernel_create(r.ctx, &mix_kernel, &mix) || q_number(&r, r.a) || q_number(&r, r.b) ||
      op2_flush(r.ctx) ||
      op2_par_loop(mix, r.sets[1], op2_arg_dat(r.a, 0, r.maps[0], OP2_READ),
                   op2_arg_dat(r.b, 1, r.maps[0], OP2_READ), op2_arg_direct(r.e, OP2_WRITE)))
    wrong = say(&r, "to queue");
  op2_status status = op2_flush(r.ctx);
  const char *said = op2_error_message(),
             *first = scene->victim
                          ? "brings the halo of 'a' (non-exec), 'b' (non-exec) from call 3"
                          : "brings the halo of 'a' (non-exec) from call 3";
  snprintf(other, sizeof other, "rank %d brings the halo of 'a'",
           scene->victim ? scene->victim : 1);
  if (status != OP2_ERR_FATAL || !strstr(said, other) || !strstr(said, first) ||
      !strstr(said, "ranks differ in exchange 1 of the program that begins with call 3: rank 0"))
    wrong += say(&r, "other exchanges");
  op2_kernel_destroy(&mix);
  (void)!end(&r);
  return wrong;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static op2_status use_all(struct rank *r, int64_t *sum) {
  op2_status status = OP2_SUCCESS;
  int64_t values[ROW_CELLS];
  for (int round = 0; round < 2 && !status; round++) {
    status = op2_gbl_set(r->sum, &(int64_t){0});
    if (!status) status = q_number(r, r->a);
    if (!status) status = q_left(r, r->a);
    if (!status) status = q_number(r, r->b);
    if (!status) status = q_add(r, r->b);
    if (!status) status = q_twice(r, r->b);
    if (!status) status = q_total(r, r->b);
    if (!status) status = op2_flush(r->ctx);
  }
  if (!status) status = op2_dat_get_halo(r->a, values);
  return status ? status : op2_gbl_get(r->sum, sum);
}

/* Either the failure has no effect and results are right, or all ranks get an error. */
int failure_memory(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int64_t sum = 0;
  if (comm->rank == scene->victim) op2i_mem_fail_here_at(scene->n);
  op2_status status = begin(&r, scene, comm, (op2_options){0});
  if (!status) status = use_all(&r, &sum);
  char words[400], name[40];
  snprintf(words, sizeof words, "%s", op2_error_message());
  snprintf(name, sizeof name, "rank %d ", scene->victim);
  op2_status last = r.ctx ? end(&r) : OP2_SUCCESS;
  if (!r.ctx) share_free(&scene->whole, &r.share);
  if (r.victim) scene->made = op2i_mem_fail_here_at(0);
  int64_t want = 2 * (ROW_CELLS * (ROW_CELLS + 1) / 2 + 2 * ROW_EDGES);
  if (!status && sum != want) return say(&r, "a wrong sum");
  if (!status && !last) return 0;
  bool told = r.victim || strstr(words, name);
  return status && !told ? say(&r, "a message without the rank") : 1000;
}

/* ---- a cache that cannot be written ---------------------------------------------------------- */

/* A file system without free space, mounted in a private view of this process and of the threads
 * that it makes afterwards. */
static bool mount_full(const char *folder) {
  static bool own_view;
  char path[500], block[4096] = "";
  if (!own_view)
    own_view =
        unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
  if (!own_view || mount("none", folder, "tmpfs", 0, "size=16k,mode=0700") != 0) return false;
  snprintf(path, sizeof path, "%s/" OP2I_ABI, folder);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/filler", folder);
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  while (write(fd, block, sizeof block) > 0) continue;
  close(fd);
  return true;
}

/* A folder into which nothing can be written. */
static const char *full_folder(void) {
  static char folder[400];
  static bool made, full;
  if (!made) {
    snprintf(folder, sizeof folder, "%s/full", test_scratch());
    mkdir(folder, 0700);
    full = mount_full(folder) || (geteuid() != 0 && chmod(folder, 0500) == 0);
    made = true;
  }
  return full ? folder : NULL;
}

/* All ranks go on: the victim compiles for itself. */
static int full_cache(struct scene *scene, struct op2i_comm *comm) {
  struct rank r;
  int64_t sum = 0, want = 2 * (ROW_CELLS * (ROW_CELLS + 1) / 2 + 2 * ROW_EDGES);
  const op2_options options = {.cache_dir = comm->rank == scene->victim ? full_folder() : NULL};
  if (begin(&r, scene, comm, options)) return say(&r, "to begin");
  r.ctx->config.log_level = 0; /* no warning about the folder */
  int wrong = use_all(&r, &sum) || sum != want ? say(&r, "a full cache") : 0;
  return wrong + (end(&r) != OP2_SUCCESS);
}

const char *failure_unavailable(const struct failure *f) {
  return f->play != full_cache || full_folder()
             ? NULL
             : "no folder can be made that is full, or read-only";
}

/* ---- all cases ------------------------------------------------------------------------------- */

static void cut(struct whole *whole, int ranks) {
  *whole = (struct whole){.nsets = 2, .nmaps = 1};
  const int64_t sizes[] = {ROW_CELLS, ROW_EDGES};
  for (int s = 0; s < 2; s++) {
    whole->set[s].name = s ? "edges" : "cells";
    whole->set[s].size = sizes[s];
    whole->set[s].owner = calloc((size_t)sizes[s], sizeof(int32_t));
    for (int64_t i = 0; i < sizes[s]; i++)
      whole->set[s].owner[i] = (int32_t)(i * ranks / ROW_CELLS);
  }
  whole->map[0].name = "ends";
  whole->map[0].from = 1;
  whole->map[0].arity = 2;
  whole->map[0].idx = calloc(2 * ROW_EDGES, sizeof(int32_t));
  for (int i = 0; i < 2 * ROW_EDGES; i++) whole->map[0].idx[i] = i / 2 + i % 2;
}

static int play(struct op2i_comm *comm, void *data) {
  struct scene *scene = data;
  return scene->play(scene, comm);
}

int failure_run(struct scene *scene, rank_runner *runner) {
  cut(&scene->whole, scene->ranks);
  alarm(HANG); /* a hang ends the whole test */
  double begun = op2i_seconds();
  int wrong = runner(scene->ranks, play, scene);
  double took = op2i_seconds() - begun;
  alarm(0);
  whole_free(&scene->whole);
  if (took <= SECONDS) return wrong;
  diag("rank %d of %d fails: %.1f s", scene->victim, scene->ranks, took);
  return wrong + 1;
}

const struct failure failures[FAILURES] = {
    {"a call fails", call_fails, .verify = false},
    {"a compiler fails", no_compiler, .verify = false},
    {"a cache is full", full_cache, .verify = false},
    {"a map is bad", bad_entry, .verify = false},
    {"a declaration fails", declares, .verify = false},
    {"a rank ends", ends_early, .threads_only = true},
    {"a map leads twice to one element on one rank", twice_on_one, .verify = false},
    {"elements are accused", accused, .only = "check"},
    {"one loop more", one_more, .verify = false},
    {"one loop more at the end", one_more_last, .verify = false},
    {"other exchanges", other_exchanges, .verify = true, .threads_only = true},
    {"another look", another_force, .verify = false},
};
