/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PLAN_STAGE_INTERNAL_H
#define OP2I_PLAN_STAGE_INTERNAL_H

#include "plan_internal.h"

/* Staging of values in plans, and its verifier. */

/* Make the staging of a plan; the plan owns the memory, also on failure. */
op2_status op2i_plan_make_stages(const struct op2i_plan_desc *desc, struct op2i_plan *plan);
op2_status op2i_plan_verify_stages(const struct op2i_plan *plan, const struct op2i_plan_desc *desc);

#endif
