/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of queued loops: pieces are aligned and do not overlap, freed ones are reused for the same
 * size, and none is handed out if memory is exhausted. */
#include <stdint.h>
#include <string.h>

#include "mem.h"
#include "slab.h"
#include "tap.h"

enum { PIECES = 4000 };

static size_t bytes_of(int i) { return (size_t)(i * 37 % 1200); }

static void test_apart(void) {
  static unsigned char *pieces[PIECES];
  struct op2i_slab slab = {0};
  int missing = 0, crooked = 0, overwritten = 0;
  for (int i = 0; i < PIECES; i++) {
    pieces[i] = op2i_slab_take(&slab, bytes_of(i));
    missing += !pieces[i];
    crooked += (uintptr_t)pieces[i] % OP2I_SLAB_GRAIN != 0;
    if (pieces[i]) memset(pieces[i], i % 251, bytes_of(i));
  }
  for (int i = 0; i < PIECES; i++)
    for (size_t b = 0; pieces[i] && b < bytes_of(i); b++) overwritten += pieces[i][b] != i % 251;
  is_int(missing, 0, "every piece is there");
  is_int(crooked, 0, "and aligned");
  is_int(overwritten, 0, "and keeps its bytes");
  for (int i = 0; i < PIECES; i++) op2i_slab_give(&slab, pieces[i], bytes_of(i));
  op2i_slab_clear(&slab);
}

static void test_again(void) {
  struct op2i_slab slab = {0};
  void *small = op2i_slab_take(&slab, 0), *other = op2i_slab_take(&slab, 100);
  op2i_slab_give(&slab, small, 0);
  op2i_slab_give(&slab, other, 100);
  op2i_mem_fail_at(0);
  ok(op2i_slab_take(&slab, 112) == other, "a piece of the same size comes again");
  ok(op2i_slab_take(&slab, 16) == small, "and so does the smallest");
  ok(op2i_slab_take(&slab, 1) != small, "but only once");
  is_int(op2i_mem_fail_at(0), 0, "without an allocation");
  op2i_slab_clear(&slab);
}

static void test_nomem(void) {
  struct op2i_slab slab = {0};
  op2i_mem_fail_at(1);
  ok(!op2i_slab_take(&slab, 10), "no memory for the first piece");
  void *piece = op2i_slab_take(&slab, 10);
  ok(piece, "and then there is");
  op2i_mem_fail_at(1);
  ok(!op2i_slab_take(&slab, 5000), "no memory for a large one");
  op2i_mem_fail_at(0);
  op2i_slab_clear(&slab);
}

int main(void) {
  test_apart();
  test_again();
  test_nomem();
  return done();
}
