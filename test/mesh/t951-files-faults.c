/* SPDX-License-Identifier: BSD-3-Clause */
/* Files whose disk fails while they are written; run by t951-files-faults.sh, alone or over ranks
 * of MPI, which chooses the task:
 *   make HOW SEED FILE          write a mesh; HOW is alone or ranks, here and below
 *   fail HOW FILE               let each call on each rank fail in turn, by each kind of failure
 *   kill HOW RANK CALL FILE     kill this rank at this call; status 0: there are fewer calls
 *   full HOW FILE               write more than the file system can hold
 *   late HOW FILE               use and close files of a context that has ended */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_case.h"
#include "file_fault.h"
#include "op2/mpi.h"
#include "support.h"

enum { FORMER = 1, LATER = 2 };
static int rank, ranks = 1;
static op2_context ctx;
static const char *path;

static int sum(int value) {
  int all = value;
  if (ranks > 1) MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static op2_status write_mesh(uint64_t seed, op2_file_mode mode) {
  struct file_mesh mesh;
  struct file_objects objects;
  op2_file file = NULL;
  file_mesh_make(&mesh, seed);
  op2_status status = file_mesh_declare(ctx, &mesh, &objects), closed;
  if (!status && mode == OP2_FILE_CREATE) status = file_mesh_write(ctx, path, &mesh, &objects);
  if (!status && mode == OP2_FILE_ADD) {
    status = op2_file_open(ctx, path, mode, &file);
    if (!status) status = op2_file_write_dat(file, objects.dats[0], "added/here");
    if (!status) status = op2_file_write_map(file, objects.maps[0], "added/there");
    closed = op2_file_close(&file);
    if (!status) status = closed;
  }
  file_objects_destroy(&objects);
  file_mesh_free(&mesh);
  return status;
}

/* The bytes of the file, read by one rank. */
static char *bytes_of(long *n) {
  FILE *in = fopen(path, "rb");
  char *bytes = NULL;
  *n = -1;
  if (!in) return NULL;
  fseek(in, 0, SEEK_END);
  *n = ftell(in);
  rewind(in);
  bytes = malloc((size_t)*n + 1);
  if (bytes && fread(bytes, 1, (size_t)*n, in) != (size_t)*n) *n = -1;
  fclose(in);
  return bytes;
}

static int is_intact(const char *bytes, long n) {
  char part[4096];
  long now;
  char *found = bytes_of(&now);
  int good = found && now == n && memcmp(found, bytes, (size_t)n) == 0;
  snprintf(part, sizeof part, "%s.op2-part", path);
  if (good && access(part, F_OK) == 0) good = 0;
  free(found);
  return good;
}

/* One call on one rank fails: no rank returns success, each has a message, and the file is
 * unchanged. A call that is only interrupted has no effect. Returns -1 if there is no such call. */
static int fail_one(enum file_fault kind, int where, int call, op2_file_mode mode,
                    const char *former, long nformer) {
  if (rank == where) file_fault_arm(kind, call);
  op2_status status = write_mesh(LATER, mode);
  int reached = sum(rank == where ? file_fault_disarm() : 0);
  int failed = sum(status != OP2_SUCCESS);
  int want = reached && kind != FAULT_SHORT ? ranks : 0;
  int wrong = failed != want;
  if (status && (status != OP2_ERR_IO || !strstr(op2_error_message(), ".op2-part"))) wrong = 1;
  if (want && rank == 0 && !is_intact(former, nformer)) wrong = 1;
  wrong = sum(wrong);
  if (wrong && rank == 0)
    printf("# fault %d at call %d of rank %d: %d of %d ranks failed, %s\n", kind, call, where,
           failed, ranks, status ? op2_error_message() : "no message");
  if (!want && write_mesh(FORMER, OP2_FILE_CREATE)) wrong = 1;
  return reached ? wrong : wrong ? wrong : -1;
}

static int fail_each(op2_file_mode mode) {
  /* Ranks that outnumber the cores take long, so only some of their calls fail, with a different
   * start each time. */
  const int step = ranks > 1 && !thorough() ? 7 : 1;
  int wrong = 0, tried = 0;
  long n = 0;
  if (write_mesh(FORMER, OP2_FILE_CREATE)) return 1;
  char *former = rank == 0 ? bytes_of(&n) : NULL;
  for (int kind = FAULT_ENOSPC; kind < FAULT_KINDS; kind++)
    for (int where = 0; where < ranks && kind != FAULT_KILL; where++) {
      int got = 0, first = 1 + (kind + where) % step;
      if (kind >= FAULT_CUT) first = 1;
      if (kind >= FAULT_CUT && where > 0) break; /* what others lose the first rank writes again */
      for (int call = first; got >= 0; call += step) {
        got = fail_one((enum file_fault)kind, where, call, mode, former, n);
        if (got > 0) wrong++;
        tried += got >= 0;
      }
    }
  free(former);
  if (rank == 0) printf("# %d calls failed, %d of them wrongly\n", tried, wrong);
  return wrong + (tried < 5);
}

/* The rank that is killed ends the whole job. */
static int kill_one(int where, int call) {
  if (rank == where) file_fault_arm(FAULT_KILL, call);
  return write_mesh(LATER, OP2_FILE_CREATE) != OP2_SUCCESS;
}

static op2_status write_large(void) {
  op2_set set = NULL;
  op2_dat dat = NULL;
  op2_file file = NULL;
  op2_status status = op2_set_create(ctx, 400000 / ranks, "many", &set), closed;
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "large", &dat);
  if (!status) status = op2_file_open(ctx, path, OP2_FILE_CREATE, &file);
  if (!status) status = op2_file_write_dat(file, dat, NULL);
  closed = op2_file_close(&file);
  if (!closed) status = OP2_SUCCESS; /* a file with missing contents must not be kept */
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  return status;
}

static int fill_disk(void) {
  long n = 0;
  if (write_mesh(FORMER, OP2_FILE_CREATE)) return 1;
  char *former = rank == 0 ? bytes_of(&n) : NULL;
  op2_status status = write_large();
  int wrong = status != OP2_ERR_IO || !strstr(op2_error_message(), "No space left");
  if (rank == 0 && !is_intact(former, n)) wrong = 1;
  if (wrong) printf("# rank %d: %s\n", rank, status ? op2_error_message() : "no failure");
  free(former);
  return wrong + (write_mesh(LATER, OP2_FILE_CREATE) != OP2_SUCCESS);
}

/* Every call on a file whose context has ended reports that, on every rank. */
static int call_late(op2_file file, op2_set set, op2_dat dat, op2_map map) {
  double value = 1;
  int64_t rows;
  int columns;
  op2_type type;
  op2_set s = NULL;
  op2_dat d = NULL;
  op2_map m = NULL;
  const op2_status got[] = {op2_file_read_set(file, "nodes", &s),
                            op2_file_read_map(file, set, set, 1, "m", &m),
                            op2_file_read_dat(file, set, 1, OP2_F64, "d", &d),
                            op2_file_read_const(file, 1, OP2_F64, "gam", &value),
                            op2_file_read_rows(file, "d", 0, 1, 1, OP2_F64, &value),
                            op2_file_shape(file, "d", &rows, &columns, &type),
                            op2_file_write_set(file, set, "s2"),
                            op2_file_write_map(file, map, "m2"),
                            op2_file_write_dat(file, dat, "d2"),
                            op2_file_write_const(file, 1, OP2_F64, "c2", &value),
                            op2_file_close(&file)};
  int wrong = file != NULL;
  for (size_t i = 0; i < sizeof got / sizeof *got; i++) wrong += got[i] != OP2_ERR_STATE;
  return wrong;
}

static int end_early(void) {
  long n = 0;
  int wrong = 0;
  op2_options options = {.backend = "sequential"};
  if (write_mesh(FORMER, OP2_FILE_CREATE)) return 1;
  char *former = rank == 0 ? bytes_of(&n) : NULL;
  for (op2_file_mode mode = OP2_FILE_READ; mode <= OP2_FILE_ADD; mode++) {
    op2_file file = NULL;
    op2_set set = NULL;
    op2_dat dat = NULL;
    op2_map map = NULL;
    int64_t entry[2] = {0, 0};
    if (op2_set_create(ctx, 2, "set", &set) ||
        op2_map_create_global(set, set, 1, entry, "m", &map) ||
        op2_dat_create(set, 1, OP2_F64, NULL, "d", &dat) || op2_file_open(ctx, path, mode, &file) ||
        (mode != OP2_FILE_READ && op2_file_write_dat(file, dat, NULL)) || op2_finalize(&ctx))
      return 1;
    wrong += call_late(file, set, dat, map);
    op2_dat_destroy(&dat);
    op2_map_destroy(&map);
    op2_set_destroy(&set);
    if (ranks > 1 ? op2_init_mpi(&options, MPI_COMM_WORLD, &ctx) : op2_init(&options, &ctx))
      return 1;
    wrong += rank == 0 && !is_intact(former, n);
  }
  free(former);
  return wrong;
}

static int run(int argc, char **argv) {
  const char *what = argv[1];
  path = argv[argc - 1];
  if (strcmp(what, "make") == 0)
    return write_mesh(strtoull(argv[3], NULL, 10), OP2_FILE_CREATE) != OP2_SUCCESS;
  if (strcmp(what, "fail") == 0) return fail_each(OP2_FILE_CREATE) + fail_each(OP2_FILE_ADD);
  if (strcmp(what, "kill") == 0) return kill_one(atoi(argv[3]), atoi(argv[4]));
  if (strcmp(what, "full") == 0) return fill_disk();
  return end_early();
}

int main(int argc, char **argv) {
  op2_options options = {.backend = "sequential"};
  if (argc < 4) return 2;
  const bool alone = strcmp(argv[2], "alone") == 0;
  if (!alone) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  if (alone ? op2_init(&options, &ctx) : op2_init_mpi(&options, MPI_COMM_WORLD, &ctx)) return 3;
  int wrong = run(argc, argv);
  if (wrong) printf("# rank %d: %d wrong: %s\n", rank, wrong, op2_error_message());
  wrong += op2_finalize(&ctx) != OP2_SUCCESS;
  wrong = sum(wrong);
  fflush(stdout);
  if (!alone) MPI_Finalize();
  return wrong != 0;
}
