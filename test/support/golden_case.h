/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_GOLDEN_CASE_H
#define OP2_TEST_GOLDEN_CASE_H

/* Check generated text against test/golden/codegen/NAME.txt. OP2_TEST_UPDATE=1 writes the file
 * anew. */
void matches_golden(const char *got, const char *name);

#endif
