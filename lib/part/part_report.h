/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_PART_REPORT_H
#define OP2I_PART_REPORT_H

#include <stdio.h>

#include "op2/types.h"

/* Print the sections of this rank and the report of the last partitioning, for
 * op2_explain(). */
void op2i_partition_explain(op2_context ctx, FILE *stream);

#endif
