/* SPDX-License-Identifier: BSD-3-Clause */
/* Faces of cells: each is a side of its two cells, or of one at the boundary. */
#include "faces.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mesh_mail.h"

void op2i_faces_free(struct op2i_faces *faces) {
  if (!faces->mesh) return;
  faces->mesh->op2->free(faces->face);
  faces->mesh->op2->free(faces->entry);
  faces->mesh->op2->free(faces->head);
  *faces = (struct op2i_faces){0};
}

static int nodes_of(const int64_t node[4]) {
  int n = 0;
  while (n < 4 && node[n] >= 0) n++;
  return n;
}

static int64_t lowest(const int64_t node[4]) {
  int64_t least = node[0];
  for (int k = 1; k < 4; k++)
    if (node[k] >= 0 && node[k] < least) least = node[k];
  return least;
}

/* True if the n nodes are those of a face, which has none of them twice. */
static bool same(const int64_t face[4], int n, const int64_t *node) {
  int found = 0;
  if (nodes_of(face) != n) return false;
  for (int a = 0; a < n; a++) {
    int b = 0;
    while (b < n && face[a] != node[b]) b++;
    found += b < n;
  }
  return found == n;
}

static struct op2i_face_entry *entry_of(const struct op2i_faces *faces, const int64_t node[4]) {
  int64_t at = faces->head[lowest(node) - faces->mesh->raw.first_node];
  const int n = nodes_of(node);
  while (at && !same(faces->entry[at - 1].node, n, node)) at = faces->entry[at - 1].next;
  return at ? &faces->entry[at - 1] : NULL;
}

/* ---- sides of this rank's cells -------------------------------------------------------------- */

struct side {
  int64_t cell, node[4];
};

struct sides {
  int64_t n;
  struct side *side;
  int32_t *to;    /* the rank that has the lowest node */
  int64_t *other; /* the second cell if this is the first one, -1 at the boundary; or SECOND */
};
enum { SECOND = -2 };

static void sides_free(op2_mesh mesh, struct sides *sides) {
  mesh->op2->free(sides->side);
  mesh->op2->free(sides->to);
  mesh->op2->free(sides->other);
}

static void side_of(const int64_t *node, const int8_t corner[4], bool turn, int64_t at[4]) {
  int n = 0;
  for (int k = 0; k < 4; k++) {
    at[k] = corner[k] < 0 ? -1 : node[corner[k]];
    n += at[k] >= 0;
  }
  if (turn) { /* the first node stays */
    const int low = n == 2 ? 0 : 1, high = n - 1;
    const int64_t other = at[low];
    at[low] = at[high];
    at[high] = other;
  }
}

static op2_status list_sides(op2_mesh mesh, struct sides *sides) {
  const struct op2i_raw *raw = &mesh->raw;
  const struct op2i_elements *cells = &raw->of[raw->dimension];
  struct op2i_share shares = op2i_mesh_shares(mesh, raw->total_nodes);
  int64_t n = 0;
  for (int64_t e = 0; e < cells->n; e++)
    n += op2i_cell_sides[op2i_cell_kinds[cells->kind[e]].shape].n;
  sides->side = mesh->op2->calloc((size_t)n + 1, sizeof *sides->side);
  sides->to = mesh->op2->calloc((size_t)n + 1, sizeof *sides->to);
  sides->other = mesh->op2->calloc((size_t)n + 1, sizeof *sides->other);
  if (!sides->side || !sides->to || !sides->other) return mesh->op2->error_nomem("faces");
  for (int64_t e = 0; e < cells->n; e++) {
    const struct op2i_cell_sides *of = &op2i_cell_sides[op2i_cell_kinds[cells->kind[e]].shape];
    for (int s = 0; s < of->n; s++) {
      struct side *side = &sides->side[sides->n];
      side->cell = cells->first + e;
      side_of(cells->node + op2i_element_begin(cells, e), of->corner[s], raw->turned[e],
              side->node);
      sides->to[sides->n++] = op2i_mesh_share_of(mesh, &shares, lowest(side->node));
    }
  }
  return OP2_SUCCESS;
}

/* ---- entries for the sides that have arrived ------------------------------------------------- */

/* The first side that is no proper face: it has a node twice if there is one cell, or else belongs to
 * three. */
struct fault {
  int64_t ncells, cell[3], node[4];
};

static bool repeats(const int64_t node[4]) {
  for (int a = 0; a < nodes_of(node); a++)
    for (int b = 0; b < a; b++)
      if (node[a] == node[b]) return true;
  return false;
}

static struct fault fault_of(const struct side *side, const struct op2i_face_entry *entry) {
  struct fault fault = {.ncells = entry ? 3 : 1, .cell = {side->cell}};
  if (entry) memcpy(fault.cell, entry->cell, sizeof entry->cell);
  if (entry) fault.cell[2] = side->cell;
  memcpy(fault.node, side->node, sizeof fault.node);
  return fault;
}

/* False: the side is no proper face. */
static bool add_side(struct op2i_faces *faces, const struct side *side, int64_t row,
                     struct fault *fault) {
  struct op2i_face_entry *entry = NULL;
  const bool twice = repeats(side->node);
  if (!twice) entry = entry_of(faces, side->node);
  if (twice || (entry && entry->cell[1] >= 0)) {
    *fault = fault_of(side, entry);
    return false;
  }
  if (entry) {
    entry->cell[1] = side->cell;
    return true;
  }
  int64_t *head = &faces->head[lowest(side->node) - faces->mesh->raw.first_node];
  entry = &faces->entry[faces->nentries++];
  *entry = (struct op2i_face_entry){.cell = {side->cell, -1}, .row = row, .next = *head};
  memcpy(entry->node, side->node, sizeof entry->node);
  *head = faces->nentries;
  return true;
}

/* There are at most as many entries as sides. What is not used of them is never written, and so takes
 * no memory. */
static op2_status add_sides(struct op2i_faces *faces, const struct op2i_mesh_mail *mail,
                            struct fault *fault) {
  const struct op2i_companion *op2 = faces->mesh->op2;
  const struct side *side = mail->rows;
  faces->head = op2->calloc((size_t)faces->mesh->raw.nnodes + 1, sizeof *faces->head);
  faces->entry = op2->calloc((size_t)mail->n + 1, sizeof *faces->entry);
  if (!faces->head || !faces->entry) return op2->error_nomem("faces");
  for (int64_t i = 0; i < mail->n; i++)
    if (!add_side(faces, &side[i], i, fault)) break;
  return OP2_SUCCESS;
}

/* Describe a fault, by the file's numbers. If any rank has one all fail. */
static op2_status check_fault(op2_mesh mesh, op2_status status, const struct fault *fault) {
  const struct op2i_raw *raw = &mesh->raw;
  int64_t any = fault->ncells > 0, node[4], cell[3];
  char names[120] = "";
  int length = 0;
  status = op2i_mesh_agree(mesh, status);
  if (!status && mesh->comm) status = mesh->op2->greatest(mesh->comm, 1, &any);
  if (status || !any) return status;
  const int n = fault->ncells ? nodes_of(fault->node) : 0;
  status =
      op2i_mesh_fetch(mesh, status, raw->total_nodes, sizeof *node, raw->tag, n, fault->node, node);
  status = op2i_mesh_fetch(mesh, status, raw->of[raw->dimension].total, sizeof *cell,
                           raw->of[raw->dimension].tag, fault->ncells, fault->cell, cell);
  for (int k = 0; k < n && !status; k++)
    length += snprintf(names + length, sizeof names - (size_t)length, "%s%" PRId64, k ? ", " : "",
                       node[k]);
  if (!status && fault->ncells == 1)
    status =
        mesh->op2->error(OP2_ERR_MISMATCH, "%s: cell %" PRId64 " has a face with a node twice: %s",
                         mesh->path, cell[0], names);
  else if (!status && fault->ncells)
    status = mesh->op2->error(OP2_ERR_MISMATCH,
                              "%s: the face of nodes %s belongs to three cells: %" PRId64
                              ", %" PRId64 " and %" PRId64,
                              mesh->path, names, cell[0], cell[1], cell[2]);
  return op2i_mesh_agree(mesh, status);
}

/* Answer each side with its second cell. */
static op2_status answer(struct op2i_faces *faces, struct op2i_mesh_mail *mail, int64_t *other) {
  const op2_mesh mesh = faces->mesh;
  op2_status status = OP2_SUCCESS;
  int64_t *answers = mesh->op2->calloc((size_t)mail->n + 1, sizeof *answers);
  if (!answers) status = mesh->op2->error_nomem("faces");
  for (int64_t i = 0; i < mail->n && !status; i++) answers[i] = SECOND;
  for (int64_t e = 0; e < faces->nentries && !status; e++)
    answers[faces->entry[e].row] = faces->entry[e].cell[1];
  status = op2i_mesh_mail_answer(mail, status, sizeof *answers, answers, other);
  mesh->op2->free(answers);
  return status;
}

static op2_status match_sides(struct op2i_faces *faces, op2_status status, struct sides *sides) {
  const op2_mesh mesh = faces->mesh;
  struct op2i_mesh_mail mail = {0};
  struct fault fault = {0};
  status = op2i_mesh_mail_send(mesh, status, sides->n, sides->to, sizeof *sides->side, sides->side,
                               &mail);
  if (!status) {
    status = check_fault(mesh, add_sides(faces, &mail, &fault), &fault);
    if (!status) status = answer(faces, &mail, sides->other);
  }
  op2i_mesh_mail_free(&mail);
  return status;
}

/* ---- faces and their numbers ----------------------------------------------------------------- */

/* The faces of this rank are numbered behind those of the ranks before it. */
static op2_status number_faces(struct op2i_faces *faces, int64_t most) {
  const op2_mesh mesh = faces->mesh;
  op2_status status = OP2_SUCCESS;
  if (mesh->comm) {
    faces->first[0] = faces->interior;
    faces->first[1] = faces->boundary;
    status = mesh->op2->before(mesh->comm, 2, faces->first);
    if (!status) status = mesh->op2->greatest(mesh->comm, 1, &most);
  }
  faces->most_nodes = (int)most;
  return status;
}

static op2_status keep_faces(struct op2i_faces *faces, const struct sides *sides) {
  const op2_mesh mesh = faces->mesh;
  int64_t n = 0, most = 0;
  for (int64_t s = 0; s < sides->n; s++) n += sides->other[s] != SECOND;
  faces->face = mesh->op2->calloc((size_t)n + 1, sizeof *faces->face);
  op2_status status = faces->face ? OP2_SUCCESS : mesh->op2->error_nomem("faces");
  status = op2i_mesh_agree(mesh, status);
  for (int64_t s = 0; s < sides->n && !status; s++) {
    if (sides->other[s] == SECOND) continue;
    struct op2i_face *face = &faces->face[faces->n++];
    *face = (struct op2i_face){.cell = {sides->side[s].cell, sides->other[s]}};
    memcpy(face->node, sides->side[s].node, sizeof face->node);
    if (nodes_of(face->node) > most) most = nodes_of(face->node);
    if (sides->other[s] < 0)
      faces->boundary++;
    else
      faces->interior++;
  }
  return status ? status : number_faces(faces, most);
}

/* Send the numbers of faces to the ranks that have their entries: sides arrive in the same order as
 * before. */
static op2_status send_codes(struct op2i_faces *faces, const struct sides *sides) {
  const op2_mesh mesh = faces->mesh;
  struct op2i_mesh_mail mail = {0};
  int64_t number[2] = {faces->first[0], faces->first[1]};
  for (int64_t s = 0; s < sides->n; s++)
    if (sides->other[s] != SECOND)
      sides->other[s] = sides->other[s] < 0 ? -1 - number[1]++ : number[0]++;
  op2_status status = op2i_mesh_mail_send(mesh, OP2_SUCCESS, sides->n, sides->to,
                                          sizeof *sides->other, sides->other, &mail);
  const int64_t *code = mail.rows;
  for (int64_t e = 0; e < faces->nentries && !status; e++)
    faces->entry[e].code = code[faces->entry[e].row];
  op2i_mesh_mail_free(&mail);
  return status;
}

op2_status op2i_faces_find(op2_mesh mesh, bool codes, struct op2i_faces *faces) {
  struct sides sides = {0};
  *faces = (struct op2i_faces){.mesh = mesh};
  if (mesh->raw.dimension < 2)
    return mesh->op2->error(OP2_ERR_MISMATCH, "%s: its cells are lines, which have no faces",
                            mesh->path);
  op2_status status = match_sides(faces, list_sides(mesh, &sides), &sides);
  if (!status) status = keep_faces(faces, &sides);
  if (!status && codes) status = send_codes(faces, &sides);
  sides_free(mesh, &sides);
  return status;
}

op2_status op2i_faces_look_up(const struct op2i_faces *faces, op2_status status, int64_t n,
                              const int64_t (*node)[4], int64_t *code) {
  const op2_mesh mesh = faces->mesh;
  struct op2i_share shares = op2i_mesh_shares(mesh, mesh->raw.total_nodes);
  struct op2i_mesh_mail mail = {0};
  int64_t *answers = NULL;
  int32_t *to = mesh->op2->calloc((size_t)n + 1, sizeof *to);
  if (!to && !status) status = mesh->op2->error_nomem("faces");
  for (int64_t i = 0; i < n && !status; i++)
    to[i] = op2i_mesh_share_of(mesh, &shares, lowest(node[i]));
  status = op2i_mesh_mail_send(mesh, status, n, to, sizeof *node, node, &mail);
  if (!status) {
    const int64_t(*asked)[4] = mail.rows;
    answers = mesh->op2->calloc((size_t)mail.n + 1, sizeof *answers);
    for (int64_t i = 0; i < mail.n && answers; i++) {
      const struct op2i_face_entry *entry = entry_of(faces, asked[i]);
      answers[i] = entry ? entry->code : INT64_MIN;
    }
    status = op2i_mesh_mail_answer(&mail, answers ? status : mesh->op2->error_nomem("faces"),
                                   sizeof *answers, answers, code);
  }
  mesh->op2->free(answers);
  mesh->op2->free(to);
  op2i_mesh_mail_free(&mail);
  return status;
}
