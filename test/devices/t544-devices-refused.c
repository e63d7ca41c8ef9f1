/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that the device's compiler refuses run on the host, and are reported with their own
 * lines; those that no compiler accepts fail as they do on the host; neither disturbs later loops.
 * The last tests have no device, or none of the given name. All run after StarPU has started, which
 * hides OpenCL's platforms from the loader that both use. */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "device.h"
#include "support.h"
#include "tap.h"

enum { N = 5 };

struct odd {
  const char *name, *header, *source;
  const char *opencl; /* words of op2_explain() there if it runs; null: it runs on the device */
  double value;       /* result for the input 3 */
  const char *error;  /* null: none */
};

/* "on the host" precedes the compiler's message, which differs between compilers. */
#define HOST   "on the host: its kernel does not compile for the device: "
#define RECURS "on the host: a function of its kernel calls itself"
static const struct odd odds[] = {
    {"plain", NULL, "void plain(double *x) { *x += 1; }", NULL, 4, NULL},
    {"asserts", "<assert.h>", "void asserts(double *x) { assert(*x > 0); *x += 1; }", NULL, 4,
     NULL},
    {"prints", "<stdio.h>", "void prints(double *x) { if (*x > 1e9) printf(\"%g\", *x); *x += 1; }",
     NULL, 4, NULL},
    {"words", NULL,
     "void words(double *x) { double global = 1, local = 2, kernel = 3, class = 4, new = 5;\n"
     "  *x += global + local + kernel + class + new; }",
     NULL, 18, NULL},
    {"dots", NULL,
     "static double dot(const double *a, const double *b) { return *a * *b; }\n"
     "static inline double step(double a) { return a + 1; }\n"
     "void dots(double *x) { *x = step(dot(x, x)); }",
     NULL, 10, NULL},
    {"shapes", NULL,
     "typedef struct { double v[2]; } pair;\n"
     "static pair add(pair p, double b) { p.v[1] += b; return p; }\n"
     "void shapes(double *x) { *x += add((pair){{1, 2}}, 3).v[1]; }",
     NULL, 8, NULL},
    {"tables", NULL,
     "static const double weights[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
     "const int order[] = {2, 0, 1};\n"
     "enum { FIRST = 1 };\n"
     "static double of(int i) { static const double half[2] = {0.5, 0.25}; return half[i]; }\n"
     "void tables(double *x) {\n"
     "  static const int count = 3;\n"
     "  for (int i = 0; i < count; i++) *x += weights[FIRST][order[i]] * of(i > 1);\n}",
     NULL, 9.25, NULL},
    {"keeps", NULL, "void keeps(double *x) {\n  static int n = 1;\n  *x += n;\n}",
     HOST "error: odd.c:201:", 4, NULL},
    {"points", NULL,
     "void points(double *x) {\n  static const double *none = 0;\n  *x += none ? *none : 1;\n}",
     HOST "error: odd.c:201:", 4, NULL},
    {"variable", NULL,
     "void variable(double *x) {\n"
     "  int n = (int)*x;\n"
     "  double t[n];\n"
     "  for (int i = 0; i < n; i++) t[i] = i;\n"
     "  *x += t[n - 1];\n}",
     HOST "error: odd.c:202:", 5, NULL},
    {"pointer", NULL,
     "static double more(double a) { return a + 1; }\n"
     "void pointer(double *x) {\n"
     "  double (*f)(double) = more;\n"
     "  *x = f(*x);\n}",
     HOST "error: odd.c:202:", 4, NULL},
    {"heap", "<stdlib.h>",
     "void heap(double *x) {\n  double *p = malloc(sizeof *p);\n  *p = *x + 1;\n  *x = *p;\n  "
     "free(p);\n}",
     HOST "error: odd.c:201:", 4, NULL},
    {"again", NULL,
     "static double down(double a) {\n  return a < 1 ? 0 : 1 + down(a - 1);\n}\n"
     "void again(double *x) { *x += down(*x); }",
     RECURS, 6, NULL},
    {"together", NULL,
     "static double odd(double a);\n"
     "static double even(double a) { return a < 1 ? 1 : odd(a - 1); }\n"
     "static double odd(double a) { return a < 1 ? 0 : even(a - 1); }\n"
     "void together(double *x) { *x += odd(*x); }",
     RECURS, 4, NULL},
    {"nowhere", NULL, "double absent(double);\nvoid nowhere(double *x) { *x = absent(*x); }", HOST,
     0, "kernel 'nowhere' uses 'absent'"},
    {"wrong", NULL, "void wrong(double *x) {\n  *x += 1;\n  *x = undefined_name;\n}", "", 0,
     "odd.c:202"},
    {"after", NULL, "void after(double *x) { *x *= 2; }", NULL, 6, NULL},
};

/* The text of op2_explain(). */
static const char *explained(op2_context ctx) {
  static char text[1 << 16];
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (stream && op2_explain(ctx, stream)) text[0] = 0;
  if (stream) fclose(stream);
  return text;
}

static void try_one(op2_context ctx, op2_set set, const struct odd *odd) {
  const char *headers[] = {odd->header, NULL};
  const op2_kernel_desc desc = {.name = odd->name,
                                .source = odd->source,
                                .headers = odd->header ? headers : NULL,
                                .file = "odd.c",
                                .line = 200};
  const bool opencl = strcmp(ctx->backend->name, "opencl") == 0;
  double x[N];
  op2_dat dat;
  op2_kernel kernel;
  for (int i = 0; i < N; i++) x[i] = 3;
  CHECK(op2_dat_create(set, 1, OP2_F64, x, "x", &dat));
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  int64_t launches = ctx->device->counts.launches;
  CHECK(op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW)));
  op2_status status = op2_flush(ctx);
  if (odd->error) {
    ok(status == OP2_ERR_COMPILE && strstr(op2_error_message(), odd->error),
       "%s, %s: no compiler takes it: %s", ctx->backend->name, odd->name, odd->error);
  } else {
    bool right = !status && !op2_dat_get(dat, x);
    for (int i = 0; i < N; i++) right &= x[i] == odd->value;
    if (!ok(right, "%s, %s: 3 becomes %g", ctx->backend->name, odd->name, odd->value))
      diag("%g: %s", x[0], op2_error_message());
  }
  const char *text = explained(ctx);
  bool there = ctx->device->counts.launches > launches;
  /* C++ has no compound literals; some compilers accept them as an extension. */
  if (!odd->opencl && (opencl || strcmp(odd->name, "shapes") != 0))
    ok(there && !strstr(text, HOST), "%s, %s: runs there", ctx->backend->name, odd->name);
  else if (odd->opencl && (opencl || strcmp(odd->opencl, RECURS) == 0) && !odd->error &&
           !ok(!there && strstr(text, odd->opencl), "%s, %s: told to run %s", ctx->backend->name,
               odd->name, odd->opencl))
    diag("%s", text);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
}

static void try_all(const char *backend) {
  const op2_options options = {.backend = backend, .eager = -1, .cache_dir = test_cache()};
  op2_context ctx;
  op2_set set;
  if (!CHECK(op2_init(&options, &ctx))) return;
  CHECK(op2_set_create(ctx, N, "set", &set));
  for (size_t i = 0; i < sizeof odds / sizeof *odds; i++) try_one(ctx, set, &odds[i]);
  op2_set_destroy(&set);
  ok(op2_finalize(&ctx) == OP2_SUCCESS, "%s: the context ends", backend);
}

static void none_of_that_name(const char *backend) {
  const op2_options options = {.backend = backend};
  static const char *const names[] = {"no such device", "77", "-1"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    op2_context ctx = NULL;
    setenv("OP2_DEVICE", names[i], 1);
    op2_status status = op2_init(&options, &ctx);
    if (!ok(status == OP2_ERR_OPTION && !ctx && strstr(op2_error_message(), names[i]) &&
                strstr(op2_error_message(), "OP2_DEVICE"),
            "%s: there is no device '%s', and that is said", backend, names[i]))
      diag("%d: %s", (int)status, op2_error_message());
    op2_options better = options;
    better.device = "0";
    ok(!op2_init(&better, &ctx) && !op2_finalize(&ctx),
       "%s: an option comes before the environment", backend);
    better.device = names[i];
    ok(op2_init(&better, &ctx) == OP2_ERR_OPTION &&
           strstr(op2_error_message(), "op2_options.device"),
       "%s: which of both it was is said", backend);
    unsetenv("OP2_DEVICE");
  }
}

int main(void) {
  const char *backend;
  test_environment();
  unsetenv("OP2_DEVICE");
  const char *none = op2_backend_unavailable("starpu");
  op2_context starpu = NULL;
  if (none)
    skip("behind StarPU's start: %s", none);
  else
    ok(!op2_init(&(op2_options){.backend = "starpu", .cache_dir = test_cache()}, &starpu) &&
           !op2_finalize(&starpu),
       "a context on starpu comes and goes");
  for (int b = 0; (backend = next_backend(device_backends, &b));) {
    try_all(backend);
    none_of_that_name(backend);
  }
  return done();
}
