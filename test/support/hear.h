/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_HEAR_H
#define OP2_TEST_HEAR_H

/* The text that the process writes to stderr between the two calls. It is valid until the next
 * hear_end(). */
void hear_begin(void);
const char *hear_end(void);

#endif
