/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults planted in the text of loops that run by each strategy for shared targets: each is found,
 * by the emulation's checks of memory or by the result. Runs on the emulation (test/emulation)
 * only. */
#include "emulation_case.h"
#include "support.h"

/* Faults in the values that elements store, and in the sums of targets. */
static const struct emulation_fault gather[] = {
    {"a value that no element leaves", INCREMENT,
     "s~((OP2_GLOBAL double *)(op2_kept + (0 + 1) * (op2_hi - op2_lo)))[op2_position - op2_lo] = "
     "~~",
     "never written"},
    {"two components in one array", INCREMENT,
     "s~(2 + 0) * (op2_hi - op2_lo)))[op2_position - op2_lo] =~"
     "(1 + 0) * (op2_hi - op2_lo)))[op2_position - op2_lo] =~",
     "never written"},
    {"all elements leave it in one place", INCREMENT,
     "s~[op2_position - op2_lo] = op2_own3[0]~[0] = op2_own3[0]~", ""},
    {"the next element's value", INCREMENT,
     "s~(0 + 0) * (op2_hi - op2_lo)))[op2_position - op2_lo];~"
     "(0 + 0) * (op2_hi - op2_lo)))[op2_position - op2_lo + 1];~",
     NULL},
    {"an element too many", INCREMENT, "s~if (op2_position < op2_hi)~if (op2_position <= op2_hi)~",
     "outside"},
    {"a target too many", INCREMENT, "s~if (op2_at >= op2_n0)~if (op2_at > op2_n0)~", "outside"},
    {"the target after", INCREMENT, "s~: op2_at;~: op2_at + 1;~", ""},
    {"an entry too few", INCREMENT, "s~op2_i < op2_t1[op2_at + 1]~op2_i + 1 < op2_t1[op2_at + 1]~",
     NULL},
    {"an entry's element", INCREMENT, "s~op2_lo + op2_entry / 2u~op2_lo + op2_entry % 2u~", NULL},
    {"the wrong column", INCREMENT, "s~op2_column == 0~op2_column == 1~", NULL},
    {"what a target had is lost", INCREMENT,
     "s~op2_sum2[0] = op2_v.x; op2_sum2[1] = op2_v.y;~op2_sum2[0] = 0; op2_sum2[1] = 0;~", NULL},
    {"sums that are stored in the wrong order", INCREMENT,
     "s~0, op2_sum2[0], op2_sum2[1]);~0, op2_sum2[1], op2_sum2[0]);~", NULL},
    {"a minimum of maxima", HIGHEST, "s~> op2_sum1[0]~< op2_sum1[0]~", NULL},
    {"the partial result of the tile after", BESIDES,
     "s~(op2_partial + 0 * op2_n0))[op2_lane];~(op2_partial + 0 * op2_n0))[op2_lane + 1];~",
     "never written"},
};

/* Elements add concurrently with atomics. */
static const struct emulation_fault atomics[] = {
    {"a plain sum", INCREMENT,
     "s~atomicAdd(&op2_dat2[2 * op2_map0_0 + 0], op2_own3[0 + 0])~"
     "op2_dat2[2 * op2_map0_0 + 0] += op2_own3[0 + 0]~",
     ""},
    {"a plain sum beside atomic ones", INCREMENT,
     "s~atomicAdd(&op2_dat2[2 * op2_map0_1 + 1], op2_own4[0 + 1])~"
     "op2_dat2[2 * op2_map0_1 + 1] += op2_own4[0 + 1]~",
     ""},
    {"the other target", INCREMENT,
     "s~&op2_dat2[2 * op2_map0_1 + 0]~&op2_dat2[2 * op2_map0_0 + 0]~", NULL},
    {"the other component", INCREMENT, "s~op2_own3[0 + 1])~op2_own3[0 + 0])~", NULL},
    {"a component that rows lack", INCREMENT,
     "s~&op2_dat2[2 * op2_map0_1 + 1]~&op2_dat2[2 * op2_map0_1 + 3]~", "outside"},
    {"an address that is not aligned", INCREMENT,
     "s~atomicAdd(&op2_dat2[2 * op2_map0_0 + 0]~"
     "atomicAdd((double *)((char *)op2_dat2 + 4) + (2 * op2_map0_0 + 0)~",
     "aligned"},
    {"an element too many", INCREMENT, "s~if (op2_position < op2_hi)~if (op2_position <= op2_hi)~",
     "outside"},
    {"all blocks at the first one's place", INCREMENT,
     "s~op2_base = op2_lo + op2_group() * op2_items()~op2_base = op2_lo~", NULL},
    {"the map's other column", INCREMENT, "s~op2_map0_1 = op2_slots0.y~op2_map0_1 = op2_slots0.x~",
     NULL},
    {"a maximum that is put back plainly", HIGHEST,
     "s~op2_found = op2_swap64(op2_p, op2_was.op2_word, op2_is.op2_word);~"
     "*(uint64_t *)op2_p = op2_is.op2_word;~",
     ""},
    {"a minimum in its place", HIGHEST, "s~op2_b > op2_a~op2_b < op2_a~", NULL},
};

/* The blocks of a colour run together, and the elements of a block are serialised. */
static const struct emulation_fault unstaged[] = {
    {"all colours at once", INCREMENT, "s~op2_turn == op2_colour~op2_turn == 0 && op2_colour >= 0~",
     ""},
    {"a colour too few", INCREMENT,
     "s~op2_turn < op2_t1[op2_block]~op2_turn + 1 < op2_t1[op2_block]~", NULL},
    {"no barrier between colours", INCREMENT, "s~    }\n    op2_wait();\n  }\n}~    }\n  }\n}~",
     ""},
    {"the colours of the first block", INCREMENT,
     "s~op2_t2[op2_position - op2_lo]~op2_t2[op2_item()]~", ""},
    {"the block after", INCREMENT,
     "s~op2_t0[op2_n1 + op2_group()]~op2_t0[op2_n1 + op2_group() + 1]~", ""},
    {"one block for all groups", IN_TURN, "s~op2_t0[op2_n1 + op2_group()]~op2_t0[op2_n1]~", ""},
    {"an element too many", INCREMENT, "s~op2_position < op2_end ?~op2_position <= op2_end ?~",
     "outside"},
    {"a last block as long as others", INCREMENT, "s~: op2_hi;~: op2_begin + op2_n0;~", "outside"},
    {"the other target", INCREMENT, "s~op2_map0_1 = op2_slots0.y~op2_map0_1 = op2_slots0.x~", NULL},
    {"values set, not added", INCREMENT, "s~+ 0] += op2_own3~+ 0] = op2_own3~", NULL},
    {"no barrier before a tree", BESIDES,
     "s~  op2_wait();\n  for (int op2_width~  for (int op2_width~", ""},
    {"values set in place with no barrier between colours", IN_TURN,
     "s~    }\n    op2_wait();\n  }\n~    }\n  }\n~", ""},
    {"values set in place a colour too few", IN_TURN,
     "s~op2_turn < op2_t1[op2_block]~op2_turn + 1 < op2_t1[op2_block]~", NULL},
};

/* The same with groups smaller than a block. */
static const struct emulation_fault in_turn[] = {
    {"all colours at once", INCREMENT, "s~!= op2_turn) continue~< 0) continue~", ""},
    {"strides of twice a group", INCREMENT,
     "s~op2_position += op2_items()~op2_position += 2 * op2_items()~", NULL},
    {"strides of half a group", INCREMENT,
     "s~op2_position += op2_items()~op2_position += op2_items() / 2~", ""},
    {"an element too many", INCREMENT, "s~op2_position < op2_end;~op2_position <= op2_end;~", ""},
};

/* A group computes the elements that reach its targets, and adds through shared memory. */
static const struct emulation_fault owner[] = {
    {"no barrier before sums", INCREMENT,
     "s~  }\n  op2_wait();\n  const int64_t op2_begin~  }\n  const int64_t op2_begin~", ""},
    {"an element too few", INCREMENT, "s~op2_left < op2_count~op2_left + 1 < op2_count~",
     "never written"},
    {"the group after's elements too", INCREMENT,
     "s~op2_t4[op2_group() + 1]~op2_t4[op2_group() + 2]~", ""},
    {"the first group's elements", INCREMENT, "s~op2_t3[op2_first + op2_left]~op2_t3[op2_left]~",
     NULL},
    {"two components in one array", INCREMENT,
     "s~(2 + 0) * op2_count))[op2_left] =~(1 + 0) * op2_count))[op2_left] =~", "never written"},
    {"an array as long as there are targets", INCREMENT,
     "s~(2 + 1) * op2_count))[op2_left] =~(2 + 1) * op2_n1))[op2_left] =~", ""},
    {"another element's value", INCREMENT, "s~(int)(op2_entry / 2u)~(int)(op2_entry / 2u) + 1~",
     ""},
    {"the wrong column", INCREMENT,
     "s~/ 2u);\n    if (op2_column == 0)~/ 2u);\n    if (op2_column == 1)~", NULL},
    {"a target too many", INCREMENT, "s~op2_at < op2_end~op2_at <= op2_end~", ""},
    {"all groups at the first one's targets", INCREMENT,
     "s~op2_begin = op2_group() * op2_n1~op2_begin = 0~", ""},
    {"the target after", INCREMENT,
     "s~op2_items()) {\n  const int64_t op2_target = op2_t0 ? op2_t0[op2_at] : op2_at;~"
     "op2_items()) {\n  const int64_t op2_target = op2_t0 ? op2_t0[op2_at] : op2_at + 1;~",
     ""},
    {"a last group as long as others", INCREMENT, "s~: op2_n0;\n~: op2_begin + op2_n1;\n~", ""},
};

static const struct list {
  const char *strategy, *device;
  int n;
  const struct emulation_fault *faults;
} lists[] = {
#define LIST(faults_) sizeof faults_ / sizeof *faults_, faults_
    {"gather", "", LIST(gather)},     {"atomics", "", LIST(atomics)},
    {"unstaged", "", LIST(unstaged)}, {"unstaged", "threads=64", LIST(in_turn)},
    {"owner", "", LIST(owner)},
};

int main(void) {
  if (!emulation_begin()) return done();
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
    for (int f = 0; f < lists[l].n; f++)
      emulation_find(&lists[l].faults[f], lists[l].strategy, lists[l].device);
  emulation_end();
  return done();
}
