/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of steps in the sections of the program. */
#include "section_time.h"

#include "loop.h"
#include "section.h"

/* Members of a fused loop share its time in proportion to the data that each would move by itself,
 * as in the profile. */
static double share_of(const struct op2i_node *node, double bytes, int32_t count) {
  return bytes > 0 ? op2i_node_loop(node)->bytes / bytes : 1.0 / count;
}

void op2i_sections_account(const struct op2i_program *program, int64_t s,
                           struct op2i_node *const *nodes, double worker_seconds) {
  const struct op2i_step *step = &program->steps[s];
  const struct op2i_group *group = &program->grouping.groups[program->step_group[s]];
  const int32_t *members = program->grouping.nodes + group->first;
  double bytes = 0;
  for (int32_t m = 0; m < group->count; m++) bytes += op2i_node_loop(nodes[members[m]])->bytes;
  for (int32_t m = 0; m < group->count; m++) {
    const struct op2i_node *node = nodes[members[m]];
    struct op2i_program_section *section = &step->loop->op.ctx->sections->list[node->section];
    section->loops += step->range == 0;
    section->worker_seconds += worker_seconds * share_of(node, bytes, group->count);
  }
}
