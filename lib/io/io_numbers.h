/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_IO_NUMBERS_H
#define OP2I_IO_NUMBERS_H

#include "io_file.h"

/* Numbers of elements, which are 64 bits in memory; files have 32 bits where these suffice. To read
 * n rows of them, of which none may be below `least` or reach `limit`: *numbers is the caller's, even
 * on failure. To make them narrow in place, before they are written, unless what->wide is set. */
op2_status op2i_numbers_read(op2_file file, struct op2i_dataset *what, int64_t first, int64_t n,
                             int64_t least, int64_t limit, int64_t **numbers);
void op2i_numbers_narrow(const struct op2i_dataset *what, int64_t n, int64_t *numbers);

#endif
