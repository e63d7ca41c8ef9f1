/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in every form of C run on a device, with the bits of `sequential`: only what a form says
 * goes to the host, for the reason that it gives (forms.h). */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "context.h"
#include "device.h"
#include "support.h"

enum { N = 12, OUT = 6, TEXT = 8192 };

static const double xs[N] = {0.5, -2.5, 3.75, -0.0, 1e10, 0.1, 7, -1e-310, 2.5, 100.5, -0.49, 1e3};
static const float fs[N] = {2.5f, -0.5f, 1.1f,  3e38f, -7.75f, 1e-40f,
                            0.f,  4.f,   1e10f, -3.5f, 0.3f,   16777217.f};
static const int32_t ns[N] = {3, -4, 7, 0, 20, 1, -9, 2, 5, -1, 40, 11};

struct run {
  op2_context ctx;
  op2_set set;
  op2_dat x, f, n, out;
};

static bool begin(const char *backend, struct run *r) {
  const op2_options options = {.backend = backend, .eager = -1, .cache_dir = test_cache()};
  static const double zeros[N * OUT];
  return CHECK(op2_init(&options, &r->ctx)) && CHECK(op2_set_create(r->ctx, N, "set", &r->set)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_F64, xs, "x", &r->x)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_F32, fs, "f", &r->f)) &&
         CHECK(op2_dat_create(r->set, 1, OP2_I32, ns, "n", &r->n)) &&
         CHECK(op2_dat_create(r->set, OUT, OP2_F64, zeros, "out", &r->out));
}

static void end(struct run *r) {
  op2_dat_destroy(&r->x);
  op2_dat_destroy(&r->f);
  op2_dat_destroy(&r->n);
  op2_dat_destroy(&r->out);
  op2_set_destroy(&r->set);
  ok(op2_finalize(&r->ctx) == OP2_SUCCESS, "the context ends");
}

/* ---- one form -------------------------------------------------------------------------------- */

static op2_status create(const struct run *r, const struct form *form, op2_kernel *kernel) {
  char source[TEXT], names[256];
  const char *headers[16] = {NULL};
  int nheaders = 0;
  snprintf(source, sizeof source,
           "%svoid %s(const double *px, const float *pf, const int *pn, double *out) {\n"
           "  const double x = *px; const float f = *pf; const int n = *pn; (void)x, (void)f, "
           "(void)n;\n%s\n}\n",
           form->before ? form->before : "", form->name, form->body);
  snprintf(names, sizeof names, "%s", form->headers ? form->headers : "");
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) headers[nheaders++] = name;
  const op2_kernel_desc desc = {.name = form->name,
                                .source = source,
                                .headers = nheaders ? headers : NULL,
                                .file = "form.c",
                                .line = 100};
  return op2_kernel_create(r->ctx, &desc, kernel);
}

static bool compute(const struct run *r, const struct form *form, op2_kernel *kernel,
                    double *values) {
  memset(values, 0, N * OUT * sizeof *values);
  if (!CHECK(create(r, form, kernel))) return false;
  return CHECK(op2_dat_set(r->out, values)) &&
         CHECK(op2_par_loop(*kernel, r->set, op2_arg_direct(r->x, OP2_READ),
                            op2_arg_direct(r->f, OP2_READ), op2_arg_direct(r->n, OP2_READ),
                            op2_arg_direct(r->out, OP2_RW))) &&
         CHECK(op2_dat_get(r->out, values));
}

/* True if op2_explain() says why the host runs the loop, in these words among others. */
static bool explained(const struct run *r, const char *name, const char *reason) {
  char *text = NULL, line[64];
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  bool good = stream && CHECK(op2_explain(r->ctx, stream));
  if (stream) fclose(stream);
  snprintf(line, sizeof line, "\n  %s", name);
  const char *loop = text ? strstr(text, line) : NULL,
             *why = loop ? strstr(loop, "on the host: ") : NULL;
  good = good && why && strstr(why, reason);
  diag("%.*s", why ? (int)strcspn(why, "\n") : 60, why ? why : "no reason");
  free(text);
  return good;
}

static void compare(const char *backend, const struct form *form, const double *want,
                    const double *got) {
  int wrong = 0;
  while (wrong < N * OUT && memcmp(&want[wrong], &got[wrong], sizeof *want) == 0) wrong++;
  if (!ok(wrong == N * OUT, "%s, %s: the bits of the host", backend, form->name))
    diag("element %d, result %d: %.17g, on the host %.17g", wrong / OUT, wrong % OUT, got[wrong],
         want[wrong]);
}

static bool is_open(const char *backend, const struct form *form) {
  const char *const *open = strcmp(backend, "opencl") == 0 ? forms_open_opencl : forms_open_cuda;
  while (*open && strcmp(*open, form->name) != 0) open++;
  return *open != NULL;
}

static void judge(const struct run *device, const struct form *form, bool there) {
  const char *backend = device->ctx->backend->name;
  const char *why = strcmp(backend, "opencl") == 0 ? form->opencl : form->cuda;
  /* hipRTC takes some forms that NVRTC refuses. */
  const bool more = there && strcmp(backend, "hip") == 0;
  ok(more || there == !why, "%s, %s: runs on the %s", backend, form->name,
     there ? "device" : "host");
  if (!there && why) ok(explained(device, form->name, why), "%s, %s: why", backend, form->name);
}

static void try_form(const struct run *host, const struct run *device, const struct form *form) {
  double want[N * OUT], got[N * OUT];
  op2_kernel here = NULL, there = NULL;
  const char *backend = device->ctx->backend->name;
  if (is_open(backend, form) && !getenv("OP2_TEST_FORM")) {
    diag("%s, %s: is not mended yet", backend, form->name);
    return;
  }
  int64_t launches = device->ctx->device->counts.launches;
  if (compute(host, form, &here, want) && compute(device, form, &there, got)) {
    compare(backend, form, want, got);
    judge(device, form, device->ctx->device->counts.launches > launches);
  }
  op2_kernel_destroy(&here);
  op2_kernel_destroy(&there);
}

/* Quick runs try every third form. OP2_TEST_FORM has the name of one, or its beginning. */
static void try_forms(const struct run *host, const struct run *device, const struct forms *forms) {
  const char *only = getenv("OP2_TEST_FORM");
  for (int i = 0; i < forms->count; i += quick() && !only ? 3 : 1)
    if (!only || strncmp(forms->list[i].name, only, strlen(only)) == 0)
      try_form(host, device, &forms->list[i]);
}

static void try_all(const char *backend) {
  const struct forms *all[] = {&forms_expressions, &forms_declarations, &forms_tables,
                               &forms_words,       &forms_headers,      &forms_meanings};
  struct run host = {0}, device = {0};
  if (begin(backend, &device) && begin("sequential", &host))
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) try_forms(&host, &device, all[i]);
  end(&host);
  end(&device);
}

int main(void) {
  const char *asked = getenv("OP2_TEST_BACKEND");
  const char *backend = asked && *asked ? asked : "opencl";
  test_environment();
  const char *why = backend_unfit(backend);
  if (why)
    skip("%s: %s", backend, why);
  else
    try_all(backend);
  return done();
}
