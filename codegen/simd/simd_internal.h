/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_INTERNAL_H
#define OP2I_SIMD_INTERNAL_H

#include "arena.h"
#include "cstmt.h"
#include "macro.h"
#include "simd.h"

/* The translation of a kernel into vectors: its functions as trees with types, an analysis of the
 * values that differ between lanes, and the text. A value is uniform if all lanes have the same,
 * else varying. Uniform values stay scalars, varying ones become vectors; a pointer or array is
 * called uniform or varying by the values that it leads to. Varying conditions become masks, of one
 * width in the whole kernel. */

/* DEPTH limits the recursion over trees, all functions together. NESTED limits nested statements,
 * and statements that follow others which return in some lanes. BRACKETS limits nested brackets in
 * the text; clang allows 256. GLOBALS limits names at file scope, which are searched one by one. */
enum {
  OP2I_SIMD_PARAMS = 64,
  OP2I_SIMD_DEPTH = 1000,
  OP2I_SIMD_NESTED = 120,
  OP2I_SIMD_BRACKETS = 250,
  OP2I_SIMD_GLOBALS = 2000
};

/* A name of the kernel's source that stands for a value. */
struct op2i_simd_var {
  struct op2i_simd_var *outer; /* the next older variable in scope */
  const char *name;
  const char *text; /* its text in the output */
  struct op2i_c_type type;
  bool fixed;   /* uniform, and no local variable */
  bool varying; /* True if its value, or what it leads to, varies. */
  bool masked;  /* assigned to under a varying condition: needs an initial value */
  int assigned; /* number of assignments */
  bool counts;  /* runs over [lo, hi) in a loop, and only the loop assigns to it */
  int64_t lo, hi;
  bool known;                          /* an enumerator of value lo */
  bool is_type;                        /* the name of a typedef */
  int line;                            /* line of its declaration, if at file scope */
  bool hidden;                         /* declared by the source, but not understood */
  bool of_loop;                        /* a constant of the loop */
  const struct op2i_simd_node *table;  /* the initializer, for a constant of the source */
  bool printed;                        /* True if the text has it. */
  const struct op2i_simd_node *region; /* the varying `if` around its declaration */
  int param;                           /* number of the parameter, or -1 */
};

enum op2i_simd_kind {
  OP2I_SIMD_LITERAL,
  OP2I_SIMD_NAME,
  OP2I_SIMD_UNARY,   /* op a */
  OP2I_SIMD_POSTFIX, /* a op */
  OP2I_SIMD_BINARY,  /* a op b, the comma as well */
  OP2I_SIMD_ASSIGN,  /* a op b */
  OP2I_SIMD_CHOICE,  /* a ? b : c */
  OP2I_SIMD_INDEX,   /* a[b] */
  OP2I_SIMD_CAST,
  OP2I_SIMD_CALL,  /* arguments a, a->next, ... */
  OP2I_SIMD_LIST,  /* { a, a->next, ... } */
  OP2I_SIMD_DECL,  /* var = a */
  OP2I_SIMD_EXPR,  /* a; */
  OP2I_SIMD_BLOCK, /* { a a->next ... } */
  OP2I_SIMD_IF,    /* if (a) b else c */
  OP2I_SIMD_FOR,   /* for (a; b; c) d */
  OP2I_SIMD_WHILE,
  OP2I_SIMD_DO,
  OP2I_SIMD_SWITCH, /* switch (a) b */
  OP2I_SIMD_CASE,   /* case a: or default: */
  OP2I_SIMD_RETURN,
  OP2I_SIMD_BREAK,
  OP2I_SIMD_CONTINUE
};

struct op2i_simd_node {
  enum op2i_simd_kind kind;
  const char *op; /* the operator, as written */
  int line;
  struct op2i_c_type type;
  struct op2i_simd_node *a, *b, *c, *d, *next;
  struct op2i_simd_var *var;
  const char *text; /* the spelling of a literal */
  bool known;       /* True for an integer constant of this value. */
  int64_t value;
  /* CALL: a function of the source, or of the library */
  int item;
  struct op2i_simd_form *callee;
  const struct op2i_simd_math *math;
  /* results of simd_vary.c and simd_flow.c */
  bool varying;
  bool masked; /* takes effect in some lanes only */
  bool impure; /* assigns */
  bool hazard; /* must not run if no lane needs it, and needs a mask of those that do */
  bool leaves; /* some lanes may return here */
  const struct op2i_simd_node *region; /* IF: the varying `if` around it */
};

enum op2i_simd_state { OP2I_SIMD_FRESH, OP2I_SIMD_BUSY, OP2I_SIMD_READY };

/* One form of a function: which of its parameters vary, and whether it gets a mask of the lanes
 * that need it. */
struct op2i_simd_form {
  struct op2i_simd_form *next;
  int item;
  bool masked;
  bool asked[OP2I_SIMD_PARAMS]; /* True if the parameter varies. */
  enum op2i_simd_state state;
  bool emitted;
  const char *name;
  struct op2i_c_type type; /* type of its result */
  int nparams;
  struct op2i_simd_var *params[OP2I_SIMD_PARAMS];
  struct op2i_simd_node *body;
  bool returns_varying;
  bool stores; /* stores through its parameters */
  bool hazard;
  bool early; /* some lanes return before others */
};

struct op2i_simd_name {
  struct op2i_simd_name *next;
  const char *name;
};

/* Headers that declare certain names or functions. */
enum { OP2I_SIMD_LIMITS = 1, OP2I_SIMD_STDBOOL = 2, OP2I_SIMD_STDLIB = 4 };

struct op2i_simd {
  const struct op2i_simd_request *request;
  const struct op2i_unit *unit;
  int lanes, bits; /* number of lanes, and bits of a mask's lane */
  struct op2i_text *why;
  bool refused, failed;    /* failed: out of memory */
  bool divides;            /* True if it divides vectors or takes their roots. */
  int depth;               /* see op2i_simd_enter() */
  unsigned headers;        /* headers that the source includes */
  struct op2i_arena arena; /* see op2i_simd_take() */
  /* substitutes for objects without memory */
  struct op2i_simd_node no_node;
  struct op2i_simd_var no_var;
  struct op2i_simd_form no_form;
  struct op2i_macros macros;
  struct op2i_simd_var *globals; /* constants of the loop, and names at file scope */
  int nglobals;
  struct op2i_simd_form *forms;
  int nforms;
  struct op2i_simd_name *helpers; /* helper functions that the text has */
  struct op2i_text prefix, tables, functions;
};

/* simd_base.c. Memory that is taken is zeroed and freed as a whole; null without memory. */
void *op2i_simd_take(struct op2i_simd *l, size_t bytes);
const char *op2i_simd_string(struct op2i_simd *l, const char *text, size_t length);
void op2i_simd_release(struct op2i_simd *l);
struct op2i_simd_node *op2i_simd_node(struct op2i_simd *l, enum op2i_simd_kind kind, int line);
struct op2i_simd_var *op2i_simd_var(struct op2i_simd *l, const char *name);
/* Refuse the kernel; only the first reason is kept. */
void op2i_simd_refuse(struct op2i_simd *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline bool op2i_simd_stopped(const struct op2i_simd *l) { return l->refused || l->failed; }
/* Called before recursion, with op2i_simd_leave() after it. Returns true if recursion may go on,
 * and refuses what is too deep. */
bool op2i_simd_enter(struct op2i_simd *l, int line);
static inline void op2i_simd_leave(struct op2i_simd *l) { l->depth--; }

/* simd_token.c */
void op2i_simd_directives(struct op2i_simd *l);
/* The tokens [begin, end) with macros replaced, and END after them. */
struct op2i_piece *op2i_simd_expand(struct op2i_simd *l, int begin, int end, int *count);

/* A parser's position in a list of tokens, and the names that are visible there. */
struct op2i_simd_parser {
  struct op2i_c_reader r;
  struct op2i_simd *l;
  struct op2i_simd_var *scope;
  int64_t visible; /* number of names added to the scope */
  struct op2i_simd_form *form;
  int enumerates; /* number of enumerations in the current declaration */
  int64_t next;   /* value of the next enumerator */
};

/* simd_type.c */
bool op2i_simd_at(const struct op2i_simd_parser *p, const char *spelling);
bool op2i_simd_accept(struct op2i_simd_parser *p, const char *spelling);
void op2i_simd_expect(struct op2i_simd_parser *p, const char *spelling);
int op2i_simd_line(const struct op2i_simd_parser *p);
/* Begin to parse the tokens [begin, end), with macros replaced. p->l and p->scope must be set. */
void op2i_simd_parse(struct op2i_simd_parser *p, int begin, int end);
/* Refuse a declaration that only the compiler can understand. */
void op2i_simd_check(struct op2i_simd_parser *p, struct op2i_c_decl *decl);
/* Read a type that declares nothing, as in a cast. `expected` has the flags that may occur beside
 * it, such as OP2I_C_STATIC. */
void op2i_simd_unnamed(struct op2i_simd_parser *p, unsigned expected, struct op2i_c_type *type);

static inline bool op2i_simd_float(enum op2i_c_base base) {
  return base == OP2I_C_F32 || base == OP2I_C_F64;
}
int op2i_simd_size(enum op2i_c_base base);
enum op2i_c_base op2i_simd_promoted(enum op2i_c_base base);
enum op2i_c_base op2i_simd_common(enum op2i_c_base a, enum op2i_c_base b);

/* simd_expr.c */
struct op2i_simd_node *op2i_simd_expression(struct op2i_simd_parser *p);
struct op2i_simd_node *op2i_simd_assignment(struct op2i_simd_parser *p);
int64_t op2i_simd_extent(struct op2i_simd_parser *p); /* a constant above zero */
struct op2i_simd_node *op2i_simd_operation(struct op2i_simd *l, const char *op,
                                           struct op2i_simd_node *a, struct op2i_simd_node *b);
/* simd_literal.c */
struct op2i_simd_node *op2i_simd_literal(struct op2i_simd_parser *p);
struct op2i_simd_node *op2i_simd_standard(struct op2i_simd_parser *p); /* M_PI, ...; or null */

/* simd_stmt.c */
struct op2i_c_type op2i_simd_result(struct op2i_simd *l, int item); /* what a function returns */
extern const struct op2i_c_asker op2i_simd_asker;                   /* for a parser's reader */
/* Read a function's parameters and body. */
void op2i_simd_read(struct op2i_simd *l, struct op2i_simd_form *form);
/* simd_global.c: declarations at file scope that functions can use. */
void op2i_simd_globals(struct op2i_simd *l);

/* simd_math.c: the functions of <math.h> and <stdlib.h> that are known. */
struct op2i_simd_math {
  const char *name;
  const char *types; /* result and parameters: d double or, by the name, float; i int; l long */
  enum { OP2I_SIMD_EACH, OP2I_SIMD_SMALL, OP2I_SIMD_TEST } how; /* EACH: a call for each lane */
};
const struct op2i_simd_math *op2i_simd_math_find(const struct op2i_piece *name, bool *single);
int op2i_simd_math_arity(const struct op2i_simd_math *math);
/* The type of parameter n from 1, or of the result if n is 0. */
enum op2i_c_base op2i_simd_math_type(const struct op2i_simd_math *math, bool single, int n);

/* simd_vary.c and simd_flow.c: which values differ between lanes. */
struct op2i_simd_vary {
  struct op2i_simd *l;
  struct op2i_simd_form *form;
  const struct op2i_simd_node *region;
  const struct op2i_simd_node *loop_region; /* that of the loop or switch around this */
  int conditional; /* number of operands around this one that some lanes skip */
  bool changed;
};
void op2i_simd_vary_expr(struct op2i_simd_vary *v, struct op2i_simd_node *e);
void op2i_simd_vary_init(struct op2i_simd_vary *v, struct op2i_simd_var *var,
                         struct op2i_simd_node *init);
/* The form of a function, completely analysed. */
struct op2i_simd_form *op2i_simd_form(struct op2i_simd *l, int item, const bool *asked, int nparams,
                                      bool masked);

/* simd_helper.c */
enum op2i_simd_help {
  OP2I_SIMD_SPLAT,
  OP2I_SIMD_SELECT,
  OP2I_SIMD_ANY,
  OP2I_SIMD_WEIGH,  /* 1 where a mask is set, else 0 */
  OP2I_SIMD_DIVISOR /* 1 where nothing is divided */
};
const char *op2i_simd_scalar_name(enum op2i_c_base base); /* of a uniform number */
void op2i_simd_type_name(struct op2i_simd *l, enum op2i_c_base base, struct op2i_text *out);
/* Append the name of a helper function, whose definition the text gets. */
void op2i_simd_help(struct op2i_simd *l, enum op2i_simd_help help, enum op2i_c_base base,
                    struct op2i_text *out);
void op2i_simd_help_math(struct op2i_simd *l, const struct op2i_simd_math *math, bool single,
                         struct op2i_text *out);

/* simd_print.c */
struct op2i_simd_printer {
  struct op2i_simd *l;
  struct op2i_simd_form *form;
  struct op2i_text *out;
  int depth;    /* depth of indentation */
  int numbered; /* names generated so far */
  int mask;     /* number of the mask of active lanes; 0: all; -1: those the caller needs */
  int left;     /* number of open statements after which some lanes may have returned */
};
bool op2i_simd_is_mask(const struct op2i_simd_node *e);
/* Print a uniform value or an lvalue, as an operand of something that binds as tightly as
 * `tight`. */
void op2i_simd_print(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
void op2i_simd_print_as(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                        enum op2i_c_base base, int tight);
void op2i_simd_print_mask(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
/* Print the value for a variable of this type, varying or not. */
void op2i_simd_print_value(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                           const struct op2i_c_type *type, bool varying, int tight);
void op2i_simd_print_on(struct op2i_simd_printer *p, int mask);
/* Print an expression whose value is not used. */
void op2i_simd_print_statement(struct op2i_simd_printer *p, const struct op2i_simd_node *e);
int op2i_simd_tightness(const struct op2i_simd_node *e);
void op2i_simd_print_call(struct op2i_simd_printer *p, const struct op2i_simd_node *e);
void op2i_simd_print_choice(struct op2i_simd_printer *p, const struct op2i_simd_node *e);
void op2i_simd_print_logical(struct op2i_simd_printer *p, const struct op2i_simd_node *e,
                             int tight);
/* simd_assign.c */
void op2i_simd_print_assign(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
void op2i_simd_print_step(struct op2i_simd_printer *p, const struct op2i_simd_node *e, int tight);
bool op2i_simd_scattered(const struct op2i_simd_node *lvalue);
void op2i_simd_print_gather(struct op2i_simd_printer *p, const struct op2i_simd_node *lvalue);
/* simd_emit.c */
void op2i_simd_declare(struct op2i_simd *l, const struct op2i_c_type *type, bool varying,
                       const char *name, struct op2i_text *out);
/* Add a constant of the source to the text, and those that it depends on. */
void op2i_simd_emit_table(struct op2i_simd *l, struct op2i_simd_var *var);
void op2i_simd_emit_statements(struct op2i_simd_printer *p, const struct op2i_simd_node *body);
/* simd_function.c. The item that defines a function, or -1; refuses a function that is defined
 * twice. */
int op2i_simd_function(struct op2i_simd *l, const char *name, size_t length);
/* Append a function to l->functions, after those that it calls. */
void op2i_simd_emit(struct op2i_simd *l, struct op2i_simd_form *form);

#endif
