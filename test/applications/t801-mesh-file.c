/* SPDX-License-Identifier: BSD-3-Clause */
/* new_grid.dat: a written mesh is read back bit for bit, and broken files are refused with file and
 * line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/airfoil/mesh.h"
#include "support.h"
#include "tap.h"

static char path[512];

static bool write_text(const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  const bool good = fwrite(text, 1, size, file) == size;
  return fclose(file) == 0 && good;
}

static bool same(const mesh *a, const mesh *b) {
  return a->nnode == b->nnode && a->ncell == b->ncell && a->nedge == b->nedge &&
         a->nbedge == b->nbedge && !memcmp(a->x, b->x, (size_t)a->nnode * 2 * sizeof *a->x) &&
         !memcmp(a->cell, b->cell, (size_t)a->ncell * 4 * sizeof *a->cell) &&
         !memcmp(a->edge, b->edge, (size_t)a->nedge * 2 * sizeof *a->edge) &&
         !memcmp(a->ecell, b->ecell, (size_t)a->nedge * 2 * sizeof *a->ecell) &&
         !memcmp(a->bedge, b->bedge, (size_t)a->nbedge * 2 * sizeof *a->bedge) &&
         !memcmp(a->becell, b->becell, (size_t)a->nbedge * sizeof *a->becell) &&
         !memcmp(a->bound, b->bound, (size_t)a->nbedge * sizeof *a->bound);
}

static void round_trip(mesh *m, const char *name) {
  mesh back = {0};
  bench_error error = {""};
  ok(mesh_write(m, path, &error) == 0, "%s is written %s", name, error.text);
  if (ok(mesh_read(path, &back, &error) == 0, "%s is read %s", name, error.text)) {
    ok(same(m, &back), "%s is the same", name);
    if (back.ncell > 3) {
      back.cell[5]++;
      ok(!same(m, &back), "and a changed one is not");
    }
  }
  mesh_free(&back);
}

static void round_trips(void) {
  mesh m = {0};
  bench_error error;
  if (!ok(mesh_generate(8, 12, &m, &error) == 0, "a mesh to write")) return;
  round_trip(&m, "8x12");
  ok(mesh_shuffle(&m, 5, &error) == 0, "shuffled");
  round_trip(&m, "a shuffled mesh");
  m.x[0] = 1.0 / 3;
  m.x[1] = -1e-300;
  m.x[2] = 1.7976931348623157e308;
  m.x[3] = 0.1 + 0.2;
  m.x[4] = -0.0;
  round_trip(&m, "a mesh with odd coordinates");
  ok(mesh_write(&m, "/dev/full", &error) == -1 && strstr(error.text, "/dev/full: "),
     "a full disk: %s", error.text);
  ok(mesh_write(&m, "", &error) == -1, "a file without a name");
  mesh_free(&m);
}

/* Two squares side by side; each line is one element. */
static const char *const lines[] = {
    "6 2 1 6", "0 0",     "1 0",     "2 0",     "0 1",     "1 1",     "2 1e0",   "0 1 4 3",
    "1 2 5 4", "1 4 1 0", "0 1 0 1", "1 2 1 1", "2 5 1 2", "5 4 1 2", "4 3 0 2", "3 0 0 2"};
enum { LINES = sizeof lines / sizeof *lines };

/* The small file with one line replaced (counted from 1; 0: none) and followed by `tail`. */
static size_t compose(char *text, size_t room, int line, const char *with, const char *tail) {
  size_t n = 0;
  for (int i = 0; i < LINES; i++)
    n += (size_t)snprintf(text + n, room - n, "%s\n", i + 1 == line ? with : lines[i]);
  return n + (size_t)snprintf(text + n, room - n, "%s", tail);
}

/* True if reading the file at `path` fails with these words, names the line unless that is 0, and
 * leaves the mesh unchanged. */
static bool refused(int line, const char *words, char *said, size_t room) {
  mesh m = {.nnode = -7};
  bench_error error = {""};
  char place[600];
  snprintf(place, sizeof place, line ? "%s:%d: " : "%s: ", path, line);
  const bool good = mesh_read(path, &m, &error) == -1 && m.nnode == -7 && !m.x &&
                    !strncmp(error.text, place, strlen(place)) && strstr(error.text, words);
  snprintf(said, room, "%s",
           strlen(error.text) > strlen(path) ? error.text + strlen(path) : error.text);
  return good;
}

static void broken_files(void) {
  static const struct {
    int line;
    const char *with, *words;
  } cases[] = {
      {1, "0 2 1 6", "the number of nodes must be in [1, "},
      {1, "6 0 1 6", "the number of cells must be in [1, "},
      {1, "6 2 -1 6", "the number of edges must be in [0, "},
      {1, "6 2 1 99999999999999999999", "the number of boundary edges must be in [0, "},
      {1, "6 2 1 x", "the number of boundary edges must be an integer, not \"x\""},
      {1, "2000000000 2000000000 2000000000 2000000000", "too short"},
      {1, "6 2 1 60", "too short"},
      {3, "1 zero", "coordinate 1 of node 1 must be a finite number, not \"zero\""},
      {3, "nan 0", "coordinate 0 of node 1 must be a finite number, not \"nan\""},
      {3, "1e999 0", "coordinate 0 of node 1 must be a finite number, not \"1e999\""},
      {3, "1,5 0", "coordinate 0 of node 1"},
      {8, "0 1 6 3", "node 2 of cell 0 must be in [0, 5], not \"6\""},
      {9, "-1 2 5 4", "node 0 of cell 1 must be in [0, 5], not \"-1\""},
      {8, "0 1.0 4 3", "node 1 of cell 0 must be an integer, not \"1.0\""},
      {8, "0 99999999999999999999 4 3", "node 1 of cell 0 must be in [0, 5]"},
      {10, "1 6 1 0", "node 1 of edge 0 must be in [0, 5], not \"6\""},
      {10, "1 4 1 2", "cell 1 of edge 0 must be in [0, 1], not \"2\""},
      {11, "0 7 0 1", "node 1 of boundary edge 0 must be in [0, 5], not \"7\""},
      {12, "1 2 2 1", "the cell of boundary edge 1 must be in [0, 1], not \"2\""},
      {13, "2 5 1 3", "the type of boundary edge 2 must be in [1, 2], not \"3\""},
  };
  char text[1024], said[600];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t n = compose(text, sizeof text, cases[i].line, cases[i].with, "");
    ok(write_text(text, n) && refused(cases[i].line, cases[i].words, said, sizeof said),
       "line %d \"%s\": %s", cases[i].line, cases[i].with, said);
  }
  size_t n = compose(text, sizeof text, 0, "", "\n 7");
  ok(write_text(text, n) &&
         refused(LINES + 2, "text after the last boundary edge", said, sizeof said),
     "more: %s", said);
  n = compose(text, sizeof text, 0, "", "");
  text[strcspn(text, "\n") + 1] = '\0';
  ok(write_text(text, n) && refused(2, "coordinate 0 of node 0", said, sizeof said),
     "a NUL within: %s", said);
}

static void truncated(void) {
  char text[1024], said[600];
  const size_t n = compose(text, sizeof text, 0, "", "");
  mesh m = {0};
  bench_error error = {""};
  ok(write_text(text, n) && mesh_read(path, &m, &error) == 0, "the small file is read %s",
     error.text);
  is_int(m.ncell == 2 ? m.cell[4] : -1, 1, "node 0 of its cell 1");
  mesh_free(&m);
  ok(write_text(text, n - 1) && mesh_read(path, &m, &error) == 0,
     "and without the last line's end");
  mesh_free(&m);
  size_t read = 0;
  for (size_t k = 0; k < n - 1; k++) {
    m = (mesh){0};
    if (!write_text(text, k) || mesh_read(path, &m, &error) == 0) read++;
    mesh_free(&m);
  }
  is_int(read, 0, "shorter ones that are taken for whole");
  ok(write_text(text, n - 2) &&
         refused(LINES, "the file ends before the type of boundary edge 5", said, sizeof said),
     "a missing type: %s", said);
  ok(write_text("", 0) && refused(1, "the file ends before the number of nodes", said, sizeof said),
     "an empty file: %s", said);
}

static void no_file(void) {
  char said[600];
  snprintf(path, sizeof path, "%s/absent", test_scratch());
  ok(refused(0, "No such file", said, sizeof said), "no file: %s", said);
  snprintf(path, sizeof path, "%s", test_scratch());
  ok(refused(0, "directory", said, sizeof said), "a folder: %s", said);
}

int main(void) {
  snprintf(path, sizeof path, "%s/new_grid.dat", test_scratch());
  round_trips();
  broken_files();
  truncated();
  no_file();
  return done();
}
