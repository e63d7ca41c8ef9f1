/* SPDX-License-Identifier: BSD-3-Clause */
/* Files are encoded and written by a thread beside the loops, one at a time: the call in the queue copies
 * the values, and waits only if the file before is not complete. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vtu.h"

struct op2i_vtu_writer {
  const struct op2i_companion *op2;
  op2_context ctx;
  pthread_t thread;
  bool running;
  pid_t owner; /* a forked child has no such thread */
  struct op2i_vtu_job *job;
  struct {
    void *memory;
    size_t bytes;
  } room[OP2I_VTU_ROOMS];
  int failed; /* the number of the first failure that was not returned; 0: none */
  char path[400];
};

/* Loops go first where the processors have no time left: what the writer takes, all of their workers wait
 * for. */
static void yield_to_loops(void) {
#ifdef __linux__
  enum { NICE = 10 };
  (void)setpriority(PRIO_PROCESS, 0, NICE); /* of this thread alone */
#endif
}

static void *work(void *data) {
  yield_to_loops();
  op2i_vtu_job_write(((struct op2i_vtu_writer *)data)->job);
  return NULL;
}

void op2i_vtu_writer_wait(struct op2i_vtu_writer *writer) {
  if (!writer->running || writer->owner != getpid()) return;
  pthread_join(writer->thread, NULL);
  writer->running = false;
  if (writer->job->failed) {
    writer->op2->log(writer->ctx, 1, "%s: cannot be written (%s)", writer->job->path,
                     strerror(writer->job->failed));
    if (!writer->failed) snprintf(writer->path, sizeof writer->path, "%s", writer->job->path);
    if (!writer->failed) writer->failed = writer->job->failed;
  }
  op2i_vtu_job_free(writer->job);
  writer->job = NULL;
}

void *op2i_vtu_writer_room(struct op2i_vtu_writer *writer, int which, size_t bytes) {
  if (writer->room[which].memory && writer->room[which].bytes >= bytes)
    return writer->room[which].memory;
  writer->op2->free(writer->room[which].memory);
  writer->room[which].memory = writer->op2->calloc(bytes + 1, 1);
  writer->room[which].bytes = bytes;
  return writer->room[which].memory;
}

static void free_rooms(struct op2i_vtu_writer *writer) {
  for (int i = 0; i < OP2I_VTU_ROOMS; i++) {
    writer->op2->free(writer->room[i].memory);
    writer->room[i].memory = NULL;
  }
}

int op2i_vtu_writer_start(struct op2i_vtu_writer *writer, struct op2i_vtu_job *job) {
  writer->job = job;
  writer->owner = getpid();
  if (pthread_create(&writer->thread, NULL, work, writer) == 0) {
    writer->running = true;
    return 0;
  }
  op2i_vtu_job_write(job);
  const int failed = job->failed;
  op2i_vtu_job_free(job);
  return failed;
}

/* An op2i_background_function. */
static op2_status wait_for_files(void *data, bool ends) {
  struct op2i_vtu_writer *writer = data;
  const struct op2i_companion *op2 = writer->op2;
  op2_status status = OP2_SUCCESS;
  op2i_vtu_writer_wait(writer);
  if (writer->failed)
    status = op2->error(OP2_ERR_CALL, "%s: cannot be written (error %d: %s)", writer->path,
                        writer->failed, strerror(writer->failed));
  writer->failed = 0;
  free_rooms(writer);
  if (ends) op2->free(writer);
  return status;
}

op2_status op2i_vtu_writer_get(op2_mesh mesh, struct op2i_vtu_writer **out) {
  if (!mesh->writer) {
    struct op2i_vtu_writer *writer = mesh->op2->calloc(1, sizeof *writer);
    if (!writer) return mesh->op2->error_nomem("a file of results");
    writer->op2 = mesh->op2;
    writer->ctx = mesh->ctx;
    op2_status status = mesh->op2->background_add(mesh->ctx, wait_for_files, writer);
    if (status) {
      mesh->op2->free(writer);
      return status;
    }
    mesh->writer = writer;
  }
  *out = mesh->writer;
  return OP2_SUCCESS;
}
