/* SPDX-License-Identifier: BSD-3-Clause */
/* Signed integers that overflow wrap on a device as they do on the host, also where a compiler that
 * assumes that they never overflow would decide otherwise: in comparisons, divisions, conversions to
 * wider types and in the number of a loop's turns. Counters and subscripts are left as they are. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "device.h"
#include "support.h"

enum { N = 10, OUT = 6 };

static const int32_t ns[N] = {INT32_MAX,  INT32_MIN,   0,     1,         -1,
                              2147483645, -2147483646, 65537, 123456789, -77};
static const int64_t ls[N] = {INT64_MAX,     INT64_MIN,     0,          -1, 1,
                              INT64_MAX - 2, INT64_MIN + 2, 4294967297, 99, -5};

/* Parameters and first line of all kernels: n is an int, l a long, q an unsigned int. */
#define HEAD(name)                                                                                 \
  "void " name "(const int *pn, const long *pl, long *out) {\n"                                    \
  "  const int n = *pn; const long l = *pl; const unsigned q = (unsigned)n;\n"                     \
  "  (void)n, (void)l, (void)q;\n"

struct kernel {
  const char *name, *source;
  bool plain; /* nothing in it may overflow, and nothing is written anew */
};

static const struct kernel kernels[] = {
    {"compared",
     HEAD("compared") "  out[0] = n + 1 > n; out[1] = n - 1 < n; out[2] = l + 1 > l; out[3] = -n < "
                      "0;\n"
                      "  out[4] = n + n < 0; out[5] = n * 2 / 2 == n;\n}",
     false},
    {"hashed",
     "static int lcg(int x) { return x * 1103515245 + 12345; }\n" //
     HEAD("hashed") "  int h = n; for (int k = 0; k < 5; k++) h = lcg(h);\n"
                    "  out[0] = h; out[1] = (long)(n * 31 + 7) * 2; out[2] = (n * n) / 3;\n"
                    "  int f = 5381; for (int k = 0; k < 9; k++) f = ((f << 5) + f) ^ (n >> k);\n"
                    "  out[3] = f / 7; out[4] = (l * 6364136223846793005 + 1442695040888963407) / "
                    "5;\n"
                    "  out[5] = (long)(n * 1.5 > 3) + (n * 3 % 7);\n}",
     false},
    {"shifted",
     HEAD("shifted") "  out[0] = (n << 1) >> 1; out[1] = (n << 3) / 8; out[2] = (l << 2) / 4;\n"
                     "  out[3] = (1 << (n & 31)) < 0; int s = n; s <<= 2; out[4] = s / 4 == n;\n"
                     "  out[5] = (short)n << 17 >> 17;\n}",
     false},
    {"turned",
     HEAD("turned") "  int turns = 0; for (int k = n; k <= n + 5 && turns < 9; k++) turns++;\n"
                    "  out[0] = turns; turns = 0;\n"
                    "  for (int k = n; k > n - 4 && turns < 9; --k) turns += 2;\n"
                    "  out[1] = turns; int i = n; turns = 0;\n"
                    "  do { i++; turns++; } while (i > n && turns < 4);\n"
                    "  out[2] = turns; long j = l; out[3] = j++ < l; out[4] = j > l; out[5] = --j "
                    "== l;\n}",
     false},
    {"assigned",
     HEAD("assigned") "  int a = n, b[3] = {n, n + 2147483647, n * 3}; long c = l;\n"
                      "  a += 1; out[0] = a > n; c -= 1; out[1] = c < l; b[1] *= n; out[2] = b[1] "
                      "/ 2;\n"
                      "  int k = 0; b[k++] += n; b[k++]++; out[3] = (long)b[0] / 3 + k;\n"
                      "  out[4] = (b[k - 1] > n) + b[2] / 5; a = n; int old = a++ - n;\n"
                      "  out[4] += old + (a < n); c = l; c *= n; out[5] = c / 9;\n}",
     false},
    {"in_parts",
     "struct pair { int a; long b; };\n"
     "#define NEXT(x) ((x) + 1)\n"
     "static int of(const struct pair *p) { return p->a * p->a; }\n"
     "static long *at(long *p) { return p; }\n" //
     HEAD("in_parts") "  struct pair p = {n, l}, *to = &p; to->a++; p.b += l;\n"
                      "  out[0] = (p.a > n) + 2 * (p.b / 2 == l); out[1] = of(&p) < 0;\n"
                      "  out[2] = NEXT(n) > n; out[3] = (n ? n + 2 : n - 2) / 2;\n"
                      "  out[4] = (n, l - 1) < l; *at(out + 5) = (q + n) / 2 + (long)-(short)n;\n}",
     false},
    {"mixed",
     HEAD("mixed") "  short s = (short)n; signed char c = (signed char)n; s += n; c++;\n"
                   "  out[0] = s * s + s; out[1] = c * n / 3; out[2] = (n + l) / 2 > l; s++;\n"
                   "  out[3] = s - n < s; out[4] = n + 1u > q; out[5] = (_Bool)n + n > n;\n}",
     false},
    {"by_constants",
     HEAD("by_constants") "  out[0] = n + step > n; out[1] = steps[1] * n / 2; out[2] = -step * n "
                          "/ 3;\n"
                          "  out[3] = n - steps[0] < n;\n}",
     false},
    {"compared_more",
     HEAD("compared_more") "  for (int i = 0; i < 5 != 0; i++) out[0] += i + 2147483647 < 0;\n"
                           "  for (int i = 0; i < 5 == 1; i++) out[1] += i + 2147483647 < 0;\n"
                           "  for (int i = 0; i < 5 & 1; i++) out[2] += i + 2147483647 < 0;\n"
                           "  for (int i = 0; i < 5 > 0; i++) out[3] += i + 2147483647 < 0;\n"
                           "  for (int i = 0; i < 1, i < 7; i++) out[4] += i + 2147483647 < 0;\n"
                           "  for (int i = 0; i < 1 | i < 7; i++) out[5] += i + 2147483640 < 0;\n}",
     false},
    {"converted",
     HEAD("converted") "  int turns = 0;\n"
                       "  for (int i = q; i < 5 && turns < 3; i++) turns++, out[0] += i - 1 > 0;\n"
                       "  turns = 0;\n"
                       "  for (int i = q | 0x80000000u; i < 5 && turns < 3; i++) {\n"
                       "    turns++;\n    out[1] += i - 9 > 0;\n  }\n}",
     false},
    {"stepped",
     "#define ADD(x, by) ((x) += (by))\n"
     "#define NEXT(x) ((x)++)\n" //
     HEAD("stepped") "  int turns = 0;\n"
                     "  for (int i = 0; i < 5 && turns < 3; i++) {\n"
                     "    turns++;\n    ADD(i, n);\n    out[0] += i + 1 < i;\n  }\n"
                     "  for (int i = 0; i < 5; i++) {\n"
                     "    NEXT(i);\n    NEXT(i);\n    out[1] += i + 2147483642 < 0;\n  }\n"
                     "  int k, *to = &k;\n  turns = 0;\n"
                     "  for (k = 0; k < 5 && turns < 3; k++) {\n"
                     "    turns++;\n    *to = n;\n    out[2] += k + 1 < k;\n  }\n}",
     false},
    {"narrow",
     HEAD("narrow") "  short s = 32767; signed char t = -128; unsigned char u = 255; int k = 0;\n"
                    "  out[0] = s++ + n; out[1] = t-- - n; out[2] = u++ + n; out[3] = (s += n) + "
                    "n;\n"
                    "  short a[2] = {(short)n, 9}; out[4] = (a[k++] += n) * n + a[0]; a[k] *= n;\n"
                    "  out[5] = a[1] + n > n;\n}",
     false},
    {"bit_fields",
     "struct bits { int a : 5, b : 32; unsigned c : 7; long d; };\n" //
     HEAD("bit_fields") "  struct bits x[2] = {{15, n, 100, l}, {-16, n, 3, l}}, *to = x;\n"
                        "  int k = 0; out[0] = x[0].a++ + 100 * x[1].a--;\n"
                        "  x[k++].b += n; to++->b -= 7;\n"
                        "  out[3] = x[0].b / 2 + (long)x[0].a + x[1].a;\n"
                        "  out[4] = (x[0].c - 127 + n < n) + 2 * (x[1].b++ < n) + x[0].c++;\n"
                        "  (*(k++, to)).b *= 3; x[k - 1].d += n;\n"
                        "  out[5] = x[1].b / 3 + k + x[1].d / 5;\n}",
     false},
    {"stepped_first",
     HEAD("stepped_first") "  int turns = 0;\n"
                           "  for (int i = 0; i < 5; i++, out[0] += i + 2147483643 < 0) turns++;\n"
                           "  for (int i = 4; i >= 0; --i, out[1] += i - 2147483647 - 1 > 0) "
                           "turns++;\n"
                           "  out[2] = turns;\n}",
     false},
    {"binary",
     HEAD("binary") "  for (int i = 0; i < 0b101; i++) out[0] += i + "
                    "0B1111111111111111111111111111111"
                    " < 0;\n}",
     false},
    {"global",
     HEAD(
         "global") "  int k = 0; out[k++] = l; out[k - 1] += 0; out[k++] += l; out[k - 1] -= l / "
                   "2;\n"
                   "  out[2] = 1; out[++k] += l; out[k++] += l; out[k++] *= l; out[4]++;\n"
                   "  _Bool set[2] = {n > 0, 0}; k = 0; set[k++] += n; out[5] = set[0] + 2 * k;\n}",
     false},
    {"bounded",
     HEAD("bounded") "  double a[12]; const int four = 4; enum { THREE = 3 };\n"
                     "  for (int i = 0; i < four; i++)\n"
                     "    for (int k = 0; k < THREE; ++k) a[THREE * i + k] = i * k + 1 - 2 * i;\n"
                     "  for (int k = 11; k >= 0; out[0] = 1, k--) out[k % 6] = (long)a[k];\n"
                     "  for (int k = 0; k < n && k < 12; k += 2) out[0] = a[k + 1] > 3 ? k : k + "
                     "1;\n"
                     "  out[(n & 3) + 1] = (n & 255) * 3 - (q + 5) + (n < 3) - (n != 4) * 2u;\n}",
     true},
};

struct run {
  op2_context ctx;
  op2_set set;
  op2_dat n, l, out;
  op2_const step, steps;
};

static bool begin(const char *backend, struct run *r) {
  const op2_options options = {.backend = backend, .eager = -1, .cache_dir = test_cache()};
  static const int64_t zeros[N * OUT];
  const int32_t one = 1, several[2] = {2, 3};
  return CHECK(op2_init(&options, &r->ctx)) && CHECK(op2_set_create(r->ctx, N, "set", &r->set)) &&
         CHECK(op2_const_create(r->ctx, 1, OP2_I32, &one, "step", &r->step)) &&
         CHECK(op2_const_create(r->ctx, 2, OP2_I32, several, "steps", &r->steps)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_I32, ns, "n", &r->n)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_I64, ls, "l", &r->l)) &&
         CHECK(op2_dat_create(r->set, OUT, OP2_I64, zeros, "out", &r->out));
}

static void end(struct run *r) {
  op2_dat_destroy(&r->n);
  op2_dat_destroy(&r->l);
  op2_dat_destroy(&r->out);
  op2_const_destroy(&r->step);
  op2_const_destroy(&r->steps);
  op2_set_destroy(&r->set);
  ok(op2_finalize(&r->ctx) == OP2_SUCCESS, "the context ends");
}

/* ---- one kernel ------------------------------------------------------------------------------ */

/* The text for CUDA C computes without a sign, or says nothing of that where nothing may overflow. */
static void judge_text(op2_loop loop, const struct kernel *k) {
  const char *text = NULL;
  if (!CHECK(op2_loop_generate(loop, "cuda", &text))) return;
  const char *head = strstr(text, "#line"), *end = strstr(text, "OP2_ENTRY op2_once");
  const char *found = head ? strstr(head, "(unsigned ") : NULL;
  ok(end && (found && found < end) != k->plain, "%s: the text computes %s", k->name,
     k->plain ? "as the source" : "without a sign");
}

static bool compute(const struct run *r, const struct kernel *k, bool text, int64_t *values) {
  const op2_kernel_desc desc = {
      .name = k->name, .source = k->source, .file = "overflow.c", .line = 1};
  op2_kernel kernel = NULL;
  op2_loop loop = NULL;
  memset(values, 0, N * OUT * sizeof *values);
  bool good =
      CHECK(op2_kernel_create(r->ctx, &desc, &kernel)) && CHECK(op2_dat_set(r->out, values)) &&
      CHECK(op2_loop_create(&loop, kernel, r->set, op2_arg_direct(r->n, OP2_READ),
                            op2_arg_direct(r->l, OP2_READ), op2_arg_direct(r->out, OP2_RW)));
  if (good && text) judge_text(loop, k);
  good = good && CHECK(op2_loop_compute(loop)) && CHECK(op2_dat_get(r->out, values));
  op2_loop_destroy(&loop);
  op2_kernel_destroy(&kernel);
  return good;
}

static void try_one(const struct run *host, const struct run *device, const struct kernel *k) {
  int64_t want[N * OUT], got[N * OUT];
  const char *backend = device->ctx->backend->name;
  if (!compute(host, k, true, want)) return;
  const int64_t launches = device->ctx->device->counts.launches;
  if (!compute(device, k, false, got)) return;
  int wrong = 0;
  while (wrong < N * OUT && want[wrong] == got[wrong]) wrong++;
  if (!ok(wrong == N * OUT, "%s, %s: the bits of the host", backend, k->name))
    diag("element %d, result %d: %lld, on the host %lld", wrong / OUT, wrong % OUT,
         (long long)got[wrong], (long long)want[wrong]);
  ok(device->ctx->device->counts.launches > launches, "%s, %s: runs on the device", backend,
     k->name);
}

/* OpenCL C has no bit-fields. */
static void try_all(const char *backend) {
  struct run host = {0}, device = {0};
  if (begin(backend, &device) && begin("sequential", &host))
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
      if (strcmp(backend, "opencl") != 0 || strcmp(kernels[i].name, "bit_fields") != 0)
        try_one(&host, &device, &kernels[i]);
  end(&host);
  end(&device);
}

int main(void) {
  const char *asked = getenv("OP2_TEST_BACKEND");
  const char *backend = asked && *asked ? asked : "opencl";
  test_environment();
  unsetenv("POCL_EXTRA_BUILD_FLAGS"); /* the compiler is to optimize, or nothing is seen */
  const char *why = backend_unfit(backend);
  if (why)
    skip("%s: %s", backend, why);
  else
    try_all(backend);
  return done();
}
