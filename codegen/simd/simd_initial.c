/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads initializers. A structure's list has a value for each member, in their order, whatever the
 * source names or leaves out. */
#include <string.h>

#include "simd_base.h"
#include "simd_complex.h"
#include "simd_expr.h"
#include "simd_parse.h"
#include "simd_record.h"
#include "simd_stmt.h"
#include "simd_tree.h"

static bool zero(const struct op2i_simd_node *e) {
  return e->kind == OP2I_SIMD_LITERAL &&
         ((e->known && e->value == 0) || !strcmp(e->text, "0.0") || !strcmp(e->text, "0.0f"));
}

static bool is_array(const struct op2i_c_type *type) {
  return type->nlevels > 0 && type->levels[0] != 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Zero, as C gives it to what a list leaves out. */
static struct op2i_simd_node *nothing(struct op2i_simd *l, const struct op2i_c_type *type,
                                      int line) {
  struct op2i_simd_node *e = op2i_simd_node(l, OP2I_SIMD_LITERAL, line);
  e->text = "0";
  e->known = true;
  e->type.base = OP2I_C_I32;
  if (!is_array(type) && !op2i_simd_record(type)) return e;
  struct op2i_simd_node *list = op2i_simd_node(l, OP2I_SIMD_LIST, line);
  list->a = e;
  list->value = 1;
  return list;
}

/* The place of the member that a list goes on with: the one that it names, else the one after
 * `place`. */
static struct op2i_simd_node **next_place(struct op2i_simd_parser *p,
                                          const struct op2i_c_record *record,
                                          struct op2i_simd_node **places,
                                          const struct op2i_c_member **member) {
  if (op2i_simd_accept(p, ".")) {
    *member = op2i_simd_member(record, &p->r.tokens[p->r.at]);
    if (*member) p->r.at++;
    if (*member) op2i_simd_expect(p, "=");
  }
  int n = 0;
  for (const struct op2i_c_member *m = record->members; m && m != *member; m = m->next) n++;
  if (!*member)
    op2i_simd_refuse(p->l, "has an initializer in line %d that cannot be followed",
                     op2i_simd_line(p));
  return *member ? &places[n] : NULL;
}

/* Link the values of all members; of a union, that of the first one. */
static void fill(struct op2i_simd *l, const struct op2i_c_record *record,
                 struct op2i_simd_node **places, struct op2i_simd_node *list) {
  struct op2i_simd_node **tail = &list->a;
  int n = 0;
  list->value = record->either ? 1 : record->nmembers;
  for (const struct op2i_c_member *m = record->members; m && n < list->value; m = m->next, n++) {
    *tail = places[n] ? places[n] : nothing(l, &m->type, list->line);
    tail = &(*tail)->next;
  }
}

/* Read the values of a structure up to the brace that closes it. {0} alone stands for zeros, and
 * stays as it is. */
static void members(struct op2i_simd_parser *p, const struct op2i_c_record *record,
                    struct op2i_simd_node *list) {
  const struct op2i_c_member *member = record->members;
  struct op2i_simd_node **places = op2i_simd_take(p->l, (size_t)record->nmembers * sizeof *places);
  int n = 0;
  bool more = places != NULL;
  while (more && !op2i_simd_at(p, "}") && !op2i_simd_stopped(p->l)) {
    struct op2i_simd_node **place = next_place(p, record, places, &member);
    if (!place) return;
    *place = op2i_simd_initializer(p, &member->type);
    n++;
    member = member->next;
    more = op2i_simd_accept(p, ",");
  }
  if (!places || op2i_simd_stopped(p->l)) return;
  if (record->either && !places[0])
    op2i_simd_refuse(p->l, "has an initializer in line %d that cannot be followed", list->line);
  bool zeros = n == 0 || (n == 1 && places[0] && zero(places[0]));
  if (zeros) {
    list->a = nothing(p->l, &(struct op2i_c_type){.base = OP2I_C_I32}, list->line);
    list->value = 1;
  } else {
    fill(p->l, record, places, list);
  }
}

static void elements(struct op2i_simd_parser *p, const struct op2i_c_type *type,
                     struct op2i_simd_node *list) {
  const struct op2i_c_type inner = type->nlevels ? op2i_simd_led_to(*type) : *type;
  struct op2i_simd_node **tail = &list->a;
  bool more = true;
  while (more && !op2i_simd_at(p, "}") && !op2i_simd_stopped(p->l)) {
    *tail = op2i_simd_initializer(p, &inner);
    tail = &(*tail)->next;
    list->value++;
    more = op2i_simd_accept(p, ",");
  }
}

struct op2i_simd_node *op2i_simd_initializer(struct op2i_simd_parser *p,
                                             const struct op2i_c_type *type) {
  if (!op2i_simd_at(p, "{")) return op2i_simd_converted(p->l, op2i_simd_assignment(p), type);
  struct op2i_simd_node *list = op2i_simd_node(p->l, OP2I_SIMD_LIST, op2i_simd_line(p));
  p->r.at++;
  if (op2i_simd_enter(p->l, list->line)) {
    if (op2i_simd_complex(type))
      op2i_simd_refuse(p->l, "has an initializer in line %d that cannot be followed", list->line);
    else if (op2i_simd_record(type))
      members(p, type->record, list);
    else
      elements(p, type, list);
  }
  op2i_simd_leave(p->l);
  op2i_simd_expect(p, "}");
  return list;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void check_value(struct op2i_simd *l, const struct op2i_c_type *type,
                        const struct op2i_simd_node *e) {
  const bool pointer = type->nlevels != 0;
  if ((e->type.nlevels != 0) != pointer)
    op2i_simd_refuse(l, "mixes pointers and numbers in line %d", e->line);
  if (!pointer && (type->base == OP2I_C_RECORD || e->type.base == OP2I_C_RECORD) &&
      type->record != e->type.record)
    op2i_simd_refuse(l, "mixes structures and numbers in line %d", e->line);
  if (!pointer && e->type.base == OP2I_C_VOID)
    op2i_simd_refuse(l, "needs a number in line %d where there is none", e->line);
}

/* True for {0}. */
static bool zeros(const struct op2i_simd_node *list) { return list->value == 1 && zero(list->a); }

static void check_members(struct op2i_simd *l, const struct op2i_c_record *record,
                          const struct op2i_simd_node *list) {
  const struct op2i_simd_node *a = list->a;
  if (zeros(list)) return;
  for (const struct op2i_c_member *m = record->members; m && a; m = m->next, a = a->next) {
    op2i_simd_check_initializer(l, &m->type, a);
    if (record->either) break;
  }
}

/* Braces must be nested as deep as arrays and structures; {0} stands for zeros only. */
void op2i_simd_check_initializer(struct op2i_simd *l, const struct op2i_c_type *type,
                                 const struct op2i_simd_node *e) {
  const bool array = is_array(type), record = op2i_simd_record(type);
  const bool list = e->kind == OP2I_SIMD_LIST;
  if (op2i_simd_stopped(l)) return;
  if ((array && (!list || e->value > type->levels[0])) || (list && !array && !record)) {
    op2i_simd_refuse(l, "has an initializer in line %d that cannot be followed", e->line);
    return;
  }
  if (!list) {
    check_value(l, type, e);
    return;
  }
  if (record) {
    check_members(l, type->record, e);
    return;
  }
  if (zeros(e)) return;
  const struct op2i_c_type inner = op2i_simd_led_to(*type);
  for (const struct op2i_simd_node *a = e->a; a; a = a->next)
    op2i_simd_check_initializer(l, &inner, a);
}
