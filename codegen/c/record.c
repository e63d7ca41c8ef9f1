/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the members of a structure as the row of numbers that it is in memory, if they are all of
 * one type: then no padding lies between them, and a pointer to it can lead to a row of a dat. */
#include "cdecl.h"

#include <stddef.h>

static bool is(const struct op2i_c_reader *r, const char *spelling) {
  return r->at < r->count && op2i_piece_is(&r->tokens[r->at], spelling);
}

static bool accept(struct op2i_c_reader *r, const char *spelling) {
  const bool found = is(r, spelling);
  r->at += found;
  return found;
}

/* The row that the members read so far make up. */
struct row {
  enum op2i_c_base base; /* VOID: there are none */
  int64_t values;
  bool broken; /* True if it is no row. */
};

static void add_member(struct row *row, const struct op2i_c_decl *decl) {
  enum { MOST = 1 << 20 };
  enum op2i_c_base base = decl->type.base;
  int64_t values = 1;
  const struct op2i_c_record *inner = base == OP2I_C_RECORD ? decl->type.record : NULL;
  if (inner && inner->members && !inner->fault) {
    base = inner->members->type.base;
    values = inner->members->type.levels[0];
  }
  for (int k = 0; k < decl->type.nlevels && values <= MOST; k++)
    values = decl->type.levels[k] > 0 ? values * decl->type.levels[k] : MOST + 1;
  const bool number = base >= OP2I_C_I8 && base <= OP2I_C_F64;
  if (!number || (row->base != OP2I_C_VOID && row->base != base) || values > MOST || !decl->name ||
      decl->what != OP2I_C_VALUE ||
      decl->said & (OP2I_C_ATTRIBUTE | OP2I_C_SPECIAL | OP2I_C_DEEP | OP2I_C_NESTED))
    row->broken = true;
  row->base = base;
  row->values += values;
  if (row->values > MOST) row->broken = true;
}

static void read_members(struct op2i_c_reader *r, struct row *row) {
  while (!is(r, "}") && r->at < r->count && !row->broken) {
    struct op2i_c_decl all;
    op2i_c_specifiers(r, &all);
    do {
      struct op2i_c_decl one = all;
      op2i_c_declarator(r, &one);
      add_member(row, &one);
    } while (accept(r, ",") && !row->broken);
    if (!accept(r, ";")) row->broken = true;
  }
}

struct op2i_c_record *op2i_c_row(struct op2i_c_reader *r, struct op2i_arena *arena) {
  enum { NESTED_MAX = 32 };
  struct row row = {0};
  r->at++;
  row.broken = ++r->nested > NESTED_MAX;
  read_members(r, &row);
  r->nested--;
  if (row.broken || !row.values || !is(r, "}")) return NULL;
  struct op2i_c_record *record = op2i_arena_take(arena, sizeof *record);
  struct op2i_c_member *all = op2i_arena_take(arena, sizeof *all);
  if (!record || !all) return NULL;
  *all = (struct op2i_c_member){.name = "",
                                .type = {.base = row.base, .nlevels = 1, .levels = {row.values}}};
  *record = (struct op2i_c_record){.nmembers = 1, .members = all};
  return record;
}
