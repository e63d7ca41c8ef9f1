/* SPDX-License-Identifier: BSD-3-Clause */
/* The newest checkpoint that is not damaged is read. */
#include <inttypes.h>
#include <stdio.h>

#include "checkpoint_parts.h"
#include "log.h"

/* One damaged file is passed over, and rank 0 says so. */
static void pass_over(op2_checkpoint ck, int64_t number, int64_t newest) {
  ck->damaged_from = number;
  ck->damaged_to = newest;
  ck->info.damaged++;
  if (!ck->comm || ck->comm->rank == 0)
    ck->op2->log(ck->ctx, OP2I_LOG_WARN, "checkpoint %06" PRId64 " is damaged and is not read: %s",
                 number, op2_error_message());
}

static op2_status read_one_of(op2_checkpoint ck, int64_t n, const int64_t *numbers, char *name,
                              int64_t *number) {
  op2_status status = OP2_SUCCESS;
  bool damaged = true;
  for (int64_t i = 0; i < n && damaged; i++) {
    op2i_checkpoint_name(ck, numbers[i], name);
    status = op2i_checkpoint_read_file(ck, name, &damaged);
    if (damaged) pass_over(ck, numbers[i], numbers[0]);
    *number = numbers[i];
  }
  if (damaged) {
    char why[512];
    snprintf(why, sizeof why, "%s", op2_error_message());
    return ck->op2->error(OP2_ERR_IO, "checkpoint %s: no file of %" PRId64 " can be read: %s",
                          ck->path, n, why);
  }
  return status;
}

op2_status op2_checkpoint_read(op2_checkpoint ck, bool *found) {
  int64_t n = 0, *numbers = NULL, number = 0;
  op2_status status = op2i_checkpoint_check(ck, "op2_checkpoint_read");
  if (status) return status;
  status = found ? op2i_checkpoint_alive(ck)
                 : ck->op2->error(OP2_ERR_ARG, "op2_checkpoint_read: a null pointer");
  status = op2i_checkpoint_agree(ck, status);
  if (status) return status;
  char *name = ck->op2->calloc(op2i_checkpoint_name_room(ck), 1);
  status = name ? OP2_SUCCESS : ck->op2->error_nomem("the name of a checkpoint");
  status = op2i_checkpoint_agree(ck, status);
  if (!status) status = op2i_checkpoint_list(ck, &n, &numbers);
  ck->damaged_from = ck->damaged_to = 0;
  if (!status && n) status = read_one_of(ck, n, numbers, name, &number);
  ck->op2->free(numbers);
  ck->op2->free(name);
  if (status) return status;
  if (n) ck->info.newest = ck->info.read = number;
  *found = n > 0;
  return OP2_SUCCESS;
}
