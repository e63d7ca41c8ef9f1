/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are refused and actions that calls may not take, and reports about calls: messages,
 * the graph, op2_explain(). */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "call_case.h"
#include "context.h"

/* ---- calls of op2 in a function -------------------------------------------------------------- */

struct inside {
  struct two two;
  op2_gbl g;
  op2_loop loop;
  int answers[16], n;
};

static void answer(struct inside *in, op2_status status) { in->answers[in->n++] = (int)status; }

static int calls_op2(void *data, void *const *values) {
  struct inside *in = data;
  struct two *t = &in->two;
  double buffer[ROWS];
  const void *view = NULL;
  op2_context copy = test_ctx;
  answer(in, op2_flush(test_ctx));
  answer(in, op2_finalize(&copy));
  answer(in, op2_call(test_ctx, count, &in->n));
  answer(in, op2_par_loop(t->loop[OP2_INC], t->cells, op2_arg_direct(t->x, OP2_INC),
                          op2_arg_direct(t->y, OP2_READ)));
  answer(in, op2_loop_enqueue(in->loop));
  answer(in, op2_loop_compute(in->loop));
  answer(in, op2_dat_get(t->x, buffer));
  answer(in, op2_dat_set(t->x, buffer));
  answer(in, op2_dat_read_begin(t->y, &view));
  answer(in, op2_gbl_get(in->g, buffer));
  answer(in, op2_explain(test_ctx, stderr));
  answer(in, op2_graph_write_dot(test_ctx, stderr));
  EXPECT(strstr(op2_error_message(), "inside the call 'calls_op2'") != NULL);
  EXPECT(op2_set_size(t->cells) == ROWS && copy == test_ctx);
  return ((double *)values[0])[1] == 1 ? 0 : 2;
}

/* A loop that is known is queued by a shortcut, which must not bypass the refusal. */
static void from_inside(void) {
  struct inside in = {.two = make_two(), .g = new_gbl(1, OP2_F64, NULL, "gbl")};
  queue_twice(&in.two, in.two.y);
  MUST(op2_loop_create(&in.loop, in.two.loop[OP2_INC], in.two.cells,
                       op2_arg_direct(in.two.y, OP2_INC), op2_arg_direct(in.two.x, OP2_READ)));
  own_loop(in.loop);
  MUST(op2_call(test_ctx, calls_op2, &in, op2_arg_direct(in.two.x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(in.n == 12);
  for (int a = 0; a < in.n; a++)
    if (!EXPECT(in.answers[a] == OP2_ERR_STATE)) diag("answer %d is %d", a, in.answers[a]);
  EXPECT_VALUES(double, in.two.y, ROWS, i, 2 * i);
}

/* Another context can be used as usual: objects, loops, calls. */
static int uses_another(void *data, void *const *values) {
  static const op2_kernel_desc more = {.name = "more",
                                       .source = "void more(double *x) { *x += 1; }"};
  op2_context other = NULL;
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_kernel kernel = NULL;
  int good =
      !op2_init(&(op2_options){.backend = "sequential", .cache_dir = test_cache()}, &other) &&
      !op2_set_create(other, ROWS, "set", &set) &&
      !op2_dat_create(set, 1, OP2_F64, values[0], "dat", &dat) &&
      !op2_kernel_create(other, &more, &kernel) &&
      !op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW)) &&
      !op2_call(other, watch, data, op2_arg_direct(dat, OP2_READ)) && !op2_flush(other);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  return !op2_finalize(&other) && good ? 0 : 1;
}

static void another_inside(void) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, uses_another, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1 && seen.first[0] == 1 && seen.last[0] == 2 * (ROWS - 1) + 1);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void no_function(void) {
  REFUSED(OP2_ERR_ARG, op2_call_at(OP2_HERE, "name", test_ctx, NULL, NULL, 0, NULL), "name",
          "null");
  REFUSED(OP2_ERR_ARG, op2_call_at(OP2_HERE, "name", test_ctx, watch, NULL, 1, NULL), "name");
}

static void no_argument(void) {
  op2_arg none;
  memset(&none, 0, sizeof none);
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, none), "watch", "argument 0");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, op2_arg_idx()), "watch", "argument 0");
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, op2_arg_direct(NULL, OP2_READ)), "watch");
}

static void wrong_access(void) {
  struct two t = make_two();
  const op2_gbl g = new_gbl(1, OP2_F64, NULL, "gbl");
  for (int a = OP2_INC; a <= OP2_MAX; a++) {
    const op2_access access = (op2_access)a;
    REFUSED(OP2_ERR_ACCESS, op2_call(test_ctx, watch, NULL, op2_arg_direct(t.x, access)), "xdat");
    REFUSED(OP2_ERR_ACCESS, op2_call(test_ctx, watch, NULL, op2_arg_gbl(g, access)), "gbl");
  }
}

static void twice_the_same(void) {
  struct two t = make_two();
  REFUSED(
      OP2_ERR_ACCESS,
      op2_call(test_ctx, watch, NULL, op2_arg_direct(t.x, OP2_READ), op2_arg_direct(t.x, OP2_RW)),
      "0 and 1", "xdat");
}

static void through_a_map(void) {
  struct two t = make_two();
  REFUSED(OP2_ERR_RANGE, op2_call(test_ctx, watch, NULL, op2_arg_dat(t.x, 0, t.back, OP2_READ)),
          "whole dats");
}

static void wrong_values(void) {
  const int zero = 0;
  REFUSED(OP2_ERR_ARG, op2_call(test_ctx, watch, NULL, op2_arg_val(NULL, 1, OP2_F64)), "null");
  REFUSED(OP2_ERR_RANGE, op2_call(test_ctx, watch, NULL, op2_arg_val(&zero, 0, OP2_I32)), "watch");
}

static void open_scope(void) {
  struct two t = make_two();
  struct seen seen = {0};
  const void *view = NULL;
  void *open = NULL;
  MUST(op2_dat_read_begin(t.x, &view));
  REFUSED(OP2_ERR_STATE, op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)), "xdat");
  MUST(op2_dat_read_end(t.x, &view));
  MUST(op2_dat_write_begin(t.x, &open));
  REFUSED(OP2_ERR_STATE, op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)), "xdat");
  MUST(op2_dat_write_end(t.x, &open));
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_flush(test_ctx));
  EXPECT(seen.times == 1);
}

static void another_context(void) {
  struct two t = make_two();
  op2_context other = NULL;
  MUST(op2_init(&(op2_options){.backend = "sequential", .cache_dir = test_cache()}, &other));
  REFUSED(OP2_ERR_MISMATCH, op2_call(other, watch, NULL, op2_arg_direct(t.x, OP2_READ)),
          "another context");
  MUST(op2_finalize(&other));
}

/* ---- explanations and drawings --------------------------------------------------------------- */

static const char *text_of(FILE *stream) {
  static char text[20000];
  rewind(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  fclose(stream);
  return text;
}

static const char *written(op2_status (*write)(op2_context, FILE *)) {
  FILE *stream = tmpfile();
  MUST(write(test_ctx, stream));
  return text_of(stream);
}

static void has(const char *text, const char *word) {
  if (!EXPECT(strstr(text, word) != NULL)) diag("no '%s' in: %s", word, text);
}

static void drawn(void) {
  struct two t = make_two();
  struct seen seen = {0};
  queue_loop(&t, OP2_INC);
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.x, OP2_WRITE)));
  const char *text = written(op2_graph_write_dot);
  if (test_config.eager) {
    EXPECT(!strstr(text, "call2"));
  } else {
    has(text, "call2 [label=\"2: call 'watch'\\nt196-call-told.c:");
    has(text, "loop1 -> call2 [label=\"xdat RAW\"");
    has(text, "call2 -> call3 [label=\"xdat WAR\"");
    has(text, "call3 -> call4 [label=\"xdat WAW\"");
    has(text, "queued\" fillcolor=white shape=note");
    has(text, "a function of\\nthe program's");
  }
  MUST(op2_flush(test_ctx));
}

/* The graph shows how each call ended. */
static void drawn_as_it_ended(void) {
  char path[4200];
  snprintf(path, sizeof path, "%s/ended.dot", test_scratch());
  op2_options options = config_options(&test_config);
  options.graph_file = path;
  MUST(op2_finalize(&test_ctx));
  MUST(op2_init(&options, &test_ctx));
  struct two t = make_two();
  struct seen seen = {0};
  MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  if (!test_config.eager) MUST(op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.x, OP2_RW)));
  if (!test_config.eager) MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
  EXPECT(op2_flush(test_ctx) == (test_config.eager ? OP2_SUCCESS : OP2_ERR_CALL));
  FILE *file = fopen(path, "r");
  if (!EXPECT(file != NULL)) return;
  const char *text = text_of(file);
  has(text, "call1 [label=\"1: call 'watch'");
  has(text, "done\" fillcolor=honeydew shape=note");
  if (test_config.eager) return;
  has(text, "call2 [label=\"2: call 'refuse'");
  has(text, "failed\" fillcolor=mistyrose shape=note");
  has(text, "cancelled\" fillcolor=gray90 shape=note");
}

static void explained(void) {
  struct two t = make_two();
  struct seen seen = {0};
  for (int n = 0; n < 3; n++) {
    queue_loop(&t, OP2_INC);
    MUST(op2_call(test_ctx, watch, &seen, op2_arg_direct(t.x, OP2_READ)));
    if (n == 0) MUST(op2_call(test_ctx, fill, NULL, op2_arg_direct(t.y, OP2_WRITE)));
  }
  MUST(op2_flush(test_ctx));
  const char *text = written(op2_explain);
  has(text, "calls of the program's functions:");
  has(text, "watch: called 3 times, ");
  has(text, "fill: called 1 time, ");
  if (test_config.eager || !test_ctx->backend->passes) return;
  has(text, " 3 loops and 4 calls in ");
}

static void explained_failure(void) {
  struct two t = make_two();
  const op2_status status = op2_call(test_ctx, refuse, NULL, op2_arg_direct(t.x, OP2_RW));
  EXPECT(status == (test_config.eager ? OP2_ERR_CALL : OP2_SUCCESS));
  MUST(op2_call(test_ctx, triple, NULL, op2_arg_direct(t.x, OP2_RW)));
  flush_all();
  const char *text = written(op2_explain);
  has(text, "2 queued in all, 0 run, 1 failed, 1 cancelled, 0 waiting");
  has(text, "refuse: called 1 time, ");
  has(text, "triple: called 0 times, ");
}

/* The message gives the name and the line of the call that queued the function. */
static void failure_by_place(void) {
  char place[100];
  struct two t = make_two();
  queue_loop(&t, OP2_INC);
  const op2_where where = OP2_HERE;
  op2_status status = op2_call_at(where, "a name", test_ctx, refuse, NULL, 1,
                                  (op2_arg[]){op2_arg_direct(t.x, OP2_RW)});
  if (!test_config.eager) {
    MUST(status);
    status = op2_flush(test_ctx);
  }
  snprintf(place, sizeof place, "t196-call-told.c:%d: call 'a name' (call 2): ", where.line);
  EXPECT(status == OP2_ERR_CALL);
  has(op2_error_message(), place);
  has(op2_error_message(), "the function returned 17");
}

int main(void) {
  static const struct test_case cases[] = {
      {"op2 inside a call", from_inside},
      {"another context inside a call", another_inside},
      {"no function", no_function},
      {"no argument", no_argument},
      {"accesses that calls have not", wrong_access},
      {"a dat twice", twice_the_same},
      {"a dat through a map", through_a_map},
      {"values that are none", wrong_values},
      {"a dat in an open scope", open_scope},
      {"a dat of another context", another_context},
      {"drawn as it waits", drawn},
      {"drawn as it ended", drawn_as_it_ended},
      {"explained", explained},
      {"a failure explained", explained_failure},
      {"a failure told by its place", failure_by_place},
  };
  return RUN(cases, 0);
}
