/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that a group moves through a device's shared memory: the places of different rows are apart
 * and aligned, and no access has more than two words in a bank. */
#include "loop_case.h"
#include "loop_device.h"
#include "support.h"

enum { WARP = 32, BANKS = 32, GROUP = OP2I_DEVICE_GROUP };

static const op2_type types[] = {OP2_F64, OP2_F32, OP2_I32, OP2_I64, OP2_U32, OP2_I16, OP2_I8};

/* ---- banks ----------------------------------------------------------------------------------- */

/* The most different words of a bank that work items access at once: those of a warp for words of 4
 * bytes, of half of it for 8 bytes, and of a quarter for 16 bytes. */
static int conflicts(const int at[WARP], int bytes) {
  int worst = 0, together = bytes == 16 ? 8 : bytes == 8 ? 16 : WARP;
  for (int first = 0; first < WARP; first += together) {
    int words[BANKS][WARP], n[BANKS] = {0};
    for (int i = first; i < first + together; i++)
      for (int word = at[i] / 4; word <= (at[i] + bytes - 1) / 4; word++) {
        int bank = word % BANKS, seen = 0;
        for (int w = 0; w < n[bank]; w++) seen |= words[bank][w] == word;
        if (!seen) words[bank][n[bank]++] = word;
        if (n[bank] > worst) worst = n[bank];
      }
  }
  return worst;
}

/* All work items together move the pieces of a part. */
static int moving(const struct op2i_device_part *p) {
  int worst = 0, at[WARP];
  for (int k = 0; k < p->pieces; k++)
    for (int warp = 0; warp < GROUP; warp += WARP) {
      for (int i = 0; i < WARP; i++) {
        int nth = warp + i + k * GROUP;
        at[i] = p->at * GROUP + (nth / p->pieces * p->stride + nth % p->pieces) * p->piece;
      }
      int now = conflicts(at, p->piece);
      if (now > worst) worst = now;
    }
  return worst;
}

/* Each work item takes the pieces of its own row. */
static int taking(const struct op2i_device_part *p) {
  int worst = 0, at[WARP];
  for (int j = 0; j < p->pieces; j++) {
    for (int i = 0; i < WARP; i++) at[i] = p->at * GROUP + (i * p->stride + j) * p->piece;
    int now = conflicts(at, p->piece);
    if (now > worst) worst = now;
  }
  return worst;
}

/* Rows that do not consist of words of 4 bytes are not looked at. */
static void few_conflicts(op2_type type) {
  int worst = 0, n = 0;
  for (int dim = 1; dim <= 128; dim++) {
    struct loop_case c;
    struct op2i_device_parts parts;
    if (dim * (int)op2i_type_size(type) % 4 != 0) continue;
    if (case_begin(&c, "k", "void k(double *x) {}")) break;
    case_dat(&c, 0, dim, type, 0, -1, OP2_RW);
    op2i_device_parts(&c.loop, &parts);
    for (int p = 0; p < parts.nparts; p++, n++) {
      int in = moving(&parts.part[p]), out = taking(&parts.part[p]);
      if (in > worst) worst = in;
      if (out > worst) worst = out;
      if (in > 2 || out > 2) diag("dim %d: %d moving, %d taking", dim, in, out);
    }
    case_end(&c);
  }
  ok(worst <= 2 && n > 0, "%s: at most %d words in a bank, %d parts", op2i_type_c(type), worst, n);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* True if two parts may be in shared memory at a time: both loaded, or both stored. */
static bool together(const struct op2i_device_part *p, const struct op2i_device_part *q) {
  return p->round == q->round && ((p->loaded && q->loaded) || (p->stored && q->stored));
}

static int end_of(const struct op2i_device_part *p) { return p->at + p->stride * p->piece; }

static bool apart(const struct op2i_device_part *p, const struct op2i_device_part *q) {
  bool same_rows = p->at == q->at && end_of(p) == end_of(q) && p->piece == q->piece;
  bool far = end_of(p) <= q->at || end_of(q) <= p->at;
  return far || (!together(p, q) && (p->round != q->round || same_rows));
}

static bool right(const struct op2i_device_parts *parts) {
  bool is = parts->bytes <= OP2I_DEVICE_ROUND;
  for (int i = 0; i < parts->nparts; i++) {
    const struct op2i_device_part *p = &parts->part[i];
    is &= p->at % p->piece == 0 && p->stride % 2 == 1 && p->stride >= p->pieces;
    is &= end_of(p) <= parts->bytes && p->round < parts->nrounds;
    for (int j = 0; j < i; j++) is &= apart(p, &parts->part[j]);
  }
  return is;
}

/* The parts of each dat cover its rows. */
static bool whole(const struct op2i_device_parts *parts, int d, int bytes) {
  int pieces = 0, piece = 0, of = 0;
  for (int i = 0; i < parts->nparts; i++) {
    const struct op2i_device_part *p = &parts->part[i];
    if (p->dat != d) continue;
    if (p->first != pieces) return false;
    pieces += p->pieces;
    piece = p->piece;
    of = p->of;
  }
  return pieces == of && (pieces == 0 || pieces * piece == bytes);
}

static void random_loops(void) {
  uint32_t seed = 7;
  int wrong = 0, staged = 0, rounds = 0;
  for (int n = 0; n < 3000; n++) {
    struct loop_case c;
    struct op2i_device_parts parts;
    int dats = 1 + n % CASE_OBJECTS, bytes[CASE_OBJECTS];
    if (case_begin(&c, "k", "void k(double *x) {}")) break;
    for (int d = 0; d < dats; d++) {
      static const op2_access accesses[] = {OP2_READ, OP2_WRITE, OP2_RW};
      seed = seed * 1664525 + 1013904223;
      op2_type type = types[(seed >> 8) % (sizeof types / sizeof *types)];
      int dim = 1 + (int)((seed >> 12) % 40);
      case_dat(&c, d, dim, type, 0, -1, accesses[(seed >> 20) % 3]);
      bytes[d] = dim * (int)op2i_type_size(type);
    }
    op2i_device_parts(&c.loop, &parts);
    bool is = right(&parts);
    for (int d = 0; d < dats; d++) is &= whole(&parts, d, bytes[d]);
    wrong += !is;
    staged += parts.nparts;
    rounds += parts.nrounds > 1;
    case_end(&c);
  }
  ok(wrong == 0 && staged > 0 && rounds > 0,
     "places of %d parts are apart, with several rounds %d times", staged, rounds);
}

/* ---- what a loop needs ----------------------------------------------------------------------- */

/* The bytes of a work item for rows of doubles of which the first is read and the second written. */
static void needs(int read, int written, int bytes, int rounds) {
  struct loop_case c;
  struct op2i_device_parts parts;
  CHECK(case_begin(&c, "k", "void k(double *x) {}"));
  case_dat(&c, 0, read, OP2_F64, 0, -1, OP2_READ);
  case_dat(&c, 1, written, OP2_F64, 0, -1, OP2_WRITE);
  op2i_device_parts(&c.loop, &parts);
  ok(parts.bytes == bytes && parts.nrounds == rounds,
     "rows of %d and %d values: %d bytes, %d rounds", read, written, parts.bytes, parts.nrounds);
  case_end(&c);
}

int main(void) {
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) few_conflicts(types[t]);
  random_loops();
  needs(1, 2, 0, 0);
  needs(4, 1, 48, 1);
  needs(4, 4, 48, 1);
  needs(4, 3, 72, 1);
  needs(8, 16, 144, 2);
  needs(18, 1, 160, 1);
  needs(33, 1, 176, 2);
  needs(160, 1, 144, 10);
  needs(161, 1, 0, 0);
  return done();
}
