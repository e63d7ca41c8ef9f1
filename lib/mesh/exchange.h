/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_EXCHANGE_H
#define OP2I_EXCHANGE_H

/* Bringing halos up to date: the rows of several dats that travel at one point, in one message for
 * each neighbour. An exchange is made once and run as often as its program is. */

#include "mesh.h"

/* Parts of a dat's halo as bits: 1 << OP2I_HALO_EXEC, 1 << OP2I_HALO_NONEXEC. */
enum { OP2I_EVERY_PART = (1 << OP2I_HALO_PARTS) - 1 };
/* Those that have elements, on any rank. */
unsigned op2i_dat_parts(const struct op2_dat_s *dat);
/* Owners have got other values than others have in their halos. */
void op2i_dat_make_stale(op2_dat dat);
/* Bring all of one dat's halo up to date, if it is not. Collective. */
op2_status op2i_dat_freshen(op2_dat dat);

struct op2i_stale {
  op2_dat dat;
  unsigned parts;
};

struct op2i_exchange;

/* Its dats are all of one context, and none comes twice. */
op2_status op2i_exchange_make(int n, const struct op2i_stale *stale, struct op2i_exchange **out);
/* Collective: all ranks run the same exchanges in the same order. */
op2_status op2i_exchange_run(struct op2i_exchange *exchange);
void op2i_exchange_free(struct op2i_exchange *exchange);

#endif
