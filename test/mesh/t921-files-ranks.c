/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes in files over ranks of MPI; run by t921-files-ranks.sh, which chooses the task:
 *   write SEED FILE          declare a mesh in blocks and write it
 *   alone SEED FILE          the same in a context without ranks
 *   copy SEED FILE TO        read it, partition it, check its values and write it
 *   read SEED FILE           read it, and print the outcome on each rank
 *   name FILE                write a file whose name only one rank knows
 *   apart read FOLDER NAME   open NAME while rank 1 is in another folder; or create it */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_case.h"
#include "op2/mpi.h"
#include "support.h"

static int rank;

static int failed(const char *what) {
  printf("rank %d: %s: %s\n", rank, what, op2_error_message());
  return 1;
}

static int write_mesh(op2_context ctx, const struct file_mesh *mesh, const char *path) {
  struct file_objects objects;
  int wrong = 0;
  if (file_mesh_declare(ctx, mesh, &objects) || file_mesh_write(ctx, path, mesh, &objects))
    wrong = failed("writing");
  file_objects_destroy(&objects);
  return wrong;
}

/* Write the mesh as it was read, in blocks, and again after it was partitioned. */
static int copy_mesh(op2_context ctx, const struct file_mesh *mesh, const char *path,
                     const char *to) {
  struct file_objects objects;
  op2_file file = NULL;
  op2_dat late = NULL;
  int wrong = 0;
  if (file_mesh_read(ctx, path, mesh, &objects)) return failed("reading");
  wrong += file_mesh_differs(mesh, &objects);
  if (file_mesh_write(ctx, to, mesh, &objects)) wrong += failed("writing blocks");
  if (!rank) wrong += !file_equal(path, to);
  /* the edges are scattered over the ranks, all else follows them */
  int64_t n = op2_set_size(objects.sets[1]);
  int32_t *owner = calloc((size_t)n + 1, sizeof *owner);
  uint64_t state = 5 + (uint64_t)rank;
  for (int64_t i = 0; i < n; i++) owner[i] = draw_below(&state, op2_ranks(ctx));
  const op2_partition_options how = {
      .method = OP2_PARTITION_GIVEN, .set = objects.sets[1], .owner = owner};
  if (op2_partition(ctx, &how, NULL)) wrong += failed("partitioning");
  free(owner);
  wrong += file_mesh_differs(mesh, &objects);
  if (file_mesh_write(ctx, to, mesh, &objects)) wrong += failed("writing parts");
  /* a dat that is read after its set was partitioned */
  if (op2_file_open(ctx, path, OP2_FILE_READ, &file) ||
      op2_file_read_dat(file, objects.sets[mesh->set[0]], mesh->dim[0], mesh->type[0], "p_0",
                        &late) ||
      op2_file_close(&file))
    wrong += failed("reading late");
  op2_dat_destroy(&objects.dats[0]);
  objects.dats[0] = late;
  wrong += file_mesh_differs(mesh, &objects);
  file_objects_destroy(&objects);
  return wrong;
}

static int read_mesh(op2_context ctx, const struct file_mesh *mesh, const char *path) {
  struct file_objects objects;
  if (file_mesh_read(ctx, path, mesh, &objects))
    failed("reading");
  else
    printf("rank %d: reading: good\n", rank);
  file_objects_destroy(&objects);
  return 0;
}

static int name_mesh(op2_context ctx, const char *path) {
  op2_file file = NULL;
  op2_set set = NULL;
  if (op2_set_create(ctx, 2, "set", &set) || op2_file_open(ctx, path, OP2_FILE_CREATE, &file))
    return failed("beginning");
  if (op2_file_write_set(file, set, rank == 1 ? "" : "name") == OP2_ERR_NAME) failed("naming");
  int wrong = op2_file_close(&file) != OP2_SUCCESS;
  op2_set_destroy(&set);
  return wrong;
}

/* Rank 1 works in another folder, as if each machine had disks of its own. */
static int open_apart(op2_context ctx, const char *how, const char *folder, const char *path) {
  op2_file file = NULL;
  if (rank == 1 && chdir(folder) != 0) return failed("going there");
  const op2_file_mode mode = strcmp(how, "read") == 0 ? OP2_FILE_READ : OP2_FILE_CREATE;
  if (op2_file_open(ctx, path, mode, &file) == OP2_ERR_IO)
    failed("apart");
  else
    printf("rank %d: opened\n", rank);
  return op2_file_close(&file) != OP2_SUCCESS;
}

int main(int argc, char **argv) {
  op2_context ctx;
  op2_options options = {.backend = "sequential"};
  struct file_mesh mesh;
  int wrong, all;
  if (argc < 3) return 2;
  const char *what = argv[1], *last = argv[argc - 1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  file_mesh_make(&mesh, strtoull(argv[2], NULL, 10));
  const bool alone = strcmp(what, "alone") == 0;
  if (alone ? op2_init(&options, &ctx) : op2_init_mpi(&options, MPI_COMM_WORLD, &ctx))
    return failed("beginning");
  if (alone || strcmp(what, "write") == 0)
    wrong = write_mesh(ctx, &mesh, argv[3]);
  else if (strcmp(what, "copy") == 0)
    wrong = copy_mesh(ctx, &mesh, argv[3], last);
  else if (strcmp(what, "read") == 0)
    wrong = read_mesh(ctx, &mesh, argv[3]);
  else if (strcmp(what, "apart") == 0)
    wrong = open_apart(ctx, argv[2], argv[3], last);
  else
    wrong = name_mesh(ctx, last);
  wrong += op2_finalize(&ctx) != OP2_SUCCESS;
  file_mesh_free(&mesh);
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all);
  fflush(stdout);
  MPI_Finalize();
  return all != 0;
}
