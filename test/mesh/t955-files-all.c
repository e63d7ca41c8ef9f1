/* SPDX-License-Identifier: BSD-3-Clause */
/* All objects of a context in a file, and back, on other numbers of ranks: names, shapes and values
 * are equal, and written again the file is equal. What a file has; sets by the rows of a dataset;
 * what is refused leaves no object behind, and a former file as it was. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "file_case.h"
#include "init.h"
#include "mem.h"
#include "rank_case.h"
#include "support.h"

enum { OBJECTS = FILE_SETS + FILE_MAPS + FILE_DATS + 2 };

static char path[512], other[512];
static struct file_mesh mesh;
static op2_context ctx;

static const double pair[] = {0.1, -3e200};
static const int32_t triple[] = {7, -1, 1 << 30};

struct extras {
  op2_gbl gbl;
  op2_const cst;
};

static op2_status declare(op2_context c, struct file_objects *objects, struct extras *extras) {
  op2_status status = op2_const_create(c, 3, OP2_I32, triple, "triple", &extras->cst);
  if (!status) status = op2_gbl_create(c, 2, OP2_F64, pair, "a pair", &extras->gbl);
  return status ? status : file_mesh_declare(c, &mesh, objects);
}

static void destroy(struct file_objects *objects, struct extras *extras) {
  file_objects_destroy(objects);
  op2_gbl_destroy(&extras->gbl);
  op2_const_destroy(&extras->cst);
}

/* Sort what was read into the structures of the mesh, in the order of declaration. Returns the
 * number of objects that are not as expected. */
static int sorted(int64_t n, const op2_object *read, struct file_objects *objects,
                  struct extras *extras) {
  int wrong = n != OBJECTS;
  *objects = (struct file_objects){0};
  *extras = (struct extras){0};
  for (int64_t i = 0; i < n; i++) {
    const op2_object *o = &read[i];
    const int64_t map = i - FILE_SETS, dat = map - FILE_MAPS, rest = dat - FILE_DATS;
    if (map < 0)
      objects->sets[i] = o->handle, wrong += o->kind != OP2_OBJECT_SET;
    else if (dat < 0)
      objects->maps[map] = o->handle, wrong += o->kind != OP2_OBJECT_MAP;
    else if (rest < 0)
      objects->dats[dat] = o->handle, wrong += o->kind != OP2_OBJECT_DAT;
    else if (rest == 0)
      extras->gbl = o->handle, wrong += o->kind != OP2_OBJECT_GBL || strcmp(o->name, "a pair");
    else
      extras->cst = o->handle, wrong += o->kind != OP2_OBJECT_CONST || strcmp(o->name, "triple");
  }
  return wrong + strcmp(read[1].name, "edges") +
         strcmp(read[FILE_SETS + 2].name, "maps/cell_nodes");
}

static int differs(const struct file_objects *objects, const struct extras *extras) {
  double p[2];
  int32_t t[3];
  int wrong = file_mesh_differs(&mesh, objects);
  for (int m = 0; m < FILE_MAPS; m++) {
    op2_map_info info;
    wrong += op2_map_info_get(objects->maps[m], &info) || info.arity != mesh.arity[m] ||
             info.from != objects->sets[mesh.from[m]] || info.to != objects->sets[mesh.to[m]];
  }
  wrong += op2_gbl_get(extras->gbl, p) || memcmp(p, pair, sizeof p);
  return wrong + (op2_const_get(extras->cst, t) || memcmp(t, triple, sizeof t));
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static int dump_on(struct op2i_comm *comm, void *to) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  struct file_objects objects = {0};
  struct extras extras = {0};
  op2_context c = NULL;
  if (op2i_init_ranks(&options, comm, &c)) return 1;
  int wrong = declare(c, &objects, &extras) || op2_file_dump(c, to);
  destroy(&objects, &extras);
  return wrong + (op2_finalize(&c) != OP2_SUCCESS);
}

/* Read the file, compare it, move the mesh about and write it once more. */
static int read_on(struct op2i_comm *comm, void *data) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  struct file_objects objects = {0};
  struct extras extras = {0};
  const op2_object *read = NULL;
  int64_t n = 0;
  op2_context c = NULL;
  op2_file file = NULL;
  (void)data;
  if (op2i_init_ranks(&options, comm, &c)) return 1;
  int wrong = op2_file_open(c, path, OP2_FILE_READ, &file) || op2_file_read_all(file, &n, &read) ||
              sorted(n, read, &objects, &extras);
  if (op2_file_close(&file)) wrong++;
  if (!wrong) wrong = differs(&objects, &extras);
  if (!wrong && op2_partition(c, NULL, NULL)) wrong++;
  if (!wrong) wrong = differs(&objects, &extras);
  if (!wrong && op2_file_dump(c, other)) wrong++;
  if (wrong) printf("# %s\n", op2_error_message());
  destroy(&objects, &extras);
  return wrong + (op2_finalize(&c) != OP2_SUCCESS);
}

static void on_ranks(void) {
  static const int pairs[][2] = {{1, 1}, {1, 3}, {3, 1}, {2, 4}, {4, 2}};
  char alone[512];
  snprintf(alone, sizeof alone, "%s/alone.h5", test_scratch());
  is_int(run_contexts(1, dump_on, alone), 0, "a file of one rank");
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    is_int(run_contexts(pairs[p][0], dump_on, path), 0, "written on %d ranks", pairs[p][0]);
    ok(file_equal(alone, path), "the file does not depend on ranks");
    is_int(run_contexts(pairs[p][1], read_on, NULL), 0, "read on %d ranks", pairs[p][1]);
    ok(file_equal(path, other), "written again from parts, byte for byte");
  }
}

/* ---- one rank -------------------------------------------------------------------------------- */

static void begin(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  CHECK(op2_init(&options, &ctx));
}

static op2_file opened(const char *name, op2_file_mode mode) {
  op2_file file = NULL;
  CHECK(op2_file_open(ctx, name, mode, &file));
  return file;
}

static bool failed(op2_status status, op2_status want, const char *words) {
  const bool good = status == want && strstr(op2_error_message(), words);
  if (!good) diag("%s: %s", op2_status_name(status), op2_error_message());
  return good;
}

static void questions(void) {
  static const struct {
    const char *name;
    bool has;
  } all[] = {{"edges", true},    {"maps/cell_nodes", true}, {"op2_contents", true},
             {"nothing", false}, {"maps/nothing", false},   {"none/at/all", false},
             {"maps", false} /* a group */};
  op2_file file = opened(path, OP2_FILE_READ);
  int wrong = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    bool has = !all[i].has;
    wrong += op2_file_has(file, all[i].name, &has) != OP2_SUCCESS || has != all[i].has;
  }
  is_int(wrong, 0, "what a file has");
  ok(failed(op2_file_has(file, "edges", NULL), OP2_ERR_ARG, "null") &&
         failed(op2_file_has(file, "", &(bool){0}), OP2_ERR_NAME, "empty"),
     "questions that are refused");
  CHECK(op2_file_close(&file));
}

static void rows(void) {
  op2_file file = opened(path, OP2_FILE_READ);
  op2_set set = NULL, none = NULL;
  op2_set_info info;
  CHECK(op2_file_read_set_rows(file, "edge_nodes", "sides", &set));
  CHECK(op2_set_info_get(set, &info));
  ok(op2_set_size(set) == mesh.size[1] && !strcmp(info.name, "sides"),
     "a set by the rows of a map");
  op2_set_destroy(&set);
  CHECK(op2_file_read_set_rows(file, "p_0", NULL, &set));
  is_int(op2_set_size(set), mesh.size[mesh.set[0]], "a set by the rows of a dat");
  op2_set_destroy(&set);
  ok(failed(op2_file_read_set_rows(file, "p", "set", &none), OP2_ERR_IO,
            "'p' is not in the file") &&
         !none,
     "a dataset that is not there");
  CHECK(op2_file_close(&file));
}

/* A dump that fails leaves the former file, and no part of the new one. */
static void not_dumped(const char *what, op2_status want, const char *words) {
  char part[600];
  snprintf(part, sizeof part, "%s.op2-part", path);
  const bool good = failed(op2_file_dump(ctx, path), want, words);
  FILE *left = fopen(part, "r");
  ok(good && !left && file_equal(path, other), "%s", what);
  if (left) fclose(left);
}

static void dumps_refused(void) {
  op2_set set = NULL, same = NULL;
  CHECK(op2_set_create(ctx, 2, "set", &set));
  ok(failed(op2_file_dump(ctx, NULL), OP2_ERR_ARG, "null pointer"), "a null path");
  CHECK(op2_set_create(ctx, 2, "set", &same));
  not_dumped("two objects of one name", OP2_ERR_NAME, "'set'");
  op2_set_destroy(&same);
  CHECK(op2_set_create(ctx, 2, "a\tb", &same));
  not_dumped("a name with a tab", OP2_ERR_NAME, "a tab");
  op2_set_destroy(&same);
  op2_set_destroy(&set);
}

/* What other objects use is written although the program has destroyed its handle, which stays
 * invalid. Another object may not have its name. */
static void handles_destroyed(void) {
  op2_set gone = NULL, some = NULL, copy = NULL, same = NULL;
  op2_dat dat = NULL;
  char before[512];
  snprintf(before, sizeof before, "%s/before.h5", test_scratch());
  CHECK(op2_set_create(ctx, 2, "gone", &gone));
  CHECK(op2_subset_create(gone, 1, (int64_t[]){1}, "some", &some));
  CHECK(op2_dat_create(gone, 1, OP2_F64, NULL, "left", &dat));
  CHECK(op2_file_dump(ctx, before));
  copy = gone;
  op2_set_destroy(&gone);
  CHECK(op2_file_dump(ctx, path));
  ok(file_equal(before, path), "a set whose handle was destroyed is written in its place");
  ok(failed(op2_set_info_get(copy, &(op2_set_info){0}), OP2_ERR_ARG, "was destroyed"),
     "its handle stays destroyed");
  CHECK(op2_set_create(ctx, 3, "gone", &same));
  ok(failed(op2_file_dump(ctx, path), OP2_ERR_NAME, "'gone'") && file_equal(before, path),
     "another set of its name");
  op2_set_destroy(&same);
  op2_set_destroy(&some);
  op2_dat_destroy(&dat);
  CHECK(op2_file_dump(ctx, path));
  op2_file file = opened(path, OP2_FILE_READ);
  bool has = true;
  CHECK(op2_file_has(file, "gone", &has));
  ok(!has, "what nothing uses is not written");
  CHECK(op2_file_close(&file));
}

static int64_t objects_now(void) { return op2_objects(ctx, OP2_OBJECT_ANY); }

/* Texts that do not fit the file. */
static void contents_refused(void) {
  static const struct {
    const char *text, *words;
    op2_status status;
  } all[] = {
      {"set\tcells\nbox\tx\n", "line 2 of 'op2_contents' describes no object", OP2_ERR_IO},
      {"set\tcells\tmore\n", "line 1 of 'op2_contents' describes no object", OP2_ERR_IO},
      {"set\tcells\nset\tnodes\n", "'nodes' is not in the file", OP2_ERR_IO},
      {"set\tcells\ndat\tx\tnodes\n", "dat 'x' is on set 'nodes', which is not in the file",
       OP2_ERR_IO},
      {"set\tcells\nmap\tm\tcells\tnodes\n", "map 'm' is on set 'nodes'", OP2_ERR_IO},
      {"set\tcells\nconstant\ttaken\n", "'taken'", OP2_ERR_NAME},
  };
  const double value = 1;
  op2_set set = NULL;
  op2_const taken = NULL;
  const op2_object *read = NULL;
  int64_t n = -1;
  CHECK(op2_set_create(ctx, 2, "cells", &set));
  CHECK(op2_const_create(ctx, 1, OP2_F64, &value, "taken", &taken));
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    op2_file file = opened(other, OP2_FILE_CREATE);
    CHECK(op2_file_write_set(file, set, NULL));
    CHECK(op2_file_write_const(file, 1, OP2_F64, "taken", &value));
    CHECK(
        op2_file_write_const(file, (int)strlen(all[i].text), OP2_I8, "op2_contents", all[i].text));
    CHECK(op2_file_close(&file));
    file = opened(other, OP2_FILE_READ);
    const int64_t before = objects_now();
    ok(failed(op2_file_read_all(file, &n, &read), all[i].status, all[i].words) && n == -1 &&
           !read && objects_now() == before,
       "a text that does not fit: %s", all[i].words);
    CHECK(op2_file_close(&file));
  }
  op2_const_destroy(&taken);
  op2_set_destroy(&set);
}

/* Nothing is declared if an allocation fails. */
static void without_memory(void) {
  int64_t n = 0, made = 1, wrong = 0, found = 0;
  while (n <= made && n < 5000) {
    struct file_objects objects;
    struct extras extras;
    const op2_object *read = NULL;
    op2_file file = opened(path, OP2_FILE_READ);
    n += n < 40 ? 1 : 23;
    op2i_mem_fail_at(n);
    const op2_status status = op2_file_read_all(file, &found, &read);
    made = op2i_mem_fail_at(0);
    if (status)
      wrong += status != OP2_ERR_NOMEM || objects_now() != 0;
    else
      wrong += sorted(found, read, &objects, &extras) + differs(&objects, &extras);
    if (op2_file_close(&file)) wrong++;
    if (!status) destroy(&objects, &extras);
  }
  ok(n > 100 && n < 5000, "allocations were made to fail");
  is_int(wrong, 0, "nothing is declared if an allocation fails");
}

int main(void) {
  snprintf(path, sizeof path, "%s/all.h5", test_scratch());
  snprintf(other, sizeof other, "%s/other.h5", test_scratch());
  file_mesh_make(&mesh, 12);
  on_ranks();
  begin();
  questions();
  rows();
  dumps_refused();
  without_memory();
  handles_destroyed();
  contents_refused();
  CHECK(op2_finalize(&ctx));
  file_mesh_free(&mesh);
  return done();
}
