/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <stdio.h>

#include "channel.h"
#include "mesh.h"

enum { INLET, OUTLET, FLOOR, CEILING };

static void set_nodes(mesh *m, int64_t ni, int64_t nj) {
  for (int64_t j = 0; j <= nj; j++)
    for (int64_t i = 0; i <= ni; i++) {
      double *x = m->x + 2 * (j * (ni + 1) + i);
      x[0] = CHANNEL_LENGTH * (double)i / (double)ni;
      x[1] = (double)j / (double)nj;
      channel_place(x);
    }
}

/* Two triangles per rectangle, cut by diagonals of alternating direction. */
static void set_cells(mesh *m, int64_t ni, int64_t nj) {
  for (int64_t j = 0; j < nj; j++)
    for (int64_t i = 0; i < ni; i++) {
      int32_t *cell = m->cell + 6 * (j * ni + i);
      const int32_t a = (int32_t)(j * (ni + 1) + i), b = a + 1, d = (int32_t)(a + ni + 1),
                    c = d + 1;
      const bool rises = (i + j) % 2 == 0;
      const int32_t two[6] = {a, b, rises ? c : d, c, d, rises ? a : b};
      for (int k = 0; k < 6; k++) cell[k] = two[k];
    }
}

/* Add n boundary edges from node `first` on; the numbers of successive nodes differ by `step`. */
static void add_line(mesh *m, int64_t *at, int64_t n, int64_t first, int64_t step, int32_t marker) {
  for (int64_t k = 0; k < n; k++, ++*at) {
    m->bedge[2 * *at] = (int32_t)(first + k * step);
    m->bedge[2 * *at + 1] = (int32_t)(first + (k + 1) * step);
    m->marker[*at] = marker;
  }
}

static void set_boundary(mesh *m, int64_t ni, int64_t nj) {
  static const char *const names[] = {"inlet", "outlet", "floor", "ceiling"};
  int64_t at = 0;
  m->nmarker = 4;
  for (int k = 0; k < 4; k++) snprintf(m->marker_name[k], MESH_NAME, "%s", names[k]);
  add_line(m, &at, nj, 0, ni + 1, INLET);
  add_line(m, &at, nj, ni, ni + 1, OUTLET);
  add_line(m, &at, ni, 0, 1, FLOOR);
  add_line(m, &at, ni, nj * (ni + 1), 1, CEILING);
}

int mesh_channel(int64_t ni, int64_t nj, mesh *m, bench_error *error) {
  const int64_t most = INT32_MAX / 6;
  if (ni < 1 || nj < 1) return bench_fail(error, "a channel has at least 1x1 rectangles");
  if (ni > most || nj > most / ni)
    return bench_fail(error, "a channel of more than %lld rectangles has too many cells",
                      (long long)most);
  *m = (mesh){.name = "channel",
              .nnode = (ni + 1) * (nj + 1),
              .ncell = 2 * ni * nj,
              .nbedge = 2 * (ni + nj)};
  if (mesh_alloc(m, error)) return -1;
  set_nodes(m, ni, nj);
  set_cells(m, ni, nj);
  set_boundary(m, ni, nj);
  return 0;
}
