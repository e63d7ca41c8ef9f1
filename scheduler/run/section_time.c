/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of steps in the sections of the program, and of nodes for the drawing. */
#include "section_time.h"

#include "loop.h"
#include "section.h"

/* Members of a fused loop share its time in proportion to the data that each would move by itself,
 * as in the profile. */
static double share_of(const struct op2i_node *node, double bytes, int32_t count) {
  return bytes > 0 ? op2i_node_loop(node)->bytes / bytes : 1.0 / count;
}

void op2i_nodes_account(const struct op2i_program *program, int64_t s,
                        struct op2i_node *const *nodes, double worker_seconds) {
  const struct op2i_step *step = &program->steps[s];
  const struct op2i_group *group = &program->grouping.groups[program->step_group[s]];
  const int32_t *members = program->grouping.nodes + group->first;
  const struct op2_context_s *ctx = step->loop->op.ctx;
  double bytes = 0;
  for (int32_t m = 0; m < group->count; m++) bytes += op2i_node_loop(nodes[members[m]])->bytes;
  for (int32_t m = 0; m < group->count; m++) {
    struct op2i_node *node = nodes[members[m]];
    const double seconds = worker_seconds * share_of(node, bytes, group->count);
    node->seconds += seconds / ctx->workers;
    if (!ctx->sections) continue;
    ctx->sections->list[node->section].loops += step->range == 0;
    ctx->sections->list[node->section].worker_seconds += seconds;
  }
}
