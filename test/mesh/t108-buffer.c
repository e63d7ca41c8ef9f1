/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers: a request for rows on the host or a device gets the values written last, wherever that
 * was; only rows that are out of date and not overwritten are copied; rows that are out of date are
 * spoilt; and the epoch changes exactly when some other state has changed. */
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "context.h"
#include "device.h"
#include "mem.h"
#include "support.h"

enum { OWNED = 24, HALO = 9, ROWS = OWNED + HALO, STEPS = 400 };

struct model {
  struct op2i_buffer buffer;
  int64_t values[ROWS]; /* the expected values */
  int64_t epoch;
  int wrong, moved;
};

static bool is_spoilt(int64_t value) { return (uint64_t)value == 0x7FF7A5A57FF7A5A5u; }

static bool in_rows(unsigned rows, int r) {
  return rows & (r < OWNED ? OP2I_OWNED_ROWS : OP2I_HALO_ROWS);
}

static int64_t bytes_of(unsigned rows) {
  return ((rows & OP2I_OWNED_ROWS ? OWNED : 0) + (rows & OP2I_HALO_ROWS ? HALO : 0)) * 8;
}

/* True if a request copied exactly the rows that it asks for, that are fresh only on the other
 * side, and that it does not overwrite. */
static bool moves(const struct op2i_buffer *before, const struct op2i_device_counts *counts,
                  enum op2i_place place, op2_access access, unsigned rows) {
  const struct op2i_device_counts *now = &test_ctx->shadow->counts;
  unsigned missing = access == OP2_WRITE || !op2i_buffer_has_memory(before)
                         ? 0
                         : rows & ~(unsigned)before->fresh[place];
  int64_t puts = place == OP2I_SHADOW && missing, gets = place == OP2I_HOST && missing;
  return now->puts - counts->puts == puts && now->gets - counts->gets == gets &&
         now->put_bytes - counts->put_bytes == puts * bytes_of(missing) &&
         now->get_bytes - counts->get_bytes == gets * bytes_of(missing);
}

/* True if the state agrees with the memory and the fresh rows of both sides. */
static bool states(const struct op2i_buffer *buffer) {
  bool good = true;
  for (unsigned part = OP2I_OWNED_ROWS; part <= OP2I_HALO_ROWS; part <<= 1) {
    bool here = buffer->fresh[OP2I_HOST] & part, there = buffer->fresh[OP2I_SHADOW] & part;
    op2_data_state want = !buffer->at[OP2I_SHADOW] ? OP2_STATE_DEVICE_UNALLOCATED
                          : !buffer->at[OP2I_HOST] ? OP2_STATE_HOST_UNALLOCATED
                          : here && there          ? OP2_STATE_BOTH
                          : here                   ? OP2_STATE_HOST
                                                   : OP2_STATE_DEVICE;
    good = good && op2i_buffer_state(buffer, part) == want;
  }
  return good;
}

/* Request rows for reading or writing, compare the values that may be read, and write all rows
 * requested for writing. */
static void ask(struct model *m, uint64_t *seed) {
  static const op2_access modes[] = {OP2_READ, OP2_WRITE, OP2_RW};
  const op2_access access = modes[draw_below(seed, 3)];
  const enum op2i_place place = draw_below(seed, 2) ? OP2I_SHADOW : OP2I_HOST;
  const unsigned rows = 1 + (unsigned)draw_below(seed, 3);
  const struct op2i_buffer before = m->buffer;
  const struct op2i_device_counts counts = test_ctx->shadow->counts;
  void *data = NULL;
  MUST(op2i_buffer_at(&m->buffer, place, access, rows, &data));
  int64_t *values = data;
  m->wrong += !moves(&before, &counts, place, access, rows) + !states(&m->buffer);
  for (int r = 0; r < ROWS; r++) {
    if (!in_rows(rows, r)) continue;
    if (access != OP2_WRITE) m->wrong += values[r] != m->values[r];
    if (access != OP2_READ) values[r] = m->values[r] = (int64_t)draw(seed);
  }
  const bool changed = memcmp(before.at, m->buffer.at, sizeof before.at) != 0 ||
                       memcmp(before.fresh, m->buffer.fresh, sizeof before.fresh) != 0;
  m->wrong += changed != (test_ctx->epoch != m->epoch);
  m->moved += changed;
  m->epoch = test_ctx->epoch;
}

/* Every row is fresh somewhere, and spoilt where it is not fresh. */
static void look(struct model *m) {
  for (int r = 0; r < ROWS; r++) {
    int fresh = 0;
    for (int p = 0; p < OP2I_NPLACES; p++) {
      const int64_t *at = m->buffer.at[p];
      if (!at) continue;
      if (in_rows(m->buffer.fresh[p], r))
        fresh++, m->wrong += at[r] != m->values[r];
      else
        m->wrong += !is_spoilt(at[r]);
    }
    m->wrong += fresh == 0;
  }
}

static void sequences(void) {
  struct model m;
  int64_t borrowed[ROWS];
  for (uint64_t seed = 1; seed <= 200; seed++) {
    uint64_t state = seed;
    m = (struct model){.epoch = test_ctx->epoch};
    op2i_buffer_init(&m.buffer, test_ctx, sizeof m.values, OWNED * sizeof *m.values, true);
    if (seed % 3 == 0) {
      for (int r = 0; r < ROWS; r++) m.values[r] = borrowed[r] = r;
      op2i_buffer_replace(&m.buffer, borrowed, true);
      m.epoch = test_ctx->epoch;
    }
    for (int s = 0; s < STEPS / 10; s++) {
      ask(&m, &state);
      look(&m);
    }
    EXPECT(m.wrong == 0 && m.moved > 3);
    op2i_buffer_free(&m.buffer);
    EXPECT(!op2i_buffer_has_memory(&m.buffer));
  }
}

/* Requests that change no state leave the epoch as it is. */
static void settled(void) {
  struct op2i_buffer buffer;
  void *data;
  op2i_buffer_init(&buffer, test_ctx, ROWS, OWNED, true);
  MUST(op2i_buffer_at(&buffer, OP2I_SHADOW, OP2_WRITE, OP2I_OWNED_ROWS, &data));
  MUST(op2i_buffer_at(&buffer, OP2I_HOST, OP2_READ, OP2I_EVERY_ROW, &data));
  MUST(op2i_buffer_at(&buffer, OP2I_SHADOW, OP2_RW, OP2I_EVERY_ROW, &data));
  const int64_t epoch = test_ctx->epoch;
  MUST(op2i_buffer_at(&buffer, OP2I_SHADOW, OP2_READ, OP2I_EVERY_ROW, &data));
  MUST(op2i_buffer_at(&buffer, OP2I_SHADOW, OP2_WRITE, OP2I_OWNED_ROWS, &data));
  EXPECT(test_ctx->epoch == epoch);
  MUST(op2i_buffer_at(&buffer, OP2I_HOST, OP2_READ, OP2I_HALO_ROWS, &data));
  EXPECT(test_ctx->epoch == epoch + 1);
  MUST(op2i_buffer_at(&buffer, OP2I_HOST, OP2_READ, OP2I_HALO_ROWS, &data));
  EXPECT(test_ctx->epoch == epoch + 1);
  op2i_buffer_free(&buffer);
}

static void no_memory(void) {
  struct op2i_buffer buffer;
  void *data = NULL;
  op2i_buffer_init(&buffer, test_ctx, ROWS, OWNED, true);
  const int64_t epoch = test_ctx->epoch;
  op2i_mem_fail_at(1);
  EXPECT(op2i_buffer_at(&buffer, OP2I_SHADOW, OP2_RW, OP2I_EVERY_ROW, &data) == OP2_ERR_NOMEM);
  op2i_mem_fail_at(0);
  EXPECT(!data && !op2i_buffer_has_memory(&buffer) && test_ctx->epoch == epoch);
  MUST(op2i_buffer_at(&buffer, OP2I_HOST, OP2_WRITE, OP2I_EVERY_ROW, &data));
  memset(data, 7, ROWS);
  op2i_mem_fail_at(1);
  EXPECT(op2i_buffer_at(&buffer, OP2I_SHADOW, OP2_RW, OP2I_EVERY_ROW, &data) == OP2_ERR_NOMEM);
  op2i_mem_fail_at(0);
  MUST(op2i_buffer_at(&buffer, OP2I_SHADOW, OP2_RW, OP2I_HALO_ROWS, &data));
  EXPECT(((unsigned char *)data)[ROWS - 1] == 7);
  op2i_buffer_free(&buffer);
}

OP2_KERNEL(seven, (int64_t *x), { *x = 7; });

/* A loop that gets no memory for its values, on the host or on the device, gets it when it is
 * queued again. */
static void no_memory_in_a_loop(void) {
  op2_set set = new_set(ROWS, "cells");
  op2_kernel seven = new_kernel(&seven_kernel);
  op2_status status = OP2_ERR_NOMEM;
  op2_dat x = new_dat(set, 1, OP2_I64, NULL, "warm");
  MUST(op2_par_loop(seven, set, op2_arg_direct(x, OP2_WRITE)));
  MUST(op2_flush(test_ctx));
  for (int n = 1; status && n < 1000; n++) {
    x = new_dat(set, 1, OP2_I64, NULL, "x");
    MUST(op2_par_loop(seven, set, op2_arg_direct(x, OP2_WRITE)));
    op2i_mem_fail_at(n);
    status = op2_flush(test_ctx);
    op2i_mem_fail_at(0);
    EXPECT(!status || status == OP2_ERR_NOMEM);
    MUST(op2_par_loop(seven, set, op2_arg_direct(x, OP2_WRITE)));
    if (op2_flush(test_ctx)) diag("at allocation %d", n);
    EXPECT_VALUES(int64_t, x, ROWS, i, 7);
  }
  EXPECT(!status);
}

static const struct test_case cases[] = {
    {"random requests in two places", sequences},
    {"requests that change nothing", settled},
    {"no memory in a place", no_memory},
    {"no memory for a loop's values", no_memory_in_a_loop},
};

int main(void) {
  setenv("OP2_SHADOW", "1", 1);
  return RUN(cases, RUN_LAZY_ONLY | RUN_ONE_BLOCK);
}
