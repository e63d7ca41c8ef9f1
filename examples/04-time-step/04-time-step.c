/* SPDX-License-Identifier: BSD-3-Clause */
/* Step 4 of doc/tutorial.md: a dye drifts through the channel: 04-time-step [FILE.msh] */
#include <math.h>
#include <op2.h>
#include <op2/meshfile.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if (call) return fprintf(stderr, "line %d: %s\n", __LINE__, op2_error_message()), 1

/* The water flows to the right, faster in the middle; out is what a face passes on in a second. */
OP2_KERNEL(speed, (const double *centre, const double *normal, double *flow),
           { *flow = (0.5 + centre[1] * (1 - centre[1])) * normal[0]; });
OP2_KERNEL(leaving, (const double *flow, double *a, double *b), {
  *a += fmax(*flow, 0.0);
  *b += fmax(-*flow, 0.0);
});
OP2_KERNEL(leaving_mesh, (const double *flow, double *a), { *a += fmax(*flow, 0.0); });
OP2_KERNEL(longest_step, (const double *area, const double *leaves, double *dt),
           { *dt = fmin(*dt, 0.9 * *area / *leaves); });
OP2_KERNEL(drift, (const double *flow, const double *l, const double *r, double *dl, double *dr), {
  const double moved = *flow * (*flow > 0 ? *l : *r);
  *dl -= moved;
  *dr += moved;
});
/* The dye has concentration 1 where it comes in. */
OP2_KERNEL(drift_in, (const double *flow, double *d), { *d -= *flow; });
OP2_KERNEL(drift_out, (const double *flow, const double *q, double *d), { *d -= *flow * *q; });
OP2_KERNEL(advance, (const double *dt, const double *area, double *d, double *q, double *sum), {
  *q += *dt / *area * *d;
  *d = 0;
  *sum += *area * *q;
});
enum { SPEED, LEAVING, LEAVING_MESH, LONGEST_STEP, DRIFT, DRIFT_IN, DRIFT_OUT, ADVANCE, KERNELS };

static int print_line(void *stream, void *const *values) {
  const int32_t *step = values[0];
  const double *t = values[1], *dye = values[2];
  return fprintf(stream, "step %d: t %.4f, dye %.4f\n", *step, *t, *dye) < 0;
}

int main(int argc, char **argv) {
  static const op2_kernel_desc *const texts[] = {
      &speed_kernel, &leaving_kernel,  &leaving_mesh_kernel, &longest_step_kernel,
      &drift_kernel, &drift_in_kernel, &drift_out_kernel,    &advance_kernel};
  const double large = 1e30, zero = 0;
  op2_context ctx;
  op2_mesh mesh;
  op2_faces faces;
  op2_set inlet, outlet;
  op2_dat q, d, area, leaves, normal[2], centre[2], flow[2];
  op2_gbl dt, t, dye;
  op2_kernel kernel[KERNELS];
  CHECK(op2_init(NULL, &ctx));
  CHECK(op2_mesh_read(ctx, argc > 1 ? argv[1] : "channel.msh", &mesh));
  CHECK(op2_faces_create(mesh, &faces));
  CHECK(op2_mesh_group(mesh, "inlet", faces.boundary, &inlet));
  CHECK(op2_mesh_group(mesh, "outlet", faces.boundary, &outlet));
  for (int k = 0; k < KERNELS; k++) CHECK(op2_kernel_create(ctx, texts[k], &kernel[k]));
  const op2_set cells = op2_mesh_cells(mesh), of[2] = {faces.interior, faces.boundary};
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "q", &q));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "d", &d));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "area", &area));
  CHECK(op2_dat_create(cells, 1, OP2_F64, NULL, "leaves", &leaves));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "dt", &dt));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "t", &t));
  CHECK(op2_gbl_create(ctx, 1, OP2_F64, NULL, "dye", &dye));
  CHECK(op2_mesh_geometry(mesh, area, NULL));
  for (int i = 0; i < 2; i++) {
    CHECK(op2_dat_create(of[i], 2, OP2_F64, NULL, "normal", &normal[i]));
    CHECK(op2_dat_create(of[i], 2, OP2_F64, NULL, "centre", &centre[i]));
    CHECK(op2_dat_create(of[i], 1, OP2_F64, NULL, "flow", &flow[i]));
    CHECK(op2_faces_geometry(mesh, of[i], normal[i], centre[i]));
    CHECK(op2_par_loop(kernel[SPEED], of[i], op2_arg_direct(centre[i], OP2_READ),
                       op2_arg_direct(normal[i], OP2_READ), op2_arg_direct(flow[i], OP2_WRITE)));
  }
  const op2_map lr = faces.cells, inside = faces.boundary_cell;
  const op2_arg flow_in = op2_arg_direct(flow[0], OP2_READ);
  const op2_arg flow_out = op2_arg_direct(flow[1], OP2_READ);
  CHECK(op2_par_loop(kernel[LEAVING], faces.interior, flow_in, op2_arg_dat(leaves, 0, lr, OP2_INC),
                     op2_arg_dat(leaves, 1, lr, OP2_INC)));
  CHECK(op2_par_loop(kernel[LEAVING_MESH], outlet, flow_out,
                     op2_arg_dat(leaves, 0, inside, OP2_INC)));

  for (int32_t step = 1; step <= 60; step++) {
    CHECK(op2_gbl_set(dt, &large));
    CHECK(op2_par_loop(kernel[LONGEST_STEP], cells, op2_arg_direct(area, OP2_READ),
                       op2_arg_direct(leaves, OP2_READ), op2_arg_gbl(dt, OP2_MIN)));
    CHECK(op2_par_loop(kernel[DRIFT], faces.interior, flow_in, op2_arg_dat(q, 0, lr, OP2_READ),
                       op2_arg_dat(q, 1, lr, OP2_READ), op2_arg_dat(d, 0, lr, OP2_INC),
                       op2_arg_dat(d, 1, lr, OP2_INC)));
    CHECK(op2_par_loop(kernel[DRIFT_IN], inlet, flow_out, op2_arg_dat(d, 0, inside, OP2_INC)));
    CHECK(op2_par_loop(kernel[DRIFT_OUT], outlet, flow_out, op2_arg_dat(q, 0, inside, OP2_READ),
                       op2_arg_dat(d, 0, inside, OP2_INC)));
    CHECK(op2_gbl_set(dye, &zero));
    CHECK(op2_par_loop(kernel[ADVANCE], cells, op2_arg_gbl(dt, OP2_READ),
                       op2_arg_direct(area, OP2_READ), op2_arg_direct(d, OP2_RW),
                       op2_arg_direct(q, OP2_RW), op2_arg_gbl(dye, OP2_INC)));
    CHECK(op2_gbl_axpy(t, op2_scalar_value(1), dt));
    if (step % 20 == 0)
      CHECK(op2_call(ctx, print_line, stdout, op2_arg_val(&step, 1, OP2_I32),
                     op2_arg_gbl(t, OP2_READ), op2_arg_gbl(dye, OP2_READ)));
  }
  printf("loops that wait: %s\n", op2_queued(ctx) ? "yes" : "none");
  CHECK(op2_flush(ctx));
  printf("loops that wait: %s\n", op2_queued(ctx) ? "yes" : "none");
  return op2_finalize(&ctx) != OP2_SUCCESS;
}
