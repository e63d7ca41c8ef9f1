/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_LANE_H
#define OP2I_LANE_H

#include "arena.h"
#include "cstmt.h"
#include "simd.h"
#include "macro.h"

/* A kernel on its way to vectors: its functions as trees with types, what differs between the lanes
 * in each, and their text. A value is uniform when all lanes have the same, else varying. Uniform
 * values stay scalars, varying ones become vectors; of pointers and arrays it is what they lead to
 * that is uniform or varying. Conditions that vary become masks, of one width in the whole kernel.
 */

/* DEPTH: of the recursion over trees, all functions together. NESTED: of statements, and of
 * statements behind others that return for some lanes. BRACKETS: in the text; clang takes 256.
 * GLOBALS: names at file scope, each of which is looked for one by one. */
enum {
  OP2I_LANE_PARAMS = 64,
  OP2I_LANE_DEPTH = 1000,
  OP2I_LANE_NESTED = 120,
  OP2I_LANE_BRACKETS = 250,
  OP2I_LANE_GLOBALS = 2000
};

/* A name of the kernel's source that stands for a value. */
struct op2i_lane_var {
  struct op2i_lane_var *outer; /* the one declared before it that is visible where it is */
  const char *name;
  const char *text; /* what stands for it in the output */
  struct op2i_c_type type;
  bool fixed;   /* uniform, and no local variable */
  bool varying; /* its value, or what it leads to */
  bool masked;  /* assigned to under a condition that varies: needs a value from the start */
  int assigned; /* how often */
  bool counts;  /* runs over [lo, hi) in a loop, and is not assigned to but by it */
  int64_t lo, hi;
  bool known;                          /* an enumerator, of value lo */
  bool is_type;                        /* a typedef's name */
  int line;                            /* at file scope: of its declaration */
  bool hidden;                         /* declared by the source, and not understood */
  bool of_loop;                        /* a constant of the loop */
  const struct op2i_lane_node *table;  /* a constant of the source: its initializer */
  bool printed;                        /* it is in the text */
  const struct op2i_lane_node *region; /* the varying `if` it is declared in */
  int param;                           /* number of the parameter, or -1 */
};

enum op2i_lane_kind {
  OP2I_LANE_LITERAL,
  OP2I_LANE_NAME,
  OP2I_LANE_UNARY,   /* op a */
  OP2I_LANE_POSTFIX, /* a op */
  OP2I_LANE_BINARY,  /* a op b, the comma as well */
  OP2I_LANE_ASSIGN,  /* a op b */
  OP2I_LANE_CHOICE,  /* a ? b : c */
  OP2I_LANE_INDEX,   /* a[b] */
  OP2I_LANE_CAST,
  OP2I_LANE_CALL,  /* arguments a, a->next, ... */
  OP2I_LANE_LIST,  /* { a, a->next, ... } */
  OP2I_LANE_DECL,  /* var = a */
  OP2I_LANE_EXPR,  /* a; */
  OP2I_LANE_BLOCK, /* { a a->next ... } */
  OP2I_LANE_IF,    /* if (a) b else c */
  OP2I_LANE_FOR,   /* for (a; b; c) d */
  OP2I_LANE_WHILE,
  OP2I_LANE_DO,
  OP2I_LANE_SWITCH, /* switch (a) b */
  OP2I_LANE_CASE,   /* case a: or default: */
  OP2I_LANE_RETURN,
  OP2I_LANE_BREAK,
  OP2I_LANE_CONTINUE
};

struct op2i_lane_node {
  enum op2i_lane_kind kind;
  const char *op; /* of operators, as written */
  int line;
  struct op2i_c_type type;
  struct op2i_lane_node *a, *b, *c, *d, *next;
  struct op2i_lane_var *var;
  const char *text; /* of a literal */
  bool known;       /* an integer constant, of this value */
  int64_t value;
  /* CALL: of a function of the source, or of the library */
  int item;
  struct op2i_lane_form *callee;
  const struct op2i_lane_math *math;
  /* found by op2i_lane_vary() */
  bool varying;
  bool masked; /* takes effect in some lanes only */
  bool impure; /* assigns */
  bool hazard; /* must not run when no lane wants it, and wants to know which do */
  bool leaves; /* some lanes may return here */
  const struct op2i_lane_node *region; /* IF: the varying one round it */
};

enum op2i_lane_state { OP2I_LANE_FRESH, OP2I_LANE_BUSY, OP2I_LANE_READY };

/* One form of a function: which of its parameters vary, and whether it is told which lanes want
 * it. */
struct op2i_lane_form {
  struct op2i_lane_form *next;
  int item;
  bool masked;
  bool asked[OP2I_LANE_PARAMS]; /* the parameter varies */
  enum op2i_lane_state state;
  bool emitted;
  const char *name;
  struct op2i_c_type type; /* of what it returns */
  int nparams;
  struct op2i_lane_var *params[OP2I_LANE_PARAMS];
  struct op2i_lane_node *body;
  bool returns_varying;
  bool stores; /* through its parameters */
  bool hazard;
  bool early; /* some lanes return before others */
};

struct op2i_lane_name {
  struct op2i_lane_name *next;
  const char *name;
};

/* Headers that names or functions are known by. */
enum { OP2I_LANE_LIMITS = 1, OP2I_LANE_STDBOOL = 2, OP2I_LANE_STDLIB = 4 };

struct op2i_lane {
  const struct op2i_lanes_request *request;
  const struct op2i_unit *unit;
  int lanes, bits; /* how many; of a mask's lane */
  struct op2i_text *why;
  bool refused, failed; /* failed: out of memory */
  bool divides;         /* vectors, or takes their roots */
  int depth;            /* see op2i_lane_enter() */
  unsigned headers;     /* that the source includes */
  struct op2i_arena arena; /* see op2i_lane_take() */
  /* stand for what there is no memory for */
  struct op2i_lane_node no_node;
  struct op2i_lane_var no_var;
  struct op2i_lane_form no_form;
  struct op2i_macros macros;
  struct op2i_lane_var *globals; /* constants of the loop, and what the source has at file scope */
  int nglobals;
  struct op2i_lane_form *forms;
  int nforms;
  struct op2i_lane_name *helpers; /* that the text has */
  struct op2i_text prefix, tables, functions;
};

/* simd_base.c. What is taken is zeroed and freed as a whole; null without memory. */
void *op2i_lane_take(struct op2i_lane *l, size_t bytes);
const char *op2i_lane_string(struct op2i_lane *l, const char *text, size_t length);
void op2i_lane_release(struct op2i_lane *l);
struct op2i_lane_node *op2i_lane_node(struct op2i_lane *l, enum op2i_lane_kind kind, int line);
struct op2i_lane_var *op2i_lane_var(struct op2i_lane *l, const char *name);
/* Give up, for the first reason that is given. */
void op2i_lane_refuse(struct op2i_lane *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline bool op2i_lane_stopped(const struct op2i_lane *l) { return l->refused || l->failed; }
/* Before recursion, and op2i_lane_leave() after it: whether to go on. Refuses what is too deep. */
bool op2i_lane_enter(struct op2i_lane *l, int line);
static inline void op2i_lane_leave(struct op2i_lane *l) { l->depth--; }

/* simd_token.c */
void op2i_lane_directives(struct op2i_lane *l);
/* Places [begin, end) with macros replaced, and an END behind. */
struct op2i_piece *op2i_lane_expand(struct op2i_lane *l, int begin, int end, int *count);

/* A parser's place in some tokens, and what is visible there. */
struct op2i_lane_parser {
  struct op2i_c_reader r;
  struct op2i_lane *l;
  struct op2i_lane_var *scope;
  int64_t visible; /* how many have been put there */
  struct op2i_lane_form *form;
  int enumerates; /* how many enumerations the declaration that is read has */
  int64_t next;   /* value of the next enumerator */
};

/* simd_type.c */
bool op2i_lane_at(const struct op2i_lane_parser *p, const char *spelling);
bool op2i_lane_accept(struct op2i_lane_parser *p, const char *spelling);
void op2i_lane_expect(struct op2i_lane_parser *p, const char *spelling);
int op2i_lane_line(const struct op2i_lane_parser *p);
/* Begin with places [begin, end), macros replaced, for the p->l and p->scope that are set. */
void op2i_lane_parse(struct op2i_lane_parser *p, int begin, int end);
/* Refuse what only the compiler understands of what has been read. */
void op2i_lane_check(struct op2i_lane_parser *p, struct op2i_c_decl *decl);
/* A type: what declares nothing, in a cast, say. What may be said beside it: OP2I_C_STATIC and the
 * like. */
void op2i_lane_unnamed(struct op2i_lane_parser *p, unsigned expected, struct op2i_c_type *type);

static inline bool op2i_lane_float(enum op2i_c_base base) {
  return base == OP2I_C_F32 || base == OP2I_C_F64;
}
int op2i_lane_size(enum op2i_c_base base);
enum op2i_c_base op2i_lane_promoted(enum op2i_c_base base);
enum op2i_c_base op2i_lane_common(enum op2i_c_base a, enum op2i_c_base b);

/* simd_expr.c */
struct op2i_lane_node *op2i_lane_expression(struct op2i_lane_parser *p);
struct op2i_lane_node *op2i_lane_assignment(struct op2i_lane_parser *p);
int64_t op2i_lane_extent(struct op2i_lane_parser *p); /* a constant above zero */
struct op2i_lane_node *op2i_lane_operation(struct op2i_lane *l, const char *op,
                                           struct op2i_lane_node *a, struct op2i_lane_node *b);
/* simd_literal.c */
struct op2i_lane_node *op2i_lane_literal(struct op2i_lane_parser *p);
struct op2i_lane_node *op2i_lane_standard(struct op2i_lane_parser *p); /* M_PI, ...; or null */

/* simd_stmt.c */
struct op2i_c_type op2i_lane_result(struct op2i_lane *l, int item); /* what a function returns */
extern const struct op2i_c_asker op2i_lane_asker; /* of a parser's reader */
/* Its parameters and body. */
void op2i_lane_read(struct op2i_lane *l, struct op2i_lane_form *form);
/* simd_global.c: what stands before functions and can be used in them. */
void op2i_lane_globals(struct op2i_lane *l);

/* simd_math.c: functions of <math.h> and <stdlib.h> that are known. */
struct op2i_lane_math {
  const char *name;
  const char *types; /* result and parameters: d as the name says, double or float; i l */
  enum { OP2I_LANE_EACH, OP2I_LANE_SMALL, OP2I_LANE_TEST } how; /* EACH: a call for each lane */
};
const struct op2i_lane_math *op2i_lane_math_find(const struct op2i_piece *name, bool *single);
int op2i_lane_math_arity(const struct op2i_lane_math *math);
/* Of parameter n from 1, or of the result with 0. */
enum op2i_c_base op2i_lane_math_type(const struct op2i_lane_math *math, bool single, int n);

/* simd_vary.c and simd_flow.c */
struct op2i_lane_vary {
  struct op2i_lane *l;
  struct op2i_lane_form *form;
  const struct op2i_lane_node *region;
  const struct op2i_lane_node *loop_region; /* of the loop or switch round this */
  int conditional; /* operands that some lanes do not want, round this one */
  bool changed;
};
void op2i_lane_vary_expr(struct op2i_lane_vary *v, struct op2i_lane_node *e);
void op2i_lane_vary_init(struct op2i_lane_vary *v, struct op2i_lane_var *var,
                         struct op2i_lane_node *init);
/* The form of a function, known through and through. */
struct op2i_lane_form *op2i_lane_form(struct op2i_lane *l, int item, const bool *asked, int nparams,
                                      bool masked);

/* simd_helper.c */
enum op2i_lane_help {
  OP2I_LANE_SPLAT,
  OP2I_LANE_SELECT,
  OP2I_LANE_ANY,
  OP2I_LANE_WEIGH,  /* 1 where a mask is set, else 0 */
  OP2I_LANE_DIVISOR /* ones where nothing is to be divided */
};
const char *op2i_lane_scalar_name(enum op2i_c_base base); /* of a number that is uniform */
void op2i_lane_type_name(struct op2i_lane *l, enum op2i_c_base base, struct op2i_text *out);
/* Append the name of a helper function, which the text gets. */
void op2i_lane_help(struct op2i_lane *l, enum op2i_lane_help help, enum op2i_c_base base,
                    struct op2i_text *out);
void op2i_lane_help_math(struct op2i_lane *l, const struct op2i_lane_math *math, bool single,
                         struct op2i_text *out);

/* simd_print.c */
struct op2i_lane_printer {
  struct op2i_lane *l;
  struct op2i_lane_form *form;
  struct op2i_text *out;
  int depth;    /* of indentation */
  int numbered; /* names made up so far */
  int mask;     /* number of the mask of lanes that are on: 0 all, -1 those the caller wants */
  int left;     /* how many statements open behind which some lanes may have returned */
};
bool op2i_lane_is_mask(const struct op2i_lane_node *e);
/* A uniform value or a place, as the operand of something that binds as tightly as `tight`. */
void op2i_lane_print(struct op2i_lane_printer *p, const struct op2i_lane_node *e, int tight);
void op2i_lane_print_as(struct op2i_lane_printer *p, const struct op2i_lane_node *e,
                        enum op2i_c_base base, int tight);
void op2i_lane_print_mask(struct op2i_lane_printer *p, const struct op2i_lane_node *e, int tight);
/* What a variable of this type, varying or not, is given. */
void op2i_lane_print_value(struct op2i_lane_printer *p, const struct op2i_lane_node *e,
                           const struct op2i_c_type *type, bool varying, int tight);
void op2i_lane_print_on(struct op2i_lane_printer *p, int mask);
/* Its value is not used. */
void op2i_lane_print_statement(struct op2i_lane_printer *p, const struct op2i_lane_node *e);
int op2i_lane_tightness(const struct op2i_lane_node *e);
void op2i_lane_print_call(struct op2i_lane_printer *p, const struct op2i_lane_node *e);
void op2i_lane_print_choice(struct op2i_lane_printer *p, const struct op2i_lane_node *e);
void op2i_lane_print_logical(struct op2i_lane_printer *p, const struct op2i_lane_node *e,
                             int tight);
/* simd_assign.c */
void op2i_lane_print_assign(struct op2i_lane_printer *p, const struct op2i_lane_node *e, int tight);
void op2i_lane_print_step(struct op2i_lane_printer *p, const struct op2i_lane_node *e, int tight);
bool op2i_lane_scattered(const struct op2i_lane_node *place);
void op2i_lane_print_gather(struct op2i_lane_printer *p, const struct op2i_lane_node *place);
/* simd_emit.c */
void op2i_lane_declare(struct op2i_lane *l, const struct op2i_c_type *type, bool varying,
                       const char *name, struct op2i_text *out);
/* Give the text a constant of the source, and those that it is made of. */
void op2i_lane_emit_table(struct op2i_lane *l, struct op2i_lane_var *var);
void op2i_lane_emit_statements(struct op2i_lane_printer *p, const struct op2i_lane_node *body);
/* simd_function.c. The item that defines a function, or -1; refuses what is defined twice. */
int op2i_lane_function(struct op2i_lane *l, const char *name, size_t length);
/* Append a function to l->functions, behind those that it calls. */
void op2i_lane_emit(struct op2i_lane *l, struct op2i_lane_form *form);

#endif
