/* SPDX-License-Identifier: BSD-3-Clause */
/* Structures and unions of numbers: what they hold, and their types and functions in the text. */
#include "simd_record.h"

#include <string.h>

#include "simd_base.h"
#include "simd_emit.h"
#include "simd_helper.h"
#include "simd_stmt.h"
#include "simd_tree.h"

/* A structure of more numbers than this is refused: it would not stay in registers. */
enum { NUMBERS_MAX = 64 };

/* ---- reading --------------------------------------------------------------------------------- */

static int64_t numbers_in(const struct op2i_c_record *record);

/* The number of values in a member; more than any structure may have where a pointer is among
 * them. */
static int64_t numbers_of(const struct op2i_c_type *type) {
  int64_t n = type->base == OP2I_C_RECORD ? numbers_in(type->record) : 1;
  for (int k = 0; k < type->nlevels && n <= NUMBERS_MAX; k++)
    n = type->levels[k] > 0 ? n * type->levels[k] : NUMBERS_MAX + 1;
  return n;
}

static int64_t numbers_in(const struct op2i_c_record *record) {
  int64_t n = 0;
  for (const struct op2i_c_member *m = record->members; m && n <= NUMBERS_MAX; m = m->next)
    n += numbers_of(&m->type);
  return n;
}

/* A structure whose members are being read. */
static const char unfinished[] = "is declared within itself";

static void find_fault(struct op2i_c_record *record, const char *fault) {
  if (!record->fault || record->fault == unfinished) record->fault = fault;
}

static void check_member(const struct op2i_simd_parser *p, const struct op2i_c_decl *decl,
                         struct op2i_c_record *record) {
  const struct op2i_c_type *type = &decl->type;
  for (int k = 0; k < type->nlevels; k++)
    if (type->levels[k] <= 0) find_fault(record, "has a pointer or an array without extent in it");
  if (op2i_simd_at(p, ":")) find_fault(record, "has bit-fields");
  if (!decl->name) find_fault(record, "has a member without a name");
  if (decl->special || decl->what != OP2I_C_VALUE || decl->said & (OP2I_C_DEEP | OP2I_C_NESTED) ||
      type->base == OP2I_C_VOID || type->base == OP2I_C_LONG_DOUBLE || type->base == OP2I_C_OTHER ||
      type->base == OP2I_C_UNCLEAR || (type->base == OP2I_C_RECORD && !type->record))
    find_fault(record, "has a member that is no number of a known type");
  const char *inner = type->base == OP2I_C_RECORD && type->record ? type->record->fault : NULL;
  if (inner) find_fault(record, inner == unfinished ? "has itself in it" : inner);
}

static void add_member(struct op2i_simd_parser *p, struct op2i_c_decl *decl,
                       struct op2i_c_record *record, struct op2i_c_member ***tail) {
  check_member(p, decl, record);
  struct op2i_c_member *member = op2i_simd_take(p->l, sizeof *member);
  if (!member) return;
  member->name =
      decl->name ? op2i_simd_string(p->l, decl->name->text, (size_t)decl->name->length) : "";
  member->type = decl->type;
  **tail = member;
  *tail = &member->next;
  record->nmembers++;
}

static void pass_width(struct op2i_simd_parser *p) {
  while (!op2i_simd_at(p, ",") && !op2i_simd_at(p, ";") && p->r.at < p->r.count) p->r.at++;
}

/* A union is followed where each member tells all of its bits, lane by lane. */
static void check_union(struct op2i_c_record *record) {
  if (record->fault || !record->either) return;
  const struct op2i_c_member *first = record->members;
  for (const struct op2i_c_member *m = first; m; m = m->next)
    if (m->type.nlevels || m->type.base == OP2I_C_RECORD || m->type.base == OP2I_C_BOOL ||
        op2i_simd_size(m->type.base) != op2i_simd_size(first->type.base))
      find_fault(record, "has members that are not numbers of one size");
}

/* Read { members }. */
static void read_members(struct op2i_simd_parser *p, struct op2i_c_record *record) {
  struct op2i_c_member **tail = &record->members;
  p->r.at++;
  while (!op2i_simd_at(p, "}") && p->r.at < p->r.count && !op2i_simd_stopped(p->l)) {
    struct op2i_c_decl all;
    const int before = p->r.at;
    op2i_c_specifiers(&p->r, &all);
    do {
      struct op2i_c_decl one = all;
      op2i_c_declarator(&p->r, &one);
      add_member(p, &one, record, &tail);
      pass_width(p);
    } while (op2i_simd_accept(p, ","));
    if (!op2i_simd_accept(p, ";") || p->r.at == before) break;
  }
  if (!op2i_simd_at(p, "}")) find_fault(record, "has members that cannot be read");
  if (record->fault == unfinished) record->fault = NULL;
  if (!record->fault && numbers_in(record) > NUMBERS_MAX)
    find_fault(record, "has more than 64 numbers in it");
  if (!record->members) find_fault(record, "has no members");
  check_union(record);
}

/* The tags of structures are names with a blank in them, which no word equals. */
static const char *name_of_tag(struct op2i_simd *l, const struct op2i_piece *tag) {
  struct op2i_text text = {0};
  op2i_text_add(&text, "struct %.*s", tag->length, tag->text);
  if (text.failed) l->failed = true;
  const char *name = op2i_simd_string(l, text.chars ? text.chars : "", text.length);
  op2i_text_free(&text);
  return name;
}

static struct op2i_c_record *find_tag(const struct op2i_simd_parser *p, const char *name) {
  for (const struct op2i_simd_var *v = p->scope; v; v = v->outer)
    if (strcmp(v->name, name) == 0) return v->type.record;
  return NULL;
}

/* A structure that is named before its members are. */
static const char only_declared[] = "is declared without its members";

static struct op2i_c_record *new_record(struct op2i_simd_parser *p, const char *name) {
  struct op2i_c_record *record = op2i_simd_take(p->l, sizeof *record);
  if (!record) return NULL;
  record->fault = only_declared;
  if (!name || op2i_simd_stopped(p->l)) return record;
  struct op2i_simd_var *var = op2i_simd_var(p->l, name);
  var->type = (struct op2i_c_type){.base = OP2I_C_RECORD, .record = record};
  var->fixed = var->is_type = true;
  op2i_simd_let_see(p, var);
  return record;
}

struct op2i_c_record *op2i_simd_tagged(struct op2i_c_reader *r, const struct op2i_piece *word,
                                       const struct op2i_piece *tag) {
  struct op2i_simd_parser *p = r->client;
  const char *name = tag ? name_of_tag(p->l, tag) : NULL;
  struct op2i_c_record *record = name ? find_tag(p, name) : NULL;
  const bool members = op2i_simd_at(p, "{");
  if (!record || (members && record->fault != only_declared)) record = new_record(p, name);
  if (!record || !members) return record;
  record->fault = unfinished;
  const unsigned expected = r->expected;
  const int enumerates = p->enumerates;
  record->either = op2i_piece_is(word, "union");
  r->expected = 0;
  if (op2i_simd_enter(p->l, word->line)) read_members(p, record);
  op2i_simd_leave(p->l);
  r->expected = expected;
  if (p->enumerates != enumerates) find_fault(record, "declares an enumeration");
  p->enumerates = enumerates;
  return record;
}

void op2i_simd_check_record(struct op2i_simd *l, const struct op2i_c_type *type, int line) {
  if (type->base != OP2I_C_RECORD || !type->record || !type->record->fault) return;
  op2i_simd_refuse(l, "uses a %s in line %d that %s", type->record->either ? "union" : "structure",
                   line, type->record->fault);
}

enum op2i_c_base op2i_simd_row_base(const struct op2i_c_record *record) {
  enum op2i_c_base base = OP2I_C_VOID;
  if (record->fault || record->either) return base;
  for (const struct op2i_c_member *m = record->members; m; m = m->next) {
    enum op2i_c_base own =
        m->type.base == OP2I_C_RECORD ? op2i_simd_row_base(m->type.record) : m->type.base;
    if (m != record->members && own != base) return OP2I_C_VOID;
    base = own;
  }
  return base == OP2I_C_BOOL ? OP2I_C_VOID : base;
}

/* ---- members --------------------------------------------------------------------------------- */

const struct op2i_c_member *op2i_simd_member(const struct op2i_c_record *record,
                                             const struct op2i_piece *word) {
  const struct op2i_c_member *m = record->members;
  while (m && !op2i_piece_is(word, m->name)) m = m->next;
  return m;
}

/* Make a node that follows a pointer to a structure. */
static struct op2i_simd_node *followed(struct op2i_simd_parser *p, struct op2i_simd_node *a) {
  if (a->kind == OP2I_SIMD_UNARY && strcmp(a->op, "&") == 0) return a->a;
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_UNARY, a->line);
  e->op = "*";
  e->a = a;
  e->type = a->type;
  e->type.nlevels--;
  for (int k = 0; k < e->type.nlevels; k++) e->type.levels[k] = e->type.levels[k + 1];
  return e;
}

struct op2i_simd_node *op2i_simd_select_member(struct op2i_simd_parser *p,
                                               struct op2i_simd_node *a) {
  const int line = op2i_simd_line(p);
  struct op2i_simd_node *e = op2i_simd_node(p->l, OP2I_SIMD_MEMBER, line);
  const bool arrow = op2i_simd_accept(p, "->");
  if (!arrow) op2i_simd_expect(p, ".");
  if (a->type.base != OP2I_C_RECORD || !a->type.record || a->type.nlevels != arrow) {
    op2i_simd_refuse(p->l, "takes a member in line %d of what is no structure", line);
    return e;
  }
  e->a = arrow ? followed(p, a) : a;
  e->member = op2i_simd_member(a->type.record, &p->r.tokens[p->r.at]);
  if (!e->member) {
    const struct op2i_piece *t = &p->r.tokens[p->r.at];
    op2i_simd_refuse(p->l, "uses %.*s in line %d, which is no member", t->length, t->text, line);
    return e;
  }
  p->r.at++;
  e->type = e->member->type;
  e->type.readonly = e->type.readonly || a->type.readonly;
  return e;
}

/* ---- types in the text ----------------------------------------------------------------------- */

static void add_name(const struct op2i_simd *l, const struct op2i_c_record *record, char kind,
                     struct op2i_text *out) {
  op2i_text_add(out, "OP2_NAME(%sop2_record%d_%c)", l->request->rewrite->prefix, record->number,
                kind);
}

static void define_type(struct op2i_simd *l, struct op2i_c_record *record, bool varying) {
  struct op2i_text text = {0};
  op2i_text_add(&text, "%s ", record->either ? "union" : "struct");
  add_name(l, record, varying ? 'v' : 'u', &text);
  op2i_text_add(&text, " {\n");
  for (const struct op2i_c_member *m = record->members; m; m = m->next) {
    struct op2i_c_type type = m->type;
    type.readonly = false;
    op2i_text_add(&text, "  ");
    op2i_simd_declare(l, &type, varying, m->name, &text);
    op2i_text_add(&text, ";\n");
  }
  op2i_text_add(&text, "};\n");
  if (text.failed) l->failed = true;
  if (!text.failed) op2i_text_bytes(&l->records, text.chars, text.length);
  op2i_text_free(&text);
}

/* ---- functions in the text ------------------------------------------------------------------- */

/* A function of structures, while its statements are written, one for each number. */
struct function {
  struct op2i_simd *l;
  struct op2i_text *out;
  struct op2i_text *path; /* that of the number within the structure, as in ".v[1]" */
  bool splat;
};

static void one_number(const struct function *f, enum op2i_c_base base) {
  const char *path = f->path->chars;
  if (f->path->failed) return;
  op2i_text_add(f->out, "  op2_result%s = ", path);
  op2i_simd_help(f->l, f->splat ? OP2I_SIMD_SPLAT : OP2I_SIMD_SELECT, base, f->out);
  if (f->splat)
    op2i_text_add(f->out, "(op2_a%s);\n", path);
  else
    op2i_text_add(f->out, "(op2_mask, op2_a%s, op2_b%s);\n", path, path);
}

static void each_member(const struct function *f, const struct op2i_c_record *record);

static void each_number(const struct function *f, const struct op2i_c_type *type, int level) {
  const size_t length = f->path->length;
  if (level < type->nlevels && level < OP2I_C_LEVELS) {
    for (int64_t i = 0; i < type->levels[level]; i++) {
      op2i_text_add(f->path, "[%d]", (int)i);
      each_number(f, type, level + 1);
      op2i_text_cut(f->path, length);
    }
  } else if (type->base == OP2I_C_RECORD) {
    each_member(f, type->record);
  } else {
    one_number(f, type->base);
  }
}

/* Any member of a union has all of its bits. */
static void each_member(const struct function *f, const struct op2i_c_record *record) {
  const size_t length = f->path->length;
  for (const struct op2i_c_member *m = record->members; m; m = record->either ? NULL : m->next) {
    op2i_text_add(f->path, ".%s", m->name);
    each_number(f, &m->type, 0);
    op2i_text_cut(f->path, length);
  }
}

static void define_function(struct op2i_simd *l, struct op2i_c_record *record, bool splat) {
  struct op2i_text text = {0}, path = {0};
  const struct function f = {l, &text, &path, splat};
  op2i_text_add(&text, "OP2_LANES_INLINE ");
  op2i_simd_record_name(l, record, true, &text);
  op2i_text_add(&text, " ");
  add_name(l, record, splat ? 's' : 'c', &text);
  op2i_text_add(&text, "(");
  if (!splat) op2i_simd_type_name(l, OP2I_C_BOOL, &text);
  if (!splat) op2i_text_add(&text, " op2_mask, ");
  op2i_simd_record_name(l, record, !splat, &text);
  op2i_text_add(&text, " op2_a");
  if (!splat) op2i_text_add(&text, ", ");
  if (!splat) op2i_simd_record_name(l, record, true, &text);
  op2i_text_add(&text, splat ? ") {\n  " : " op2_b) {\n  ");
  op2i_simd_record_name(l, record, true, &text);
  op2i_text_add(&text, " op2_result;\n");
  each_member(&f, record);
  op2i_text_add(&text, "  return op2_result;\n}\n");
  if (text.failed || path.failed) l->failed = true;
  op2i_text_free(&path);
  if (!text.failed) op2i_text_bytes(&l->records, text.chars, text.length);
  op2i_text_free(&text);
}

static void define_types(struct op2i_simd *l, struct op2i_c_record *record) {
  if (record->number) return;
  record->number = ++l->nrecords;
  define_type(l, record, false);
  define_type(l, record, true);
}

void op2i_simd_record_name(struct op2i_simd *l, struct op2i_c_record *record, bool varying,
                           struct op2i_text *out) {
  define_types(l, record);
  op2i_text_add(out, "%s ", record->either ? "union" : "struct");
  add_name(l, record, varying ? 'v' : 'u', out);
}

void op2i_simd_record_help(struct op2i_simd *l, struct op2i_c_record *record, bool splat,
                           struct op2i_text *out) {
  struct op2i_text name = {0};
  define_types(l, record);
  add_name(l, record, splat ? 's' : 'c', &name);
  if (name.failed) l->failed = true;
  if (!l->failed) op2i_text_add(out, "%s", name.chars);
  if (!l->failed && op2i_simd_lacks(l, name.chars)) define_function(l, record, splat);
  op2i_text_free(&name);
}
