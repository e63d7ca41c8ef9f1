/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices: their memory, their compilers, and the parts of loops that run there. The tests of
 * OpenCL need a platform (PoCL will do), those of CUDA's compiler need NVRTC, and those that run on
 * an NVIDIA device need one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "code.h"
#include "codegen.h"
#include "context.h"
#include "cuda_api.h"
#include "device.h"
#include "mem.h"
#include "support.h"
#include "text.h"

/* ---- memory and code of a device ------------------------------------------------------------- */

static const char add_cuda[] =
    "#include <stdint.h>\n"
    "extern \"C\" __global__ void add(double *x, const double *y, int64_t n, double *sum) {\n"
    "  extern __shared__ double mine[];\n"
    "  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  mine[threadIdx.x] = i < n ? x[i] + y[i] : 0;\n"
    "  __syncthreads();\n"
    "  if (i < n) x[i] = mine[threadIdx.x];\n"
    "  if (threadIdx.x == 0 && sum) for (int k = 0; k < (int)blockDim.x; k++) sum[blockIdx.x] += "
    "mine[k];\n"
    "}\n";
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { OPENCL_RUNS = 0 };
#else
enum { OPENCL_RUNS = 1 };
#endif
static const char add_opencl[] =
    "#include <stdint.h>\n"
    "__kernel void add(__global double *x, __global const double *y, int64_t n, __global double "
    "*sum,\n"
    "    __local double *mine) {\n"
    "  int64_t i = get_global_id(0);\n"
    "  mine[get_local_id(0)] = i < n ? x[i] + y[i] : 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (i < n) x[i] = mine[get_local_id(0)];\n"
    "  if (get_local_id(0) == 0 && sum)\n"
    "    for (int k = 0; k < (int)get_local_size(0); k++) sum[get_group_id(0)] += mine[k];\n"
    "}\n";

static void memory(struct op2i_device *device) {
  enum { N = 1000 };
  const struct op2i_device_kind *kind = device->kind;
  double out[N], back[N];
  void *there = NULL;
  for (int i = 0; i < N; i++) out[i] = i;
  bool good =
      !kind->alloc(device, sizeof out, &there) && !kind->put(device, there, 0, out, sizeof out) &&
      !kind->put(device, there, 8 * 10, out, 8 * 5) && !kind->clear(device, there, 8 * 20, 8 * 3) &&
      !kind->get(device, back, there, 0, sizeof back) &&
      !kind->get(device, &back[999], there, 8 * 12, 8);
  if (!ok(good, "%s: memory is written and read", kind->name)) diag("%s", op2_error_message());
  for (int i = 0; i < N && good; i++) {
    double want = i >= 10 && i < 15 ? i - 10 : i >= 20 && i < 23 ? 0 : i == 999 ? 2 : i;
    good = back[i] == want;
  }
  ok(good, "%s: each value is where it was put", kind->name);
  ok(device->counts.puts == 2 && device->counts.gets == 2 && device->counts.put_bytes == 8005 + 35,
     "%s: transfers are counted", kind->name);
  kind->release(device, there);
  kind->release(device, NULL);
}

/* The device's clock: work that is submitted between two marks takes some time, and less than all
 * of it. */
static void marks(struct op2i_device *device) {
  enum { N = 1 << 22 };
  const struct op2i_device_kind *kind = device->kind;
  void *there = NULL, *begin = NULL, *end = NULL;
  double seconds = -1, again = -1, start = op2i_seconds();
  bool good = !kind->alloc(device, N, &there);
  for (int turn = 0; turn < 3 && good; turn++) /* later turns set the same marks again */
    good = !kind->mark(device, &begin) && !kind->clear(device, there, 0, N) &&
           !kind->mark(device, &end) && !kind->between(device, begin, end, true, &seconds);
  double all = op2i_seconds() - start;
  if (!ok(good && seconds >= 0 && seconds < all, "%s: its clock says what its work takes",
          kind->name))
    diag("%g of %g seconds: %s", seconds, all, op2_error_message());
  ok(!kind->between(device, begin, end, false, &again) && again == seconds,
     "%s: and the same when it is asked again", kind->name);
  kind->unmark(device, begin);
  kind->unmark(device, end);
  kind->unmark(device, NULL);
  kind->release(device, there);
}

/* 104 MB are copied, in pieces if the device copies in pieces. */
static void large(struct op2i_device *device) {
  enum { N = 13 * 1000 * 1000 + 1 };
  double *out = malloc(N * sizeof *out), *back = calloc(N, sizeof *back);
  void *there = NULL;
  for (int i = 0; i < N; i++) out[i] = i;
  bool good = !device->kind->alloc(device, N * sizeof *out, &there) &&
              !device->kind->put(device, there, 0, out, N * sizeof *out) &&
              !device->kind->get(device, back, there, 0, N * sizeof *out);
  ok(good && memcmp(out, back, N * sizeof *out) == 0, "%s: 104 megabytes there and back",
     device->kind->name);
  device->kind->release(device, there);
  op2_status status = device->kind->alloc(device, (size_t)1 << 44, &there);
  ok(status == OP2_ERR_NOMEM, "%s: 16 terabytes are too much: %s", device->kind->name,
     op2_error_message());
  there = NULL;
  ok(!device->kind->alloc(device, 64, &there), "%s: and then less is not", device->kind->name);
  device->kind->release(device, there);
  free(out);
  free(back);
}

static void launches(struct op2i_device *device, struct op2i_device_code *code) {
  enum { N = 999 };
  static const int groups[] = {1, 32, 64, 256};
  const struct op2i_device_kind *kind = device->kind;
  double x[N], y[N], sums[N], got[N];
  for (int g = 0; g < 4; g++) {
    int group = groups[g], ngroups = (N + group - 1) / group;
    void *memory[3] = {NULL};
    double sum = 0, want = 0;
    for (int i = 0; i < N; i++) x[i] = i, y[i] = 2 * i, want += 3 * i;
    bool good = !kind->alloc(device, sizeof x, &memory[0]) &&
                !kind->alloc(device, sizeof y, &memory[1]) &&
                !kind->alloc(device, sizeof sums, &memory[2]) &&
                !kind->put(device, memory[0], 0, x, sizeof x) &&
                !kind->put(device, memory[1], 0, y, sizeof y) &&
                !kind->clear(device, memory[2], 0, sizeof sums);
    const struct op2i_device_arg args[] = {{.is_memory = true, .memory = memory[0]},
                                           {.is_memory = true, .memory = memory[1]},
                                           {.number = N},
                                           {.is_memory = true, .memory = memory[2]}};
    const struct op2i_launch launch = {
        .groups = ngroups, .group = group, .local_bytes = 8 * group, .nargs = 4, .args = args};
    good = good && !kind->launch(device, code, &launch) && !kind->wait(device) &&
           !kind->get(device, got, memory[0], 0, sizeof got) &&
           !kind->get(device, sums, memory[2], 0, sizeof sums);
    for (int i = 0; i < N && good; i++) good = got[i] == 3 * i;
    for (int i = 0; i < ngroups; i++) sum += sums[i];
    if (!ok(good && sum == want, "%s: a launch in groups of %d", kind->name, group))
      diag("%s", op2_error_message());
    for (int m = 0; m < 3; m++) kind->release(device, memory[m]);
  }
}

static void code(struct op2i_device *device, const char *source) {
  const struct op2i_device_kind *kind = device->kind;
  struct op2i_text log = {0};
  struct op2i_device_code *loaded = NULL;
  void *binary = NULL;
  size_t bytes = 0;
  if (!ok(!kind->build(device, source, NULL, &log, &binary, &bytes) && bytes > 0, "%s: it builds",
          kind->name))
    diag("%s: %s", op2_error_message(), log.chars ? log.chars : "");
  if (ok(!kind->load(device, binary, bytes, "add", &loaded), "%s: and loads", kind->name)) {
    ok(loaded->group_max >= 256, "%s: groups of %d", kind->name, (int)loaded->group_max);
    launches(device, loaded);
    kind->unload(device, loaded);
  }
  ok(kind->load(device, binary, bytes, "nosuch", &loaded) != OP2_SUCCESS,
     "%s: no other function: %s", kind->name, op2_error_message());
  op2i_free(binary);
  op2i_text_cut(&log, 0);
  ok(kind->build(device, "\n\nint f(void) { return undefined_name; }\n", NULL, &log, &binary,
                 &bytes) == OP2_ERR_COMPILE,
     "%s: an error of the compiler", kind->name);
  ok(log.chars && strstr(log.chars, "undefined_name") && strstr(log.chars, "3"),
     "%s: has what and where", kind->name);
  op2i_text_free(&log);
}

static void device_of(const struct op2i_device_kind *kind, const char *source) {
  struct op2i_device *device = NULL;
  struct op2i_text all = {0};
  const char *why = kind->unavailable();
  kind->list(&all);
  if (why) {
    ok(strlen(why) > 10 && kind->open(NULL, 0, &device) == OP2_ERR_UNAVAILABLE && !device &&
           strstr(op2_error_message(), why),
       "%s does not open: %s", kind->name, why);
    ok(!all.length, "%s: and has no devices", kind->name);
    op2i_text_free(&all);
    skip("%s: %s", kind->name, why);
    return;
  }
  ok(all.chars && strncmp(all.chars, "0: ", 3) == 0, "%s: there are %s", kind->name, all.chars);
  ok(kind->open("no such device", 0, &device) == OP2_ERR_OPTION && !device &&
         strstr(op2_error_message(), all.chars),
     "%s: another name is answered with them", kind->name);
  ok(kind->open("99", 0, &device) == OP2_ERR_OPTION, "%s: so is another number", kind->name);
  ok(kind->open("4294967296", 0, &device) == OP2_ERR_OPTION, "%s: and a large one", kind->name);
  op2i_text_free(&all);
  if (!ok(!kind->open("0", 0, &device), "%s: one opens by number", kind->name)) return;
  char name[8];
  snprintf(name, sizeof name, "%.6s", device->limits.name);
  kind->close(device);
  if (!ok(!kind->open(name, 0, &device), "%s: and by a part of its name, '%s'", kind->name, name))
    return;
  const struct op2i_device_limits *limits = &device->limits;
  ok(limits->units > 0 && limits->group_max >= 64 && limits->local_bytes >= 16384 &&
         limits->memory_bytes > 1 << 28 && *limits->target,
     "%s: its limits are some", kind->name);
  memory(device);
  large(device);
  marks(device);
  code(device, source);
  kind->close(device);
}

/* ---- NVIDIA's compiler ----------------------------------------------------------------------- */

static double factor;

OP2_KERNEL(flux,
           (const double *x1, const double *x2, const double **q, double *r1, double *r2,
            const int *id),
           {
             double f = fmin(x1[0] - x2[0], sqrt(fabs(q[0][1]))) * factor + q[1][0] + id[0] - id[1];
             r1[0] += f;
             r2[0] -= f;
             r1[1] += 1;
             r2[1] -= 1;
           });
OP2_KERNEL(move, (const double *old, double *q, double *r, double *rms, int *most, const float *dt),
           {
             for (int n = 0; n < 2; n++) {
               double d = dt[0] * r[n];
               q[n] = old[n] - d;
               r[n] = 0;
               *rms += d * d;
             }
             if (q[0] > *most) *most = (int)q[0];
           });
OP2_KERNEL(swap, (double *x, const long *new, unsigned char *class), {
  x[0] = x[0] * (double)*new;
  *class = (unsigned char)*new;
});
OP2_KERNEL(wide, (const double *a, double *b), {
  for (int i = 0; i < 5; i++) b[i] = 2 * a[i];
});

static const char single_source[] =
    "#include <math.h>\n#include <stdlib.h>\n"
    "#define ALL 0xffffffffffffffffuLL\n"
    "static unsigned long const long int last(long long unsigned i) { return ALL - 1ull + i; }\n"
    "void single(const float *x, const int *i, double *r) {\n"
    "  r[0] = exp(*x); r[1] = sqrt(*x) + pow(*x, 2.5f); r[2] = expf(*x);\n"
    "  r[3] = abs(*i) - 3 < 0; r[4] = sizeof fabs(*x);\n"
    "  r[5] = last(2 + (unsigned long)*i) < 2; r[6] = sizeof 1LL + sizeof(long long int);\n"
    "}\n";

/* C's functions take and return double even if an argument is a float; and long long has 64
 * bits. */
static void as_in_c(op2_context ctx, op2_set nodes, const char *backend) {
  float x[4] = {0.1F, 0.2F, 3.3F, 7.7F};
  int32_t i[4] = {-1, -5, 3, 0};
  double r[28] = {0};
  op2_dat xs, is, rs;
  op2_kernel kernel;
  bool right = true;
  int64_t launches = ctx->device->counts.launches;
  op2_kernel_desc desc = {.name = "single", .source = single_source};
  CHECK(op2_dat_create(nodes, 1, OP2_F32, x, "x", &xs));
  CHECK(op2_dat_create(nodes, 1, OP2_I32, i, "i", &is));
  CHECK(op2_dat_create(nodes, 7, OP2_F64, r, "r", &rs));
  CHECK(op2_kernel_create(ctx, &desc, &kernel));
  CHECK(op2_par_loop(kernel, nodes, op2_arg_direct(xs, OP2_READ), op2_arg_direct(is, OP2_READ),
                     op2_arg_direct(rs, OP2_WRITE)));
  CHECK(op2_dat_get(rs, r));
  for (int e = 0; e < 4; e++) {
    const double *got = &r[7 * e], d = x[e];
    right &= fabs(got[0] / exp(d) - 1) < 1e-12;
    right &= fabs(got[1] / (sqrt(d) + pow(d, 2.5)) - 1) < 1e-12;
    right &= fabs(got[2] / exp(d) - 1) < 1e-5 && (double)(float)got[2] == got[2];
    right &= got[3] == (abs(i[e]) < 3) && got[4] == sizeof(double);
    right &= got[5] == (i[e] == 0) && got[6] == 16;
  }
  ok(right && ctx->device->counts.launches == launches + 1,
     "%s: C's functions mean there what they mean in C", backend);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&xs);
  op2_dat_destroy(&is);
  op2_dat_destroy(&rs);
}

OP2_KERNEL(longest, (const long long *x, unsigned long long *y, long long *least, long long *sum), {
  *y = 3u * (unsigned long long)x[1];
  *least = x[0] < *least ? x[0] : *least;
  *sum += x[1];
});

/* Parameters of kernels and results are spelled long long, too. */
static void as_long_long(op2_context ctx, op2_set nodes, const char *backend) {
  long long x[8] = {5, -6, -7000000000, 8, 9, 1LL << 40, 11, -12}, least = 3, sum = 1;
  unsigned long long y[4] = {0};
  op2_dat xs, ys;
  op2_gbl to_least, to_sum;
  op2_kernel kernel;
  CHECK(op2_dat_create(nodes, 2, OP2_I64, x, "x", &xs));
  CHECK(op2_dat_create(nodes, 1, OP2_U64, NULL, "y", &ys));
  CHECK(op2_gbl_create(ctx, 1, OP2_I64, &least, "least", &to_least));
  CHECK(op2_gbl_create(ctx, 1, OP2_I64, &sum, "sum", &to_sum));
  CHECK(op2_kernel_create(ctx, &longest_kernel, &kernel));
  CHECK(op2_par_loop(kernel, nodes, op2_arg_direct(xs, OP2_READ), op2_arg_direct(ys, OP2_WRITE),
                     op2_arg_gbl(to_least, OP2_MIN), op2_arg_gbl(to_sum, OP2_INC)));
  CHECK(op2_dat_get(ys, y));
  CHECK(op2_gbl_get(to_least, &least));
  CHECK(op2_gbl_get(to_sum, &sum));
  ok(y[0] == 3ull * (unsigned long long)-6 && y[1] == 24 && y[2] == 3ull << 40,
     "%s: values of long long", backend);
  ok(least == -7000000000 && sum == (1LL << 40) - 9, "%s: results of long long", backend);
  op2_kernel_destroy(&kernel);
  op2_gbl_destroy(&to_least);
  op2_gbl_destroy(&to_sum);
  op2_dat_destroy(&xs);
  op2_dat_destroy(&ys);
}

/* A loop that falls back to the host also gives right values, so this checks that none fell
 * back. */
static void runs_there(const char *backend) {
  op2_context ctx;
  op2_set nodes;
  op2_dat a, b;
  op2_kernel kernel;
  static char text[1 << 14];
  double in[20], out[20] = {0};
  bool right = true;
  const char *why = backend_unfit(backend);
  if (why) {
    skip("%s: %s", backend, why);
    return;
  }
  for (int i = 0; i < 20; i++) in[i] = i;
  double start = op2i_seconds();
  op2_options options = {.backend = backend};
  if (!CHECK(op2_init(&options, &ctx))) return;
  CHECK(op2_set_create(ctx, 4, "nodes", &nodes));
  CHECK(op2_dat_create(nodes, 5, OP2_F64, in, "a", &a));
  CHECK(op2_dat_create(nodes, 5, OP2_F64, NULL, "b", &b));
  CHECK(op2_kernel_create(ctx, &wide_kernel, &kernel));
  CHECK(op2_par_loop(kernel, nodes, op2_arg_direct(a, OP2_READ), op2_arg_direct(b, OP2_WRITE)));
  CHECK(op2_dat_get(b, out));
  for (int i = 0; i < 20; i++) right &= out[i] == 2 * i;
  ok(right && ctx->device->counts.launches == 1, "%s: one launch gives what it should", backend);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (stream) CHECK(op2_explain(ctx, stream));
  if (stream) fclose(stream);
  ok(strstr(text, "on the device: a work item for each element") && !strstr(text, "on the host"),
     "%s: and is told to have run there", backend);
  op2_profile profile;
  CHECK(op2_profile_get(ctx, 0, &profile));
  ok(profile.seconds > 0 && profile.seconds < (op2i_seconds() - start) * ctx->workers,
     "%s: how long that took is measured", backend);
  as_in_c(ctx, nodes, backend);
  as_long_long(ctx, nodes, backend);
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&a);
  op2_dat_destroy(&b);
  op2_set_destroy(&nodes);
  CHECK(op2_finalize(&ctx));
}

static const char *const targets[] = {"sm_80", "sm_90", "sm_100", "compute_90"};

static void text_compiles(const char *text, const char *name) {
  const char *why;
  if (!op2i_nvrtc_api(&why)) {
    skip("%s is not compiled for NVIDIA's devices: %s", name, why);
    return;
  }
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    struct op2i_text log = {0};
    void *binary = NULL;
    size_t bytes = 0;
    op2_status status = op2i_cuda_compile(text, targets[t], NULL, &log, &binary, &bytes);
    if (!ok(!status && bytes > 100, "%s compiles for %s", name, targets[t]))
      diag("%s: %s", op2_error_message(), log.chars ? log.chars : "");
    op2i_text_free(&log);
    op2i_free(binary);
  }
}

static void compiles(op2_loop loop, const char *name) {
  const char *text = NULL;
  if (!CHECK(op2_loop_generate(loop, "opencl", &text))) return;
  if (!CHECK(op2_loop_generate(loop, "cuda", &text))) return;
  text_compiles(text, name);
}

static void rows_compile(void) {
  struct op2i_text text = {0};
  CHECK(op2i_codegen.generate_rows(OP2I_CUDA, &text));
  text_compiles(text.chars, "moving rows");
  op2i_text_free(&text);
}

/* Each strategy either fits a loop, or the refusal says why not. */
static void by_strategy(op2_loop loop, const char *name, bool turns) {
  static const char *const strategies[] = {"repeat",   "owner",  "gather", "staged",
                                           "unstaged", "serial", "atomics"};
  const char *text, *again;
  char target[24], what[64];
  for (int s = 0; s < 7; s++) {
    bool fits = !turns || (s >= 3 && s <= 5);
    text = again = NULL;
    snprintf(what, sizeof what, "%s, %s,", name, strategies[s]);
    snprintf(target, sizeof target, "opencl:%s", strategies[s]);
    op2_status status = op2_loop_generate(loop, target, &text);
    ok(fits ? !status && strstr(text, "OP2_ENTRY")
            : status == OP2_ERR_UNAVAILABLE && strstr(op2_error_message(), "take turns"),
       "%s is %s of OpenCL", what, fits ? "text" : "refused as text");
    snprintf(target, sizeof target, "cuda:%s", strategies[s]);
    status = op2_loop_generate(loop, target, &text);
    ok(!status == fits, "%s: the same of CUDA", what);
    if (status || !CHECK(op2_loop_generate(loop, target, &again))) continue;
    ok(text == again, "%s is kept with the loop", what);
    text_compiles(text, what);
  }
}

static void unknown(op2_loop loop) {
  static const char *const names[] = {"cuda:colours", "opencl:", "c:staged", "cuda:staged "};
  const char *text = "as it was";
  for (int n = 0; n < 4; n++)
    ok(op2_loop_generate(loop, names[n], &text) == OP2_ERR_UNAVAILABLE &&
           !strcmp(text, "as it was") && strstr(op2_error_message(), "choose from"),
       "'%s' is refused: %s", names[n], op2_error_message());
}

/* The texts are generated by a context that runs on the host. */
static void texts(void) {
  op2_context ctx;
  op2_set edges, nodes;
  op2_map ends, one;
  op2_dat x, q, r, w, v, n, c;
  op2_gbl rms, most;
  op2_const constant;
  op2_kernel kernels[4];
  op2_loop loops[4];
  const int32_t idx[8] = {0, 1, 1, 2, 2, 3, 3, 0};
  const double two = 2;
  const float dt = 0.5f;
  op2_options options = {.backend = "sequential"};
  CHECK(op2_init(&options, &ctx));
  CHECK(op2_set_create(ctx, 4, "edges", &edges));
  CHECK(op2_set_create(ctx, 4, "nodes", &nodes));
  CHECK(op2_map_create(edges, nodes, 2, idx, "ends", &ends));
  CHECK(op2_map_create(edges, nodes, 1, (const int32_t[]){0, 1, 1, 2}, "one", &one));
  CHECK(op2_dat_create(nodes, 2, OP2_F64, NULL, "x", &x));
  CHECK(op2_dat_create(nodes, 2, OP2_F64, NULL, "q", &q));
  CHECK(op2_dat_create(nodes, 2, OP2_F64, NULL, "r", &r));
  CHECK(op2_dat_create(nodes, 5, OP2_F64, NULL, "w", &w));
  CHECK(op2_dat_create(nodes, 5, OP2_F64, NULL, "v", &v));
  CHECK(op2_dat_create(edges, 1, OP2_I64, NULL, "n", &n));
  CHECK(op2_dat_create(edges, 1, OP2_U8, NULL, "c", &c));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "rms", &rms));
  CHECK(op2_gbl_create(ctx, 1, OP2_I32, NULL, "most", &most));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &two, "factor", &constant));
  CHECK(op2_kernel_create(ctx, &flux_kernel, &kernels[0]));
  CHECK(op2_kernel_create(ctx, &move_kernel, &kernels[1]));
  CHECK(op2_kernel_create(ctx, &swap_kernel, &kernels[2]));
  CHECK(op2_kernel_create(ctx, &wide_kernel, &kernels[3]));
  CHECK(op2_loop_create(&loops[0], kernels[0], edges, op2_arg_dat(x, 0, ends, OP2_READ),
                        op2_arg_dat(x, 1, ends, OP2_READ), op2_arg_dat(q, OP2_ALL, ends, OP2_READ),
                        op2_arg_dat(r, 0, ends, OP2_INC), op2_arg_dat(r, 1, ends, OP2_INC),
                        op2_arg_map_idx(ends, OP2_ALL)));
  CHECK(op2_loop_create(&loops[1], kernels[1], nodes, op2_arg_direct(x, OP2_READ),
                        op2_arg_direct(q, OP2_WRITE), op2_arg_direct(r, OP2_RW),
                        op2_arg_gbl(rms, OP2_INC), op2_arg_gbl(most, OP2_MAX),
                        op2_arg_val(&dt, 1, OP2_F32)));
  CHECK(op2_loop_create(&loops[2], kernels[2], edges, op2_arg_dat(x, 0, one, OP2_RW),
                        op2_arg_direct(n, OP2_READ), op2_arg_direct(c, OP2_WRITE)));
  CHECK(op2_loop_create(&loops[3], kernels[3], nodes, op2_arg_direct(w, OP2_READ),
                        op2_arg_direct(v, OP2_WRITE)));
  static const char *const names[] = {"an increment through a map", "a reduction",
                                      "values set through a map", "wide rows"};
  for (int l = 0; l < 4; l++) {
    compiles(loops[l], names[l]);
    if (l == 0 || l == 2) by_strategy(loops[l], names[l], l == 2);
    if (l == 0) unknown(loops[l]);
    op2_loop_destroy(&loops[l]);
    op2_kernel_destroy(&kernels[l]);
  }
  op2_dat *const dats[] = {&x, &q, &r, &w, &v, &n, &c};
  for (size_t d = 0; d < sizeof dats / sizeof *dats; d++) op2_dat_destroy(dats[d]);
  op2_gbl_destroy(&rms);
  op2_gbl_destroy(&most);
  op2_const_destroy(&constant);
  op2_map_destroy(&ends);
  op2_map_destroy(&one);
  op2_set_destroy(&edges);
  op2_set_destroy(&nodes);
  CHECK(op2_finalize(&ctx));
}

int main(void) {
  test_environment();
  device_of(&op2i_device_cuda, add_cuda);
  if (OPENCL_RUNS)
    device_of(&op2i_device_opencl, add_opencl);
  else
    skip("opencl: the sanitizer and a platform's own compiler do not go together");
  runs_there("cuda");
  runs_there("opencl");
  texts();
  rows_compile();
  return done();
}
