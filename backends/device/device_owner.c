/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of targets, and the elements that each block has to compute. Elements at the boundary of
 * several blocks belong to all of them. */
#include "device_owner.h"

#include <stdbool.h>

#include "error.h"
#include "loop_device.h"
#include "mem.h"
#include "sort.h"

static int64_t element_of(const struct op2i_owner *o, int64_t i) {
  return (int64_t)(uint32_t)o->entries[i] / o->ncolumns;
}

/* List the elements of each block, and count how many of them are distinct. */
static op2_status list_elements(struct op2i_owner *o, int64_t *keys) {
  int64_t count = 0, total = o->starts[o->ntargets], of_block = 0;
  for (int64_t t = 0; t < o->ntargets; t++)
    for (int64_t i = o->starts[t]; i < o->starts[t + 1]; i++)
      keys[i] = t / o->block * o->n + element_of(o, i);
  op2_status status = op2i_sort(total, keys, NULL);
  if (status) return status;
  o->most = 0;
  o->nblocks = (o->ntargets + o->block - 1) / o->block;
  for (int64_t b = 0, i = 0; b < o->nblocks; b++) {
    o->begin[b] = (int32_t)count;
    for (of_block = 0; i < total && keys[i] / o->n == b; i++) {
      if (of_block > 0 && keys[i] % o->n == o->elements[count - 1]) continue;
      o->elements[count++] = (int32_t)(keys[i] % o->n);
      of_block++;
    }
    if (of_block > o->most) o->most = of_block;
  }
  o->begin[o->nblocks] = (int32_t)count;
  return OP2_SUCCESS;
}

static void renumber(struct op2i_owner *o, int32_t *local) {
  for (int64_t b = 0; b < o->nblocks; b++) {
    int64_t end = (b + 1) * o->block < o->ntargets ? (b + 1) * o->block : o->ntargets;
    for (int32_t k = o->begin[b]; k < o->begin[b + 1]; k++) local[o->elements[k]] = k - o->begin[b];
    for (int64_t i = o->starts[b * o->block]; i < o->starts[end]; i++) {
      int64_t column = (int64_t)(uint32_t)o->entries[i] % o->ncolumns;
      o->entries[i] = (int32_t)(local[element_of(o, i)] * o->ncolumns + column);
    }
  }
}

op2_status op2i_owner_blocks(struct op2i_owner *o) {
  size_t total = (size_t)o->starts[o->ntargets];
  int64_t *keys = op2i_malloc((total + 1) * sizeof *keys);
  int32_t *local = op2i_malloc(((size_t)o->n + 1) * sizeof *local);
  o->begin = op2i_malloc(((size_t)o->ntargets + 1) * sizeof *o->begin);
  o->elements = op2i_malloc((total + 1) * sizeof *o->elements);
  bool good = keys && local && o->begin && o->elements;
  op2_status status = good ? OP2_SUCCESS : op2i_error_nomem("tables of a loop on a device");
  o->block = OP2I_DEVICE_GROUP;
  while (!status && o->block > 0) {
    status = list_elements(o, keys);
    if (status || o->most <= o->room) break;
    o->block /= 2;
  }
  if (!status && o->block > 0) renumber(o, local);
  op2i_free(keys);
  op2i_free(local);
  return status;
}
