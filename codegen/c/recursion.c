/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds recursive functions in a source. OpenCL C forbids them, and its compilers need not notice;
 * devices of CUDA have little stack for them. */
#include "kernel_checks.h"
#include "mem.h"
#include "reach.h"
#include "signature.h"
#include "unit.h"

enum state { UNSEEN, OPEN, DONE };

enum { DEPTH_MAX = 10000 };

struct search {
  struct op2i_unit unit;
  struct op2i_macros macros;
  char *functions, *definitions; /* [unit.nitems], [macros.count] enum state */
  int *entered;                  /* [macros.count] value of `open` when the macro was entered */
  int open;                      /* number of functions that are open */
  int depth;                     /* number of functions and macros that are open */
};

static bool in_function(struct search *s, int i);

/* A macro that comes to itself is not replaced again, unless a function lies between. */
static bool in_macro(struct search *s, int64_t m);

/* A name in a body. A function that is mentioned counts as called. */
static bool in_word(struct search *s, const char *word, size_t length, bool function) {
  int64_t entry = op2i_names_find(&s->macros.names, word, length);
  for (; entry >= 0; entry = op2i_names_older(&s->macros.names, entry))
    if (in_macro(s, s->macros.names.list[entry].value)) return true;
  entry = function ? op2i_names_find(&s->unit.functions, word, length) : -1;
  return entry >= 0 && in_function(s, (int)s->unit.functions.list[entry].value);
}

static bool in_macro(struct search *s, int64_t m) {
  if (s->definitions[m] == OPEN) return s->open > s->entered[m];
  if (s->definitions[m] == DONE) return false;
  bool back = ++s->depth > DEPTH_MAX;
  s->definitions[m] = OPEN;
  s->entered[m] = s->open;
  for (const struct op2i_piece *p = s->macros.list[m]->body; p && !back; p = p->next)
    back = p->kind == OP2I_TOK_WORD && p->param < 0 && in_word(s, p->text, (size_t)p->length, true);
  s->definitions[m] = DONE;
  s->depth--;
  return back;
}

static bool in_function(struct search *s, int i) {
  const struct op2i_item *item = &s->unit.items[i];
  if (s->functions[i] != UNSEEN) return s->functions[i] == OPEN;
  bool back = ++s->depth > DEPTH_MAX;
  s->functions[i] = OPEN;
  s->open++;
  for (int at = item->body; at < item->end && !back; at++) {
    const struct op2i_token *t = &s->unit.tokens.list[s->unit.code[at]];
    back = t->kind == OP2I_TOK_WORD && in_word(s, s->unit.tokens.text + t->begin, t->end - t->begin,
                                               s->unit.roles[s->unit.code[at]] == OP2I_ROLE_FILE);
  }
  s->open--;
  s->depth--;
  s->functions[i] = DONE;
  return back;
}

/* Without memory the answer errs towards yes. */
static bool prepare(struct search *s, const char *source, bool *readable) {
  op2_status status = op2i_unit_read(source, false, &s->unit);
  *readable = status == OP2_SUCCESS;
  if (status) return status != OP2_ERR_NOMEM;
  op2i_reach_read(&s->unit.tokens, &s->macros);
  s->functions = op2i_calloc((size_t)s->unit.nitems + 1, 1);
  s->definitions = op2i_calloc((size_t)s->macros.count + 1, 1);
  s->entered = op2i_calloc((size_t)s->macros.count + 1, sizeof *s->entered);
  return !s->macros.arena.failed && s->functions && s->definitions && s->entered;
}

bool op2i_source_recurs(const char *source) {
  struct search s = {0};
  bool readable, recurs = !prepare(&s, source, &readable);
  for (int i = 0; readable && i < s.unit.nitems && !recurs; i++)
    if (s.unit.items[i].kind == OP2I_ITEM_FUNCTION) recurs = in_function(&s, i);
  op2i_free(s.functions);
  op2i_free(s.definitions);
  op2i_free(s.entered);
  op2i_macros_free(&s.macros);
  op2i_unit_free(&s.unit);
  return recurs;
}
