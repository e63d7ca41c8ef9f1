/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_MESH_MAIL_H
#define OP2I_MESH_MAIL_H

/* Rows that the ranks of a mesh send each other, and answers to them. Without other ranks the rows
 * stay where they are. All these functions are collective, and fail on all ranks alike. */

#include "meshfile.h"

struct op2i_mesh_mail {
  op2_mesh mesh;
  size_t row_bytes; /* of the rows that were sent */
  struct op2i_mail sent;
  struct op2i_parcels in;
  int64_t n;  /* rows that have arrived, by the rank that sent them */
  const void *rows;
};

/* The shares of `size` items, and the rank in whose share item i is. */
struct op2i_share op2i_mesh_shares(op2_mesh mesh, int64_t size);
static inline int32_t op2i_mesh_share_of(op2_mesh mesh, struct op2i_share *shares, int64_t i) {
  if (i < shares->first || i >= shares->end) mesh->op2->share_find(shares, i);
  return shares->rank;
}
/* Send row i, of a multiple of 8 bytes, to the rank to[i]. `status` is an earlier failure of this
 * rank. op2i_mesh_mail_free() is called in any case, and the rows stay until then. */
op2_status op2i_mesh_mail_send(op2_mesh mesh, op2_status status, int64_t n, const int32_t *to,
                               size_t row_bytes, const void *rows, struct op2i_mesh_mail *mail);
/* Answer each row that has arrived; out[i] becomes the answer to row i of those that were sent. */
op2_status op2i_mesh_mail_answer(struct op2i_mesh_mail *mail, op2_status status, size_t row_bytes,
                                 const void *answers, void *out);
void op2i_mesh_mail_free(struct op2i_mesh_mail *mail);

/* Fetch rows by number, of `size` of which each rank has its share. */
op2_status op2i_mesh_fetch(op2_mesh mesh, op2_status status, int64_t size, size_t row_bytes,
                           const void *share, int64_t n, const int64_t *number, void *out);

#endif
