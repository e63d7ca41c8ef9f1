/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "common/scan.h"
#include "common/text.h"
#include "mesh.h"

/* OP2's text file: four counts, then the nodes' coordinates, then per cell 4 nodes, per edge 2
 * nodes and 2 cells, per boundary edge 2 nodes, 1 cell and 1 type. White space of any kind
 * separates, indices start from 0. */

/* ---- reading ---- */

static int read_counts(scanner *s, mesh *m) {
  static const char *const names[4] = {"the number of nodes", "the number of cells",
                                       "the number of edges", "the number of boundary edges"};
  int32_t count[4];
  for (int k = 0; k < 4; k++)
    if (scan_int(s, &(scan_item){.part = names[k], .slot = -1}, k < 2, INT32_MAX, &count[k]))
      return -1;
  *m = (mesh){.nnode = count[0], .ncell = count[1], .nedge = count[2], .nbedge = count[3]};
  return scan_room(s, 2 * m->nnode + 4 * (m->ncell + m->nedge + m->nbedge));
}

static int read_elements(scanner *s, mesh *m) {
  for (int64_t c = 0; c < m->ncell; c++)
    if (scan_row(s, m->cell + 4 * c, 4, &(scan_item){"node", 0, "cell", c}, m->nnode)) return -1;
  for (int64_t e = 0; e < m->nedge; e++) {
    if (scan_row(s, m->edge + 2 * e, 2, &(scan_item){"node", 0, "edge", e}, m->nnode)) return -1;
    if (scan_row(s, m->ecell + 2 * e, 2, &(scan_item){"cell", 0, "edge", e}, m->ncell)) return -1;
  }
  for (int64_t b = 0; b < m->nbedge; b++) {
    if (scan_row(s, m->bedge + 2 * b, 2, &(scan_item){"node", 0, "boundary edge", b}, m->nnode))
      return -1;
    if (scan_row(s, m->becell + b, 1, &(scan_item){"the cell", -1, "boundary edge", b}, m->ncell))
      return -1;
    if (scan_int(s, &(scan_item){"the type", -1, "boundary edge", b}, MESH_WALL, MESH_FAR_FIELD,
                 m->bound + b))
      return -1;
  }
  return 0;
}

int mesh_read(const char *path, mesh *m, bench_error *error) {
  scanner s;
  mesh made = {0};
  if (scan_open(&s, path, error)) return -1;
  int rc = read_counts(&s, &made);
  if (rc == 0) rc = mesh_alloc(&made, error);
  if (rc == 0) rc = scan_nodes(&s, made.x, made.nnode);
  if (rc == 0) rc = read_elements(&s, &made);
  if (rc == 0) rc = scan_end(&s, "the last boundary edge");
  scan_close(&s);
  if (rc)
    mesh_free(&made);
  else
    *m = made;
  return rc;
}

/* ---- writing ---- */

static void write_body(const mesh *m, FILE *file) {
  fprintf(file, "%lld %lld %lld %lld\n", (long long)m->nnode, (long long)m->ncell,
          (long long)m->nedge, (long long)m->nbedge);
  for (int64_t i = 0; i < m->nnode; i++) {
    text_write_real(file, m->x[2 * i], ' ');
    text_write_real(file, m->x[2 * i + 1], '\n');
  }
  for (int64_t c = 0; c < m->ncell; c++) {
    const int32_t *n = m->cell + 4 * c;
    fprintf(file, "%d %d %d %d\n", n[0], n[1], n[2], n[3]);
  }
  for (int64_t e = 0; e < m->nedge; e++) {
    const int32_t *n = m->edge + 2 * e, *c = m->ecell + 2 * e;
    fprintf(file, "%d %d %d %d\n", n[0], n[1], c[0], c[1]);
  }
  for (int64_t b = 0; b < m->nbedge; b++)
    fprintf(file, "%d %d %d %d\n", m->bedge[2 * b], m->bedge[2 * b + 1], m->becell[b], m->bound[b]);
}

int mesh_write(const mesh *m, const char *path, bench_error *error) {
  FILE *file = text_create(path, error);
  if (!file) return -1;
  write_body(m, file);
  return text_finish(file, path, error);
}
