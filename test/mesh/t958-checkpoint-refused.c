/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints refuse wrong options and names, and programs whose declarations differ from those of
 * the program that wrote. Such a call changes nothing; nor does one that finds no memory. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "flow_case.h"
#include "mem.h"
#include "support.h"

enum { SIDE = 24 };

static char folder[512];
static op2_context ctx;

/* A path of checkpoints for one test. */
static const char *path_of(const char *name) {
  static _Thread_local char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static bool is_there(const char *name, int number, const char *end) {
  char file[700];
  snprintf(file, sizeof file, "%s.%06d.h5%s", path_of(name), number, end);
  return access(file, F_OK) == 0;
}

static bool failed(op2_status status, op2_status want, const char *words) {
  const bool good = status == want && strstr(op2_error_message(), words);
  if (!good) diag("%s: %s", op2_status_name(status), op2_error_message());
  return good;
}

static void begin(const char *backend) {
  const op2_options options = {
      .backend = backend, .cache_dir = test_cache(), .threads = 2, .log_level = 1};
  CHECK(op2_init(&options, &ctx));
}

static struct flow flow;
static op2_checkpoint ck;

static void declare(const char *name, op2_checkpoint_options options) {
  begin("sequential");
  CHECK(flow_declare(ctx, SIDE, false, &flow));
  CHECK(flow_checkpoint(&flow, path_of(name), &options, &ck));
}

static void end(void) {
  op2_checkpoint_destroy(&ck);
  flow_destroy(&flow);
  CHECK(op2_finalize(&ctx));
}

static op2_checkpoint_info info_of(void) {
  op2_checkpoint_info info = {0};
  CHECK(op2_checkpoint_info_get(ck, &info));
  return info;
}

/* ---- refused --------------------------------------------------------------------------------- */

static void options_refused(void) {
  static const struct {
    op2_checkpoint_options options;
    const char *words;
  } all[] = {
      {{.keep = -1}, "keep"},
      {{.signal = 65}, "signal"},
      {{.signal = -2}, "signal"},
      {{.share = 2}, "share"},
      {{.share = -0.1}, "share"},
      {{.calls = -1}, "calls"},
      {{.reserved_numbers[2] = 1}, "reserved"},
      {{.reserved[3] = ""}, "reserved"},
      {{.signal = SIGKILL}, "signal 9 cannot be handled"},
  };
  op2_checkpoint none = NULL;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    ok(failed(op2_checkpoint_create(ctx, path_of("x"), &all[i].options, &none), OP2_ERR_OPTION,
              all[i].words) &&
           !none,
       "options that are refused: %s", all[i].words);
  ok(failed(op2_checkpoint_create(ctx, NULL, NULL, &none), OP2_ERR_ARG, "null"), "no path");
  ok(failed(op2_checkpoint_create(ctx, "x", NULL, NULL), OP2_ERR_ARG, "null"), "no handle");
  ok(failed(op2_checkpoint_create(ctx, "", NULL, &none), OP2_ERR_NAME, "no name"), "no name");
  ok(failed(op2_checkpoint_create(ctx, "x/", NULL, &none), OP2_ERR_NAME, "no name"), "a folder");
  ok(failed(op2_checkpoint_create(ctx, path_of("none/x"), NULL, &none), OP2_ERR_IO, "folder"),
     "no such folder");
}

static void names_refused(void) {
  op2_dat twin = NULL, odd = NULL;
  int64_t value = 0;
  CHECK(op2_dat_create(flow.cells, 1, OP2_I8, NULL, "q", &twin));
  CHECK(op2_dat_create(flow.cells, 1, OP2_I8, NULL, "op2_x", &odd));
  ok(failed(op2_checkpoint_add_dat(ck, twin), OP2_ERR_NAME, "'q'"), "two dats of one name");
  ok(failed(op2_checkpoint_add_all(ck), OP2_ERR_NAME, "'q'"), "the same of all");
  ok(failed(op2_checkpoint_add_dat(ck, odd), OP2_ERR_NAME, "'op2_x'"), "a name of the library's");
  ok(failed(op2_checkpoint_add_counter(ck, "dt", OP2_I64, 1, &value), OP2_ERR_NAME, "'dt'"),
     "a counter called as a global is");
  ok(failed(op2_checkpoint_add_counter(ck, "a\tb", OP2_I64, 1, &value), OP2_ERR_NAME, "a\tb"),
     "a name with a tab");
  ok(failed(op2_checkpoint_add_counter(ck, "n", OP2_I64, 0, &value), OP2_ERR_ARG, "dim 0"),
     "a counter without values");
  ok(failed(op2_checkpoint_add_counter(ck, "n", 99, 1, &value), OP2_ERR_TYPE, "99"), "a type");
  ok(failed(op2_checkpoint_add_counter(ck, "n", OP2_I64, 1, NULL), OP2_ERR_ARG, "null"), "null");
  ok(failed(op2_checkpoint_add_gbl(ck, (op2_gbl)(void *)twin), OP2_ERR_ARG, ""), "no global");
  ok(failed(op2_checkpoint_add_dat(NULL, twin), OP2_ERR_ARG, "no checkpoint"), "no checkpoint");
  CHECK(op2_checkpoint_add_dat(ck, flow.q));
  CHECK(op2_checkpoint_add_gbl(ck, flow.dt));
  op2_dat_destroy(&twin);
  op2_dat_destroy(&odd);
}

/* A program that declares something else than the one that wrote. */
static void not_read(const char *what, const char *words) {
  bool found = false;
  const uint64_t before = flow_digest(&flow);
  ok(failed(op2_checkpoint_read(ck, &found), OP2_ERR_MISMATCH, words) && !found &&
         flow_digest(&flow) == before,
     "%s", what);
}

static void programs_refused(void) {
  op2_set other = NULL;
  op2_dat more = NULL;
  int64_t value[2] = {0};
  op2_checkpoint second = NULL;
  const char *path = path_of("refused");
  CHECK(op2_checkpoint_write(ck));
  op2_checkpoint_destroy(&ck);
  CHECK(op2_dat_create(flow.cells, 1, OP2_F64, NULL, "more", &more));
  CHECK(flow_checkpoint(&flow, path, NULL, &ck));
  not_read("a dat that is not in the file", "dat 'more' is not in it");
  op2_checkpoint_destroy(&ck);
  op2_dat_destroy(&more);
  CHECK(op2_checkpoint_create(ctx, path, NULL, &ck));
  CHECK(op2_checkpoint_add_counter(ck, "steps", OP2_I64, 2, value));
  not_read("a counter of another dim", "'steps' has 1 values of i64 there, and 2 of i64 here");
  op2_checkpoint_destroy(&ck);
  CHECK(op2_checkpoint_create(ctx, path, NULL, &ck));
  CHECK(op2_checkpoint_add_counter(ck, "steps", OP2_F64, 1, value));
  not_read("a counter of another type", "1 of f64 here");
  op2_checkpoint_destroy(&ck);
  CHECK(op2_set_create(ctx, 3, "other", &other));
  CHECK(op2_dat_create(other, 4, OP2_F64, NULL, "old", &more));
  CHECK(op2_checkpoint_create(ctx, path, NULL, &second));
  CHECK(op2_checkpoint_add_dat(second, more));
  ck = second;
  not_read("a dat on another set", "on set 'cells' there, and on set 'other' here");
  op2_checkpoint_destroy(&ck);
  op2_dat_destroy(&more);
  op2_set_destroy(&other);
}

static void sizes_refused(void) {
  CHECK(flow_declare(ctx, SIDE + 1, false, &flow));
  CHECK(flow_checkpoint(&flow, path_of("refused"), NULL, &ck));
  not_read("a mesh of another size", "set 'cells' has 576 elements there, and 625 here");
  op2_checkpoint_destroy(&ck);
  CHECK(op2_checkpoint_create(ctx, path_of("refused"), NULL, &ck));
  CHECK(op2_checkpoint_add_counter(ck, "steps", OP2_I64, 1, &flow.steps));
  not_read("the same without its dats", "elements there, and");
}

static void states_refused(void) {
  const void *values = NULL;
  bool found = false;
  CHECK(op2_checkpoint_write(ck));
  CHECK(op2_dat_read_begin(flow.q, &values));
  ok(failed(op2_checkpoint_read(ck, &found), OP2_ERR_STATE, "scope"), "an open scope");
  CHECK(op2_dat_read_end(flow.q, &values));
  op2_dat_destroy(&flow.old);
  ok(failed(op2_checkpoint_write(ck), OP2_ERR_STATE, "'old', which it keeps, was destroyed"),
     "a dat that was destroyed is not written");
  ok(failed(op2_checkpoint_read(ck, &found), OP2_ERR_STATE, "'old'"), "nor read");
  ok(failed(op2_checkpoint_read(ck, NULL), OP2_ERR_ARG, "null"), "no place for the answer");
  is_int(info_of().failed, 1, "the failure is counted");
}

static void refused(void) {
  declare("refused", (op2_checkpoint_options){.seconds = -1});
  options_refused();
  names_refused();
  programs_refused();
  flow_destroy(&flow);
  sizes_refused();
  op2_checkpoint_destroy(&ck);
  CHECK(flow_checkpoint(&flow, path_of("states"), NULL, &ck));
  states_refused();
  flow_destroy(&flow);
  CHECK(op2_finalize(&ctx));
  ok(failed(op2_checkpoint_step(ck, NULL), OP2_ERR_STATE, ""), "a context that has ended");
  op2_checkpoint_destroy(&ck);
  op2_checkpoint_destroy(&ck);
  op2_checkpoint_destroy(NULL);
}

/* ---- without memory -------------------------------------------------------------------------- */

/* A failed allocation leaves the last checkpoint, and a state that is that of the program or that of
 * a checkpoint. */
static void without_memory(void) {
  int64_t n = 0, made = 0, wrong = 0;
  bool more = true; /* the allocation that was to fail was reached */
  declare("memory", (op2_checkpoint_options){.seconds = -1, .keep = 1});
  CHECK(flow_advance(&flow));
  CHECK(op2_checkpoint_write(ck));
  const uint64_t digest = flow_digest(&flow);
  for (n = 1; more && n < 5000; n += n < 30 ? 1 : 7) {
    op2i_mem_fail_at(n);
    const op2_status status = op2_checkpoint_write(ck);
    made = op2i_mem_fail_at(0);
    more = made >= n;
    wrong += (status && status != OP2_ERR_NOMEM) || !is_there("memory", (int)info_of().newest, "");
  }
  ok(n > 10 && n < 5000 && !wrong, "writing without memory: %d of %d allocations", (int)n,
     (int)made);
  for (n = 1, more = true; more && n < 5000; n += n < 60 ? 1 : 7) {
    bool found = false;
    op2i_mem_fail_at(n);
    const op2_status status = op2_checkpoint_read(ck, &found);
    made = op2i_mem_fail_at(0);
    more = made >= n;
    wrong +=
        (status && status != OP2_ERR_NOMEM) || found != !status || flow_digest(&flow) != digest;
  }
  ok(n > 10 && n < 5000 && !wrong, "reading without memory: %d of %d allocations", (int)n,
     (int)made);
  op2_checkpoint_destroy(&ck);
  for (n = 1, more = true; more && n < 500; n++) {
    op2i_mem_fail_at(n);
    const op2_status status = flow_checkpoint(&flow, path_of("memory"), NULL, &ck);
    made = op2i_mem_fail_at(0);
    more = made >= n;
    wrong += status && status != OP2_ERR_NOMEM;
    op2_checkpoint_destroy(&ck);
  }
  ok(n > 5 && !wrong, "making one without memory");
  end();
}

int main(void) {
  snprintf(folder, sizeof folder, "%s", test_scratch());
  test_environment();
  refused();
  without_memory();
  return done();
}
