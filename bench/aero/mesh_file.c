/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/scan.h"
#include "common/text.h"
#include "mesh.h"

/* OP2's FE_grid.dat: three counts, then the nodes' coordinates, then per cell 4 nodes, then the
 * nodes of the far field. White space of any kind separates, indices start from 0. */

static int read_counts(scanner *s, mesh *m) {
  static const char *const names[3] = {"the number of nodes", "the number of cells",
                                       "the number of far-field nodes"};
  int32_t count[3];
  for (int k = 0; k < 3; k++)
    if (scan_int(s, &(scan_item){.part = names[k], .slot = -1}, k < 2, INT32_MAX, &count[k]))
      return -1;
  *m = (mesh){.nnode = count[0], .ncell = count[1], .nfar = count[2]};
  return scan_room(s, 2 * m->nnode + 4 * m->ncell + m->nfar);
}

static int read_elements(scanner *s, mesh *m) {
  for (int64_t c = 0; c < m->ncell; c++)
    if (scan_row(s, m->cell + 4 * c, 4, &(scan_item){"node", 0, "cell", c}, m->nnode)) return -1;
  for (int64_t b = 0; b < m->nfar; b++)
    if (scan_row(s, m->far + b, 1, &(scan_item){"the far-field node", -1, "row", b}, m->nnode))
      return -1;
  return scan_end(s, "the last far-field node");
}

int mesh_read(const char *path, mesh *m, bench_error *error) {
  scanner s;
  mesh made = {0};
  if (scan_open(&s, path, error)) return -1;
  int rc = read_counts(&s, &made);
  if (rc == 0) rc = mesh_alloc(&made, error);
  if (rc == 0) rc = scan_nodes(&s, made.x, made.nnode);
  if (rc == 0) rc = read_elements(&s, &made);
  scan_close(&s);
  if (rc)
    mesh_free(&made);
  else
    *m = made;
  return rc;
}

int mesh_write(const mesh *m, const char *path, bench_error *error) {
  FILE *file = text_create(path, error);
  if (!file) return -1;
  fprintf(file, "%lld %lld %lld\n", (long long)m->nnode, (long long)m->ncell, (long long)m->nfar);
  for (int64_t i = 0; i < m->nnode; i++) {
    text_write_real(file, m->x[2 * i], ' ');
    text_write_real(file, m->x[2 * i + 1], '\n');
  }
  for (int64_t c = 0; c < m->ncell; c++) {
    const int32_t *n = m->cell + 4 * c;
    fprintf(file, "%d %d %d %d\n", n[0], n[1], n[2], n[3]);
  }
  for (int64_t b = 0; b < m->nfar; b++) fprintf(file, "%d\n", m->far[b]);
  return text_finish(file, path, error);
}
