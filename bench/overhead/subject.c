/* SPDX-License-Identifier: BSD-3-Clause */
#include "subject.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

static const struct shape {
  const op2_kernel_desc *kernel;
  int nargs, ndats;
  int dims[MOST_DATS];
} shapes[SHAPES] = {
    {&relax_kernel, 1, 1, {1}},
    {&combine_kernel, 4, 3, {1, 2, 2}},
    {&advance_kernel, 8, 7, {1, 2, 4, 1, 2, 4, 2}},
};

int shape_nargs(int shape) { return shapes[shape].nargs; }

bool succeeded(op2_status status, const char *call) {
  if (status == OP2_SUCCESS) return true;
  fprintf(stderr, "overhead: %s: %s (%s)\n", call, op2_error_message(), op2_status_name(status));
  return false;
}

static int64_t values(const subject *s, int d) { return s->elements * shapes[s->shape].dims[d]; }

static bool make_arrays(subject *s) {
  enum { LINE = 64 };
  for (int d = 0; d < shapes[s->shape].ndats; d++) {
    const size_t bytes = (size_t)values(s, d) * sizeof(double);
    s->data[d] = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (!s->data[d]) {
      fputs("overhead: out of memory\n", stderr);
      return false;
    }
    for (int64_t i = 0; i < values(s, d); i++) s->data[d][i] = 0.01 * (double)((i + 7 * d) % 100);
  }
  return true;
}

static op2_status make_objects(subject *s) {
  const struct shape *shape = &shapes[s->shape];
  op2_status status = op2_kernel_create(s->ctx, shape->kernel, &s->kernel);
  if (!status) status = op2_set_create(s->ctx, s->elements, "elements", &s->set);
  if (!status) status = op2_gbl_create(s->ctx, 1, OP2_F64, &s->sum, "sum", &s->gbl);
  for (int d = 0; d < shape->ndats && !status; d++) {
    const char name[2] = {(char)('a' + d), '\0'};
    status = op2_dat_create(s->set, shape->dims[d], OP2_F64, s->data[d], name, &s->dats[d]);
  }
  return status;
}

bool subject_make(subject *s, int shape, int64_t elements, op2_context ctx) {
  *s = (subject){.shape = shape, .elements = elements, .ctx = ctx};
  return make_arrays(s) && (!ctx || succeeded(make_objects(s), "declaring the mesh"));
}

void subject_free(subject *s) {
  for (int d = 0; d < MOST_DATS; d++) {
    op2_dat_destroy(&s->dats[d]);
    free(s->data[d]);
  }
  op2_gbl_destroy(&s->gbl);
  op2_set_destroy(&s->set);
  op2_kernel_destroy(&s->kernel);
}

op2_status subject_queue(const subject *s) {
  const op2_dat *d = s->dats;
  switch (shape_nargs(s->shape)) {
  case 1: return op2_par_loop(s->kernel, s->set, op2_arg_direct(d[0], OP2_RW));
  case 4:
    return op2_par_loop(s->kernel, s->set, op2_arg_direct(d[0], OP2_READ),
                        op2_arg_direct(d[1], OP2_READ), op2_arg_direct(d[2], OP2_WRITE),
                        op2_arg_gbl(s->gbl, OP2_INC));
  default:
    return op2_par_loop(s->kernel, s->set, op2_arg_direct(d[0], OP2_READ),
                        op2_arg_direct(d[1], OP2_READ), op2_arg_direct(d[2], OP2_READ),
                        op2_arg_direct(d[3], OP2_RW), op2_arg_direct(d[4], OP2_WRITE),
                        op2_arg_direct(d[5], OP2_WRITE), op2_arg_direct(d[6], OP2_RW),
                        op2_arg_gbl(s->gbl, OP2_INC));
  }
}

static bool close_enough(double got, double want) {
  return fabs(got - want) <= 1e-12 * (1.0 + fabs(want));
}

bool subject_agrees(const subject *s) {
  double sum;
  if (!succeeded(op2_gbl_get(s->gbl, &sum), "op2_gbl_get")) return false;
  bool good = close_enough(sum, s->sum);
  if (!good) fprintf(stderr, "overhead: the sum is %.17g, expected %.17g\n", sum, s->sum);
  for (int d = 0; d < shapes[s->shape].ndats && good; d++) {
    const void *data;
    if (!succeeded(op2_dat_read_begin(s->dats[d], &data), "op2_dat_read_begin")) return false;
    const double *got = data;
    for (int64_t i = 0; i < values(s, d) && good; i++) {
      good = close_enough(got[i], s->data[d][i]);
      if (!good)
        fprintf(stderr, "overhead: dat '%c', value %" PRId64 " is %.17g, expected %.17g\n", 'a' + d,
                i, got[i], s->data[d][i]);
    }
    if (!succeeded(op2_dat_read_end(s->dats[d], &data), "op2_dat_read_end")) return false;
  }
  return good;
}
