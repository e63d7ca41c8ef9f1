/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows for other ranks, and answers to them. */
#include "mesh_mail.h"

#include <string.h>

struct op2i_share op2i_mesh_shares(op2_mesh mesh, int64_t size) {
  return (struct op2i_share){.size = size, .ranks = op2_ranks(mesh->ctx)};
}

op2_status op2i_mesh_mail_send(op2_mesh mesh, op2_status status, int64_t n, const int32_t *to,
                               size_t row_bytes, const void *rows, struct op2i_mesh_mail *mail) {
  const struct op2i_companion *op2 = mesh->op2;
  *mail = (struct op2i_mesh_mail){.mesh = mesh, .row_bytes = row_bytes};
  if (!mesh->comm) {
    mail->n = status ? 0 : n;
    mail->rows = rows;
    return status;
  }
  if (!status) status = op2->mail_pack(n, to, row_bytes, rows, &mail->sent);
  status = op2->agree(mesh->comm, status);
  if (!status) status = op2->deliver(mesh->comm, mail->sent.nparcels, mail->sent.parcel, &mail->in);
  for (int64_t p = 0; p < mail->in.n; p++)
    mail->n += (int64_t)(mail->in.parcel[p].bytes / row_bytes);
  mail->rows = mail->in.memory; /* rows of 8 bytes, or a multiple, leave no gaps */
  return status;
}

void op2i_mesh_mail_free(struct op2i_mesh_mail *mail) {
  const op2_mesh mesh = mail->mesh;
  if (!mesh) return;
  if (mesh->comm) {
    mesh->op2->mail_free(&mail->sent);
    mesh->op2->parcels_free(&mail->in);
  }
  *mail = (struct op2i_mesh_mail){0};
}

/* Send the answers back: each rank gets as many as it has sent rows. */
static op2_status send_back(const struct op2i_mesh_mail *mail, op2_status status, size_t row_bytes,
                            const unsigned char *answers, struct op2i_parcels *in) {
  const struct op2i_companion *op2 = mail->mesh->op2;
  struct op2i_parcel *parcel = NULL;
  if (!status && !(parcel = op2->calloc((size_t)mail->in.n + 1, sizeof *parcel)))
    status = op2->error_nomem("rows of a mesh");
  for (int64_t p = 0; p < mail->in.n && !status; p++) {
    const size_t n = mail->in.parcel[p].bytes / mail->row_bytes;
    /* nobody writes to what is sent */
    parcel[p] = (struct op2i_parcel){mail->in.parcel[p].peer, n * row_bytes, (void *)answers};
    answers += n * row_bytes;
  }
  status = op2->agree(mail->mesh->comm, status);
  if (!status) status = op2->deliver(mail->mesh->comm, mail->in.n, parcel, in);
  op2->free(parcel);
  return status;
}

op2_status op2i_mesh_mail_answer(struct op2i_mesh_mail *mail, op2_status status, size_t row_bytes,
                                 const void *answers, void *out) {
  const op2_mesh mesh = mail->mesh;
  struct op2i_parcels in = {0};
  unsigned char *to = out;
  int64_t row = 0;
  if (!mesh->comm) {
    if (!status && mail->n) memcpy(out, answers, (size_t)mail->n * row_bytes);
    return status;
  }
  status = send_back(mail, status, row_bytes, answers, &in);
  for (int64_t p = 0; p < in.n; p++)
    for (size_t at = 0; at < in.parcel[p].bytes; at += row_bytes, row++)
      memcpy(to + (size_t)mail->sent.order[row] * row_bytes, (const char *)in.parcel[p].data + at,
             row_bytes);
  mesh->op2->parcels_free(&in);
  return status;
}

op2_status op2i_mesh_fetch(op2_mesh mesh, op2_status status, int64_t size, size_t row_bytes,
                           const void *share, int64_t n, const int64_t *number, void *out) {
  const struct op2i_companion *op2 = mesh->op2;
  struct op2i_share shares = op2i_mesh_shares(mesh, size);
  struct op2i_mesh_mail mail = {0};
  int32_t *to = op2->calloc((size_t)n + 1, sizeof *to);
  int64_t first = 0, owned;
  if (!to && !status) status = op2->error_nomem("rows of a mesh");
  for (int64_t i = 0; i < n && !status; i++) to[i] = op2i_mesh_share_of(mesh, &shares, number[i]);
  status = op2i_mesh_mail_send(mesh, status, n, to, sizeof *number, number, &mail);
  op2->free(to);
  op2i_mesh_block(mesh, size, &first, &owned);
  unsigned char *answers = status ? NULL : op2->calloc((size_t)mail.n + 1, row_bytes);
  const int64_t *asked = mail.rows;
  for (int64_t i = 0; answers && i < mail.n; i++)
    memcpy(answers + (size_t)i * row_bytes,
           (const char *)share + (size_t)(asked[i] - first) * row_bytes, row_bytes);
  if (!status) /* all ranks have come so far, or none */
    status = op2i_mesh_mail_answer(&mail, answers ? status : op2->error_nomem("rows of a mesh"),
                                   row_bytes, answers, out);
  op2->free(answers);
  op2i_mesh_mail_free(&mail);
  return status;
}
