/* SPDX-License-Identifier: BSD-3-Clause */
/* One time for the traces of all ranks. Rank 0 asks each other rank for its time some times; the
 * quickest answer counts, and is taken for one of the middle between question and answer. */
#include "clock.h"
#include "comm.h"
#include "error.h"
#include "mem.h"
#include "trace_file.h"
#include "watch.h"

enum { TAG = 2, ROUNDS = 8, FIELDS = 2 };

/* The messages between rank 0 and another rank: {time of rank 0's origin, difference} and a time. */
struct line {
  struct op2i_message *sends, *receives;
  int64_t question[FIELDS], answer;
};

static op2_status open_line(struct op2i_comm *comm, int peer, struct line *line) {
  const bool asks = comm->rank == 0;
  const struct op2i_envelope question = {asks, peer, TAG, line->question, sizeof line->question},
                             answer = {!asks, peer, TAG, &line->answer, sizeof line->answer};
  op2_status status = comm->kind->open(comm, asks ? &question : &answer, &line->sends);
  return status ? status : comm->kind->open(comm, asks ? &answer : &question, &line->receives);
}

static void close_line(struct op2i_comm *comm, struct line *line) {
  if (line->sends) comm->kind->close(line->sends);
  if (line->receives) comm->kind->close(line->receives);
}

static op2_status pass(struct op2i_comm *comm, struct op2i_message *message) {
  bool over;
  op2_status status = op2i_comm_start(comm, 1, &message);
  return status ? status : op2i_comm_over(comm, 1, &message, true, &over);
}

/* A difference that is less than the answer took is none: the ranks have the same clock. */
static op2_status ask(struct op2i_comm *comm, struct line *line, int64_t origin) {
  int64_t least = INT64_MAX, difference = 0;
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i <= ROUNDS && !status; i++) {
    const int64_t before = op2i_nanoseconds();
    line->question[0] = origin;
    line->question[1] = difference > -least && difference < least ? 0 : difference;
    status = pass(comm, line->sends);
    if (!status) status = pass(comm, line->receives);
    const int64_t took = op2i_nanoseconds() - before;
    if (took >= least) continue;
    least = took;
    difference = line->answer - before - took / 2;
  }
  return status;
}

static op2_status reply(struct op2i_comm *comm, struct line *line, int64_t *origin) {
  op2_status status = OP2_SUCCESS;
  for (int i = 0; i <= ROUNDS && !status; i++) {
    status = pass(comm, line->receives);
    line->answer = op2i_nanoseconds();
    if (!status) status = pass(comm, line->sends);
  }
  *origin = line->question[0] + line->question[1];
  return status;
}

static op2_status align(struct op2i_comm *comm, struct line *lines, int n, int64_t *origin) {
  op2_status status = lines ? OP2_SUCCESS : op2i_error_nomem("a trace");
  for (int l = 0; l < n && !status; l++)
    status = open_line(comm, comm->rank == 0 ? l + 1 : 0, &lines[l]);
  status = op2i_comm_agree(comm, status);
  for (int l = 0; l < n && !status; l++)
    status = comm->rank == 0 ? ask(comm, &lines[l], *origin) : reply(comm, &lines[l], origin);
  return status;
}

op2_status op2i_trace_align(op2_context ctx) {
  struct op2i_comm *comm = ctx->comm;
  const int n = comm->rank == 0 ? comm->size - 1 : 1;
  struct line *lines = op2i_calloc((size_t)n + 1, sizeof *lines);
  op2_status status = align(comm, lines, n, &ctx->trace->origin);
  for (int l = 0; lines && l < n; l++) close_line(comm, &lines[l]);
  op2i_free(lines);
  return status;
}
